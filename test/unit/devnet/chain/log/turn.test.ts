// What comes in one turn of the event loop is written at once, before any of it happens; an act that throws is the last, and a start goes on
// without it.

import { describe, expect, test } from "vitest";
import type { Chain, ChainModules } from "../../../../../src/devnet/chain/chain.ts";
import type { ChainIndex } from "../../../../../src/devnet/chain/chain-index.ts";
import { verifyChain } from "../../../../../src/devnet/chain/log/verify.ts";
import type { Crowd } from "../../../../../src/devnet/chain/sources.ts";
import type { DevnetConfig } from "../../../../../src/devnet/config/config.ts";
import { price, size, usdc } from "../../../../../src/domain/units.ts";
import { macrotask } from "../../../../../src/kernel/clock.ts";
import { createMemoryDisk, type MemoryDisk } from "../memory-disk.ts";
import {
  ALICE,
  alice,
  BLOCK_MS,
  BOB,
  bob,
  codeOf,
  config,
  foreignKey,
  openChain,
  order,
  START_MS,
  seal,
  verifier,
} from "../set-up.ts";

const LOG = "blocks.log";
const real: DevnetConfig = { ...config, clock: { mode: "real" } };
const at = (offset: number) => ({ nonce: BigInt(START_MS + offset) });
const unkept = { kind: "rejected", httpStatus: 503, code: "UNWRITABLE" };

/** A chain on the real clock whose block timer the test runs. */
function open(disk: MemoryDisk, modules: Partial<ChainModules> = {}) {
  let tick: () => void = () => undefined;
  const every = (_ms: number, run: () => void) => {
    tick = run;
    return { cancel: () => undefined };
  };
  const clock = { wallMs: () => START_MS, monotonicMs: () => 0, after: every, every };
  const atTurnEnd = (run: () => void) => void macrotask().then(run);
  const chain = openChain({ config: real }, { disk, clock, atTurnEnd, ...modules });
  return { chain, tick: () => tick() };
}

const linesOf = (disk: MemoryDisk) => disk.files.get(LOG)!.toString().split("\n").slice(0, -1);
const sizesOf = (chain: Chain) => chain.reads.account(ALICE)?.openOrders.map((each) => each.size);
const restAs = (disk: MemoryDisk) => createMemoryDisk(new Map(disk.files));

