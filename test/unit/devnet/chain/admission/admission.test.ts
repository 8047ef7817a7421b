// Checks before execution, in their order (S4.5, S5): a body that fails one is HTTP 400 and leaves no trace.

import { beforeEach, describe, expect, test } from "vitest";
import type { Chain } from "../../../../../src/devnet/chain/chain.ts";
import { accountId, orderId } from "../../../../../src/domain/units.ts";
import {
  ALICE_SUB,
  agent,
  alice,
  BLOCK_MS,
  BOB,
  bob,
  codeOf,
  config,
  freshNonce,
  inOneBlock,
  openChain,
  order,
  run,
  START_MS,
  seal,
  stranger,
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
      broken(seal(order(), { ...far, chainId: "venue-v4:mainnet:chain-1", signer: stranger })),
      broken(seal(order(), { ...far, signer: stranger, nonce })),
      broken(seal(order(), { signer: stranger, nonce })),
      seal(order(), { signer: stranger, nonce }),
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

  test("the signature covers the exact text: blanks and order of fields count", async () => {
    const text = Buffer.from(seal(order())).toString();
    const spaced = Buffer.from(text.replace('{"PlaceOrder":{', '{"PlaceOrder": {'));
    const outside = Buffer.from(text.replace('"chain_id":', ' "chain_id" : '));
    const [inside, around] = await inOneBlock(chain, [spaced, outside]);
    expect([codeOf(inside!), codeOf(around!)]).toEqual(["SIGNATURE", "executed"]);
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

  test("each key has its own nonces", async () => {
    const nonce = freshNonce();
    const answers = await inOneBlock(chain, [seal(order(), { nonce }), seal(order(), { nonce, signer: alice })]);
    expect(answers.map(codeOf)).toEqual(["executed", "executed"]);
  });

  test("after a hundred, what is not above the smallest of them is stale", async () => {
    const first = BigInt(START_MS);
    const nothing = { type: "CancelAllOrders", marketId: null } as const;
    const hundred = Array.from({ length: 100 }, (_, at) => seal(nothing, { nonce: first + 2n * BigInt(at) + 1n }));
    const answers = await inOneBlock(chain, hundred);
    expect(new Set(answers.map(codeOf))).toEqual(new Set(["executed"]));
    const late = await inOneBlock(
      chain,
      [first, first + 2n].map((nonce) => seal(nothing, { nonce })),
    );
    expect(late.map(codeOf)).toEqual(["NONCE_STALE", "executed"]);
  });

  test("CancelOrder neither checks nor commits its nonce", async () => {
    const nonce = freshNonce();
    const cancel = { type: "CancelOrder", orderId: orderId(999_999n) } as const;
    const bodies = [
      seal(cancel, { nonce }),
      seal(cancel, { nonce }),
      seal(order(), { nonce }),
      seal(cancel, { nonce: 0n }),
    ];
    const answers = await inOneBlock(chain, bodies);
    expect(answers.map((answer) => answer.kind)).toEqual(["refused", "refused", "executed", "refused"]);
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

  test("a rejected transaction leaves nonce and state as they were", async () => {
    const quiet = openChain();
    const nonce = freshNonce();
    await inOneBlock(chain, [
      seal(order({ accountId: BOB }), { nonce }),
      Buffer.from("{}"),
      seal(order(), { chainId: "x" }),
    ]);
    await quiet.advance(BLOCK_MS);
    expect(chain.head().stateRoot).toBe(quiet.head().stateRoot);
    expect(chain.head().transactions).toEqual([]);
    expect(codeOf(await run(chain, order(), { nonce }))).toBe("executed");
  });

  test("an agent expires by block time, to the millisecond, and is listed on", async () => {
    const expiryMs = START_MS + DAY_MS;
    const at = (blockMs: number) => ({ timestampSec: Math.floor(blockMs / 1000), nonce: BigInt(blockMs) });
    const [before] = await inOneBlock(chain, [seal(order(), at(expiryMs - 1))], DAY_MS - 1);
    const [after] = await inOneBlock(chain, [seal(order(), at(expiryMs))], 1);
    expect([codeOf(before!), codeOf(after!)]).toEqual(["executed", "AGENT_EXPIRED"]);
    expect(chain.reads.account(config.accounts[0]!.accountId)?.agents).toHaveLength(1);
  });

  test("an agent of the master trades the subaccount, and owner-only actions are out of its scope", async () => {
    expect(codeOf(await run(chain, order({ accountId: ALICE_SUB })))).toBe("executed");
    expect(codeOf(await run(chain, { type: "CloseSubaccount", accountId: ALICE_SUB }))).toBe("SCOPE");
    const move = { type: "Transfer", fromAccountId: ALICE_SUB, toAccountId: BOB, tokenId: 0, amount: 1n } as const;
    expect(codeOf(await run(chain, move))).toBe("SCOPE");
    expect(codeOf(await run(chain, move, { signer: bob }))).toBe("SCOPE");
  });

  test("an owner approves, renews and revokes an agent by transactions", async () => {
    const approve = {
      type: "ApproveAgent",
      accountId: BOB,
      agent: stranger.publicKey,
      name: "new",
      expiresAtSec: null,
    } as const;
    const revoke = { type: "RevokeAgent", accountId: BOB, agent: stranger.publicKey } as const;
    const buy = order({ accountId: BOB });
    expect(codeOf(await run(chain, buy, { signer: stranger }))).toBe("AGENT_NOT_APPROVED");
    expect(await run(chain, approve, { signer: bob })).toMatchObject({ kind: "executed" });
    expect(codeOf(await run(chain, buy, { signer: stranger }))).toBe("executed");
    expect(await run(chain, revoke, { signer: bob })).toMatchObject({ kind: "executed" });
    expect(codeOf(await run(chain, buy, { signer: stranger }))).toBe("AGENT_NOT_APPROVED");
    expect(chain.reads.account(BOB)?.openOrders).toHaveLength(1);
  });

  test("an account that does not exist is nobody's", async () => {
    expect(codeOf(await run(chain, order({ accountId: accountId(404n) })))).toBe("AGENT_NOT_APPROVED");
  });

  test("the retired action is refused by name", async () => {
    const answer = await run(chain, { type: "CreateReferredAccount" }, { signer: alice });
    expect(answer).toMatchObject({ kind: "refused", code: "RetiredAction" });
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
