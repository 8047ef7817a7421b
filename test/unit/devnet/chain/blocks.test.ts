// Blocks: equal inputs and times make equal roots and hashes; anything else makes others. Manual and real clock.

import { describe, expect, test } from "vitest";
import type { Block } from "../../../../src/devnet/chain/block.ts";
import type { EventBatch } from "../../../../src/devnet/chain/block-maker.ts";
import type { Chain } from "../../../../src/devnet/chain/chain.ts";
import type { Crowd, PrintSource } from "../../../../src/devnet/chain/sources.ts";
import { accountId, orderId, price, usdc } from "../../../../src/domain/units.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import {
  ALICE,
  BLOCK_MS,
  BOB,
  bob,
  codeOf,
  config,
  inOneBlock,
  openChain,
  order,
  run,
  START_MS,
  seal,
} from "./set-up.ts";

const trade = (nonce: bigint) => [
  seal(order({ price: price(20_000_000_000n) }), { nonce }),
  seal(order({ accountId: BOB, side: "sell", price: price(20_000_000_000n) }), { nonce, signer: bob }),
];

/** Five blocks with a trade, a refused order, a deposit, a print and a cancel. */
async function story(chain: Chain): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  chain.onBlock((block) => blocks.push(block));
  const nonce = BigInt(START_MS);
  await inOneBlock(chain, trade(nonce));
  chain.control.deposit(BOB, usdc(5n));
  await inOneBlock(chain, [seal(order({ marketId: 9 }), { nonce: nonce + 1n })], 1000);
  chain.control.publishPrint(1, price(20_100_000_000n));
  await inOneBlock(chain, [seal(order(), { nonce: nonce + 2n })]);
  await chain.advance(0);
  await inOneBlock(chain, [seal({ type: "CancelAllOrders", marketId: null }, { nonce: nonce + 3n })]);
  return blocks;
}

describe("blocks under the manual clock", () => {
  test("equal inputs and times give equal blocks, hash by hash", async () => {
    const [one, other] = [await story(openChain()), await story(openChain())];
    expect(one).toEqual(other);
    expect(one.map((block) => block.height)).toEqual([1, 2, 3, 4, 5]);
    expect(one.map((block) => block.timeMs - START_MS)).toEqual([200, 1200, 1400, 1400, 1600]);
    expect(one.map((block) => block.transactions.length)).toEqual([2, 1, 1, 0, 1]);
    for (const [at, block] of one.entries()) expect(block.parentHash).toBe(one[at - 1]?.hash ?? block.parentHash);
  });

  test("a root changes with what happened, and with nothing else", async () => {
    const blocks = await story(openChain());
    expect(new Set(blocks.map((block) => block.stateRoot)).size).toBeGreaterThanOrEqual(4);
    const quiet = openChain();
    const other = openChain();
    await inOneBlock(other, trade(BigInt(START_MS)).slice(0, 1));
    await quiet.advance(BLOCK_MS);
    expect(quiet.head().stateRoot).not.toBe(other.head().stateRoot);
  });

  test("each control act is in the root, and a refused one is not", async () => {
    const roots = new Set<string>();
    const acts: readonly ((chain: Chain) => unknown)[] = [
      () => undefined,
      (chain) => chain.control.deposit(ALICE, usdc(1n)),
      (chain) => chain.control.deposit(ALICE, usdc(2n)),
      (chain) => chain.control.setMarketStatus(1, "Paused"),
      (chain) => chain.control.publishPrint(1, price(1n)),
      (chain) => chain.control.setOracle(1, { status: "Halted" }),
      (chain) => chain.control.approveAgent(BOB, { pubkey: "ab".repeat(32), name: "", expiresAtSec: null }),
      (chain) => chain.control.bridgeDeposit("cd".repeat(32), usdc(1n)),
    ];
    for (const act of acts) {
      const chain = openChain();
      act(chain);
      roots.add((await chain.advance(BLOCK_MS)).stateRoot);
    }
    expect(roots.size).toBe(acts.length);

    const refused = openChain();
    expect(refused.control.deposit(accountId(404n), usdc(1n))).toMatchObject({ status: "failed" });
    expect(refused.control.deposit(ALICE, usdc(0n))).toMatchObject({ status: "failed" });
    expect(refused.control.setMarketStatus(9, "Paused")).toMatchObject({ status: "failed" });
    expect(roots.has((await refused.advance(BLOCK_MS)).stateRoot)).toBe(true);
  });

  test("transactions execute in the order they came, and are answered when their block is made", async () => {
    const chain = openChain();
    let answered = 0;
    const first = chain.submit(seal(order({ price: price(20_000_000_000n) })));
    const second = chain.submit(
      seal(order({ accountId: BOB, side: "sell", price: price(20_000_000_000n) }), { signer: bob }),
    );
    for (const answer of [first, second]) answer.then(() => (answered += 1));
    await Promise.resolve();
    expect(answered).toBe(0);
    await chain.advance(BLOCK_MS);
    const [rested, took] = await Promise.all([first, second]);
    expect([codeOf(rested), codeOf(took)]).toEqual(["executed", "executed"]);
    expect(took).toMatchObject({ events: expect.arrayContaining([expect.objectContaining({ type: "Fill" })]) });
  });

  test("a fill names its transaction, and the market's trades list it", async () => {
    const chain = openChain();
    const [, taker] = await inOneBlock(chain, trade(BigInt(START_MS)));
    const [trades] = [chain.reads.trades(1, 10)];
    expect(trades).toHaveLength(1);
    expect(taker).toMatchObject({ hash: trades?.[0]?.txHash });
    expect(chain.reads.trades(9, 10)).toBeUndefined();
  });

  test("events are numbered through the block and told before the answer", async () => {
    const chain = openChain();
    const batches: EventBatch[] = [];
    chain.onEvents((batch) => batches.push(batch));
    await inOneBlock(chain, trade(BigInt(START_MS)));
    let next = 0;
    for (const batch of batches) {
      expect(batch).toMatchObject({ height: 1, timeMs: START_MS + BLOCK_MS, eventIndex: next });
      next += batch.events.length;
    }
    expect(batches.filter((batch) => batch.txHash !== null)).toHaveLength(2);
  });

  test("time goes forward by whole milliseconds only", async () => {
    const chain = openChain();
    for (const ms of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      await expect(chain.advance(ms)).rejects.toThrow(RangeError);
    }
    expect(chain.head().height).toBe(0);
  });

  test("after close, what waits and what comes is refused: nothing is taken", async () => {
    const chain = openChain();
    const waiting = chain.submit(seal(order()));
    await chain.close();
    expect(await waiting).toMatchObject({ kind: "rejected", httpStatus: 503, code: "STOPPED" });
    expect(await chain.submit(seal(order()))).toMatchObject({ code: "STOPPED" });
  });
});

