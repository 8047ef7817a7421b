// Checks before execution, in their order (S4.5, S5): a body that fails one is HTTP 400 and leaves no trace.

import { beforeEach, describe, expect, test } from "vitest";
import type { Chain } from "../../../../../src/devnet/chain/chain.ts";
import { accountId } from "../../../../../src/domain/units.ts";
import {
  agent,
  alice,
  BOB,
  codeOf,
  config,
  foreignKey,
  freshNonce,
  inOneBlock,
  openChain,
  order,
  run,
  START_MS,
  seal,
} from "../set-up.ts";

describe("admission", () => {
  let chain: Chain;
  beforeEach(() => {
    chain = openChain();
  });

  test("faults are found in this order: parse, chain id, timestamp, signature, authority, nonce", async () => {
    const nonce = freshNonce();
    await inOneBlock(chain, [seal(order(), { nonce })]);
    const far = { timestampSec: START_MS / 1000 + 3600 };
    const broken = (body: Uint8Array) =>
      Buffer.from(Buffer.from(body).toString().replace('"size":1000000', '"size":1000001'));
    const unparsed = Buffer.from(
      Buffer.from(seal(order(), { chainId: "other" }))
        .toString()
        .replace('"Long"', '"Up"'),
    );
    const codes = await inOneBlock(chain, [
      unparsed,
      broken(seal(order(), { ...far, chainId: "venue-v4:mainnet:chain-1", signer: foreignKey })),
      broken(seal(order(), { ...far, signer: foreignKey, nonce })),
      broken(seal(order(), { signer: foreignKey, nonce })),
      seal(order(), { signer: foreignKey, nonce }),
      seal(order(), { nonce }),
    ]);
    expect(codes.map(codeOf)).toEqual([
      "MALFORMED",
      "WRONG_CHAIN",
      "TIMESTAMP",
      "SIGNATURE",
      "AGENT_NOT_APPROVED",
      "NONCE_REUSED",
    ]);
    expect(codes.every((answer) => answer.kind === "rejected" && answer.httpStatus === 400)).toBe(true);
  });

  test("a refused transaction uses its nonce up, unless the chain was made otherwise", async () => {
    const unknownMarket = order({ marketId: 9 });
    for (const [refusedNonce, expected] of [
      ["commits", "NONCE_REUSED"],
      ["staysFree", "executed"],
    ] as const) {
      const other = openChain({ config: { ...config, refusedNonce } });
      const nonce = freshNonce();
      const answers = await inOneBlock(other, [seal(unknownMarket, { nonce }), seal(order(), { nonce })]);
      expect(answers[0]).toMatchObject({ kind: "refused" });
      expect(codeOf(answers[1]!)).toBe(expected);
    }
  });

  test("an account that does not exist is nobody's", async () => {
    expect(codeOf(await run(chain, order({ accountId: accountId(404n) })))).toBe("AGENT_NOT_APPROVED");
  });

  test("a body of garbage is rejected whatever it is made of", async () => {
    const bodies = ["", "null", "[]", "{", '{"transaction":{}}', "\u0000", "9".repeat(20_000)].map((text) =>
      Buffer.from(text),
    );
    const invalidUtf8 = Uint8Array.of(0x7b, 0xff, 0x7d);
    for (const answer of await inOneBlock(chain, [...bodies, invalidUtf8])) {
      expect(answer).toMatchObject({ kind: "rejected", httpStatus: 400, code: "MALFORMED" });
    }
  });
});

test("an agent's key signs for nobody else's account", async () => {
  const chain = openChain();
  expect(codeOf(await run(chain, order({ accountId: BOB }), { signer: agent }))).toBe("AGENT_NOT_APPROVED");
});

test("a hosted body that does not parse is rejected before any key is made", async () => {
  const [chain, quiet] = [openChain(), openChain()];
  const answer = await chain.submitHosted(
    { kind: "apiKey", owner: alice.publicKey },
    Buffer.from('{"transaction":{}}'),
  );
  expect(answer).toMatchObject({ kind: "rejected", httpStatus: 400, code: "MALFORMED" });
  expect((await chain.advance(1)).stateRoot).toBe((await quiet.advance(1)).stateRoot);
});
