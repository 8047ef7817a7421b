// Checks before execution, in their order (S4.5, S5): a body that fails one is HTTP 400 and leaves no trace.

import { beforeEach, describe, expect, test } from "vitest";
import type { Chain } from "../../../../../src/devnet/chain/chain.ts";
import { accountId } from "../../../../../src/domain/units.ts";
import {
  ALICE_SUB,
  agent,
  alice,
  BLOCK_MS,
  BOB,
  bob,
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

const DAY_MS = 86_400_000;

describe("admission", () => {
  let chain: Chain;
  beforeEach(() => {
    chain = openChain();
  });

  test("a signed order by an approved agent executes", async () => {
    const answer = await run(chain, order());
    expect(answer).toMatchObject({
      kind: "executed",
      events: expect.arrayContaining([expect.objectContaining({ type: "OrderPlaced" })]),
    });
    expect(chain.reads.account(config.accounts[0]!.accountId)?.openOrders).toHaveLength(1);
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

  test("a timestamp may be off by exactly the tolerance, either way", async () => {
    const blockSec = (START_MS + 1000) / 1000;
    const answers = await inOneBlock(
      chain,
      [-61, -60, 60, 61].map((off) => seal(order(), { timestampSec: blockSec + off })),
      1000,
    );
    expect(answers.map(codeOf)).toEqual(["TIMESTAMP", "executed", "executed", "TIMESTAMP"]);
  });

  test("the nonce window is strict at both ends and by block time", async () => {
    const blockMs = BigInt(START_MS + BLOCK_MS);
    const back = blockMs - BigInt(2 * DAY_MS);
    const ahead = blockMs + BigInt(DAY_MS);
    const nonces = [back, back + 1n, ahead - 1n, ahead, 2n ** 64n - 1n, 0n];
    const answers = await inOneBlock(
      chain,
      nonces.map((nonce) => seal(order(), { nonce })),
    );
    expect(answers.map(codeOf)).toEqual([
      "NONCE_WINDOW",
      "executed",
      "executed",
      "NONCE_WINDOW",
      "NONCE_WINDOW",
      "NONCE_WINDOW",
    ]);
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

  test("an agent of the master trades the subaccount, and owner-only actions are out of its scope", async () => {
    expect(codeOf(await run(chain, order({ accountId: ALICE_SUB })))).toBe("executed");
    expect(codeOf(await run(chain, { type: "CloseSubaccount", accountId: ALICE_SUB }))).toBe("SCOPE");
    const move = { type: "Transfer", fromAccountId: ALICE_SUB, toAccountId: BOB, tokenId: 0, amount: 1n } as const;
    expect(codeOf(await run(chain, move))).toBe("SCOPE");
    expect(codeOf(await run(chain, move, { signer: bob }))).toBe("SCOPE");
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