describe("blocks under the real clock", () => {
  const open = () => {
    const time = createVirtualClock({ startMs: START_MS });
    const clock = { ...time.viewOf({ skewMs: 0, driftPpm: 0 }), pass: time.advanceSync };
    const chain = openChain({ config: { ...config, clock: { mode: "real" } } }, { clock });
    const blocks: Block[] = [];
    chain.onBlock((block) => blocks.push(block));
    return { clock, chain, blocks };
  };

  test("a block is made each blockTimeMs, at the time it was opened", () => {
    const { clock, blocks } = open();
    clock.pass(BLOCK_MS * 3);
    expect(blocks.map((block) => block.timeMs - START_MS)).toEqual([0, BLOCK_MS, 2 * BLOCK_MS]);
  });

  test("a transaction executes on arrival and is answered before its block is finished", async () => {
    const { chain, clock, blocks } = open();
    expect(codeOf(await chain.submit(seal(order())))).toBe("executed");
    expect(chain.reads.account(ALICE)?.openOrders).toHaveLength(1);
    expect(blocks).toHaveLength(0);
    clock.pass(BLOCK_MS);
    expect(blocks).toMatchObject([{ height: 1, transactions: [{ type: "PlaceOrder" }] }]);
  });

  test("chain time never goes back when the wall clock does", () => {
    const { chain, clock, blocks } = open();
    clock.pass(BLOCK_MS * 2);
    const before = chain.timeMs();
    clock.step(-1_000_000);
    clock.pass(BLOCK_MS * 2);
    expect(chain.timeMs()).toBe(before);
    expect(blocks.map((block) => block.height)).toEqual([1, 2, 3, 4]);
  });

  test("cannot be advanced by hand, and stops with close", async () => {
    const { chain, clock, blocks } = open();
    await expect(chain.advance(1)).rejects.toThrow(RangeError);
    await chain.close();
    expect(blocks).toHaveLength(1);
    clock.pass(BLOCK_MS * 10);
    expect(blocks).toHaveLength(1);
  });
});

describe("what the chain does unasked", () => {
  const crowdOwner = "ee".repeat(32);
  const crowdAccount = { ...config.accounts[0]!, accountId: accountId(900n), owner: crowdOwner, agents: [] };

  test("prints go out as blocks open, valid from the block's time", async () => {
    const prints: PrintSource = {
      printsDue: (height) =>
        height % 2 === 0 ? [{ marketId: 1, price: price(BigInt(height + 1) * 10_000_000_000n), validForMs: 1500 }] : [],
    };
    const chain = openChain({}, { prints });
    await chain.advance(1000);
    expect(chain.reads.oracle(1)).toMatchObject({ price: 10_000_000_000n, status: "Active" });
    await chain.advance(500);
    expect(chain.reads.oracle(1)).toMatchObject({ price: 30_000_000_000n, status: "Active" });
    await chain.advance(1500);
    expect(chain.reads.oracle(1)).toMatchObject({ price: 30_000_000_000n, status: "Stale" });
  });

  test("the crowd acts before any user and sees the block's prints", async () => {
    const seen: (bigint | undefined)[] = [];
    const crowd: Crowd = {
      accounts: [crowdAccount],
      act(height, _logicalMs, reads) {
        seen.push(reads.oracle(1)?.price);
        if (height !== 1)
          return [{ accountId: crowdAccount.accountId, transaction: { type: "CancelOrder", orderId: orderId(1n) } }];
        return [
          {
            accountId: crowdAccount.accountId,
            transaction: order({ accountId: crowdAccount.accountId, price: price(20_000_000_000n) }),
          },
        ];
      },
    };
    const chain = openChain({}, { crowd });
    const sell = order({ accountId: BOB, side: "sell", price: price(20_000_000_000n) });
    const answer = await run(chain, sell, { signer: bob });
    expect(answer).toMatchObject({ events: expect.arrayContaining([expect.objectContaining({ type: "Fill" })]) });
    expect(chain.head().transactions).toHaveLength(1);
    await chain.advance(BLOCK_MS);
    expect(seen).toEqual([20_000_000_000n, 20_000_000_000n]);
  });

  test("a configuration that contradicts itself is refused", () => {
    const [alice, sub] = config.accounts;
    const made = (accounts: typeof config.accounts) => () => openChain({ config: { ...config, accounts } });
    expect(made([alice!, alice!])).toThrow(RangeError);
    expect(made([sub!])).toThrow(/no master account/);
    expect(() => openChain({}, { prints: { printsDue: () => [] } })).toThrow(/without a first print/);
  });
});