describe("what comes in one turn", () => {
  test("is one line, and neither seen nor answered before it is written", async () => {
    const disk = createMemoryDisk();
    const seen: number[] = [];
    const { chain } = open(disk);
    const before = linesOf(disk).length;
    chain.onEvents(() => void seen.push(linesOf(disk).length));
    const answers = [1, 2, 3].map((n) => chain.submit(seal(order(), at(n))));
    expect(linesOf(disk)).toHaveLength(before);
    expect(sizesOf(chain)).toEqual([]);
    expect((await Promise.all(answers)).map(codeOf)).toEqual(["executed", "executed", "executed"]);
    expect(linesOf(disk)).toHaveLength(before + 1);
    expect(seen).toEqual([before + 1, before + 1, before + 1]);
    expect(sizesOf(open(restAs(disk)).chain)).toHaveLength(3);
  });

  test("is judged in its order: a nonce that comes twice counts once, then and in the replay", async () => {
    const disk = createMemoryDisk();
    const { chain } = open(disk);
    const bodies = [
      seal(order(), at(1)),
      seal(order({ size: size(2_000_000n) }), at(1)),
      seal(
        { type: "RevokeAgent", accountId: ALICE, agent: config.accounts[0]!.agents[0]!.pubkey },
        { ...at(2), signer: alice },
      ),
      seal(order(), at(3)),
      Buffer.from("nonsense"),
      seal(order({ accountId: BOB, side: "sell" }), { ...at(4), signer: bob }),
    ];
    const codes = (await Promise.all(bodies.map((body) => chain.submit(body)))).map(codeOf);
    expect(codes).toEqual(["executed", "NONCE_REUSED", "executed", "AGENT_NOT_APPROVED", "MALFORMED", "executed"]);
    await chain.close();
    const again = open(restAs(disk)).chain;
    expect(again.reads.account(ALICE)).toEqual(chain.reads.account(ALICE));
    expect(again.reads.block(1)).toEqual(chain.reads.block(1));
    expect(verifyChain(restAs(disk), verifier)).toMatchObject({ transactions: 3 });
  });

  test("lets in what one of them makes possible: the order of an agent that was approved before it", async () => {
    const disk = createMemoryDisk();
    const { chain } = open(disk);
    const approval = {
      type: "ApproveAgent",
      accountId: ALICE,
      agent: foreignKey.publicKey,
      name: "new",
      expiresAtSec: null,
    } as const;
    const bodies = [
      seal(order(), { ...at(1), signer: foreignKey }),
      seal(approval, { ...at(2), signer: alice }),
      seal(order(), { ...at(3), signer: foreignKey }),
      seal(order(), { ...at(4), signer: foreignKey }),
    ];
    const before = linesOf(disk).length;
    const codes = (await Promise.all(bodies.map((body) => chain.submit(body)))).map(codeOf);
    expect(codes).toEqual(["AGENT_NOT_APPROVED", "executed", "executed", "executed"]);
    expect(linesOf(disk)).toHaveLength(before + 2);
    expect(sizesOf(open(restAs(disk)).chain)).toHaveLength(2);
  });

  test("is all refused while the disk is full, and cut short by a crash it never was", async () => {
    const disk = createMemoryDisk();
    const { chain } = open(disk);
    disk.setFull(true);
    const refused = await Promise.all([1, 2, 3].map((n) => chain.submit(seal(order(), at(n)))));
    for (const answer of refused) expect(answer).toMatchObject(unkept);
    expect(sizesOf(open(restAs(disk)).chain)).toEqual([]);
    disk.setFull(false);
    const taken = await Promise.all([1, 2, 3].map((n) => chain.submit(seal(order(), at(n)))));
    expect(taken.map(codeOf)).toEqual(["executed", "executed", "executed"]);
    expect(sizesOf(open(disk.crashed(LOG, 1)).chain)).toEqual([]);
  });

  test("is refused by a chain that is closed before it is written, and did not happen", async () => {
    const disk = createMemoryDisk();
    const { chain } = open(disk);
    const answer = chain.submit(seal(order(), at(1)));
    await chain.close();
    expect(codeOf(await answer)).toBe("STOPPED");
    expect(sizesOf(open(restAs(disk)).chain)).toEqual([]);
  });
});

describe("an act that makes the exchange throw", () => {
  /** Fails at each event that the pattern is in: a fault of the exchange, the same in every replay. */
  const failing = (pattern: RegExp): ChainIndex => ({
    name: "failing",
    add({ events }) {
      const text = JSON.stringify(events, (_key, cell: unknown) => (typeof cell === "bigint" ? String(cell) : cell));
      if (pattern.test(text)) throw new Error("the books do not balance");
    },
    save: () => "",
    load: () => undefined,
  });
  const onThree = { indexes: [failing(/"size":"3000000"/)] };
  const ordersOf = (...sizes: readonly number[]) =>
    sizes.map((count, n) => seal(order({ size: size(BigInt(count) * 1_000_000n) }), at(10 * count + n)));

  test("is told and left out, and what came before it in its turn stays; nothing is taken until a start, which goes on", async () => {
    const disk = createMemoryDisk();
    const told: string[] = [];
    const { chain, tick } = open(disk, { ...onThree, log: (message) => void told.push(message) });
    const answers = await Promise.all(ordersOf(1, 3, 2).map((body) => chain.submit(body)));
    expect(answers).toMatchObject([{ kind: "executed" }, unkept, unkept]);
    expect(told).toEqual([
      expect.stringMatching(/^block 1: transaction [0-9a-f]{64} made the exchange throw \(the books.*start it again/),
    ]);
    expect(await chain.submit(seal(order(), at(4)))).toMatchObject(unkept);
    expect(chain.control.deposit(BOB, usdc(5n))).toMatchObject({ code: "UNWRITABLE" });
    tick();
    expect(chain.head().height).toBe(0);
    await expect(chain.close()).rejects.toThrow(/made the exchange throw/);
    expect(disk.isClosed()).toBe(true);

    const kept = restAs(disk);
    const again = open(kept, onThree);
    expect(sizesOf(again.chain)).toEqual([1_000_000n]);
    again.chain.audit();
    const next = await Promise.all(ordersOf(2).map((body) => again.chain.submit(body)));
    expect(next.map(codeOf)).toEqual(["executed"]);
    again.tick();
    expect(again.chain.head().height).toBe(2);
    await again.chain.close();
    expect(verifyChain(restAs(kept), verifier)).toMatchObject({ transactions: 2 });
  });

  const seller: Crowd = {
    accounts: [],
    act: (height) =>
      [1n, 3n].map((count) => ({
        accountId: BOB,
        transaction: order({ accountId: BOB, side: "sell", size: size((height === 1 ? count : 1n) * 1_000_000n) }),
      })),
  };
  const prints = {
    printsDue: (height: number) => [
      { marketId: 1, price: price(height === 2 ? 30_000_000_000n : 20_000_000_000n), validForMs: 5000 },
    ],
  };
  test.each([
    ["the operator", onThree, (chain: Chain) => void chain.control.deposit(BOB, usdc(7n)), failing(/"amount":"7"/)],
    ["the crowd", { crowd: seller }, () => undefined, failing(/"size":"3000000"/)],
    ["a block as it begins", { prints }, () => undefined, failing(/30000000000/)],
  ])("of %s is left out as well", async (_whose, modules, act, index) => {
    const disk = createMemoryDisk();
    const first = open(disk, { ...modules, indexes: [index] });
    act(first.chain);
    first.tick();
    expect(await first.chain.submit(seal(order(), at(1)))).toMatchObject(unkept);
    await expect(first.chain.close()).rejects.toThrow(/made the exchange throw/);
    const again = open(restAs(disk), "crowd" in modules ? { crowd: { ...seller, act: () => [] } } : {});
    again.tick();
    again.tick();
    again.chain.audit();
    expect(codeOf(await again.chain.submit(seal(order(), at(1))))).toBe("executed");
  });

  test("between two blocks leaves no snapshot of what it half changed", async () => {
    const disk = createMemoryDisk();
    const chain = openChain({}, { disk, indexes: [failing(/"amount":"7"/)] });
    await chain.advance(BLOCK_MS);
    chain.control.deposit(BOB, usdc(7n));
    await expect(chain.close()).rejects.toThrow(/the operator's act deposit made the exchange throw/);
    expect(disk.names()).toEqual([LOG]);
    const again = openChain({}, { disk: restAs(disk) });
    expect(again.reads.account(BOB)?.collateral).toBe(config.accounts[2]?.collateral);
  });

  test("for another program than the one that logged it, the start refuses with what and where", async () => {
    const disk = createMemoryDisk();
    const { chain } = open(disk);
    for (const body of ordersOf(1, 3)) await chain.submit(body);
    const before = disk.size(LOG) - linesOf(disk).at(-1)!.length - 1;
    const opened = () => open(restAs(disk), onThree);
    const what =
      "^block 1: transaction [0-9a-f]{64} makes the exchange throw .the books do not balance.: start the version";
    expect(opened).toThrow(new RegExp(`${what}.*truncate -s ${before} blocks\\.log`));
    disk.truncate(LOG, before);
    expect(sizesOf(opened().chain)).toEqual([1_000_000n]);
  });
});
