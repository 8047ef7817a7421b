// Fills: booked once from whatever tells of them, priced when somebody tells the fee, and never lost or doubled.

import { describe, expect } from "vitest";
import { collateralOf } from "../../../../src/bot/accounting/totals.ts";
import { orderId, price, size, usdc } from "../../../../src/domain/units.ts";
import { filled as booked, bookOf, positionRead, transferOf } from "../accounting/books.ts";
import {
  account,
  CHAIN_OFFSET_MS,
  CONTRACT,
  createScene,
  executedWith,
  execution,
  ME,
  position,
  publicTrade,
  type Scene,
  test,
  USD,
} from "../scene.ts";
import { mismatches, read, readTrades } from "./orders.ts";

const fills = (scene: Scene) => scene.effects.flatMap((effect) => (effect.kind === "fill" ? [effect] : []));
const sources = (scene: Scene) => fills(scene).map(({ source }) => source);

describe("once", () => {
  test("from the answer, the fills channel and the trades: one fill, one move", ({ scene }) => {
    const command = scene.place(1n, { postOnly: false });
    const filled = execution({ liquidity: "taker" });
    scene.answer(1n, command, executedWith({ type: "fill", execution: filled }));
    for (let round = 0; round < 2; round += 1) {
      scene.tell({ kind: "execution", execution: filled });
      scene.tell({ kind: "trade", trade: publicTrade(filled) });
      readTrades(scene, filled);
    }
    expect(fills(scene)).toMatchObject([{ source: "answer", fill: { liquidity: "taker", side: "buy", fee: 5n } }]);
    expect(scene.inventory()).toBe(CONTRACT);
  });

  test("our side is inverted when we are the maker, with the maker's fee", ({ scene }) => {
    scene.rest(1n, 7n, { side: "sell", price: price(201n * USD) });
    scene.tell({ kind: "execution", execution: execution({ side: "sell", usd: 201n }) });
    expect(fills(scene)[0]).toMatchObject({ fill: { liquidity: "maker", side: "sell", fee: -1n, orderId: 7n } });
    expect(scene.inventory()).toBe(-CONTRACT);
  });

  test("two executions of one transaction against different orders are two fills", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    scene.tell({ kind: "execution", execution: execution({ other: 1000n }) });
    scene.tell({ kind: "execution", execution: execution({ other: 1001n }) });
    expect(scene.inventory()).toBe(2n * CONTRACT);
  });

  test("both sides ours: two fills that cancel out", ({ scene }) => {
    scene.tell({ kind: "execution", execution: { ...execution(), takerAccountId: ME, makerAccountId: ME } });
    expect(fills(scene).map(({ fill }) => [fill.liquidity, fill.side])).toEqual([
      ["taker", "sell"],
      ["maker", "buy"],
    ]);
    expect(scene.inventory()).toBe(0n);
  });

  test("a fill that an earlier run booked is not booked again", () => {
    const filled = execution();
    const key = `1:${filled.txHash}:${filled.takerOrderId}:${filled.makerOrderId}:maker`;
    const scene = createScene({
      book: bookOf(booked({ key, side: "buy", price: USD, size: CONTRACT }, { money: "read" })),
    });
    scene.tell({ kind: "execution", execution: filled });
    expect(fills(scene)).toEqual([]);
  });

  test("executions of others are none of ours", ({ scene }) => {
    scene.tell({ kind: "execution", execution: { ...execution(), makerAccountId: 5n as typeof ME } });
    expect(fills(scene)).toEqual([]);
  });
});

describe("a row of public trades under an id of ours is an event", () => {
  test.each([
    ["read", (scene: Scene) => readTrades(scene, execution()), ["fillMissed"]],
    ["told by the stream", (scene: Scene) => scene.tell({ kind: "trade", trade: publicTrade(execution()) }), []],
  ])("%s: booked at once without a fee, it reduces its order, and nothing resynchronizes", (_, tell, told) => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    tell(scene);
    expect(fills(scene)).toMatchObject([{ source: "trades", fill: { fee: null, realizedPnl: null, side: "buy" } }]);
    expect(scene.orders()[0]?.remainingSize).toBe(CONTRACT);
    expect([scene.inventory(), mismatches(scene), scene.resync()]).toEqual([CONTRACT, told, null]);
  });

  test("its fee, when a frame brings it after all, amends the same fill", ({ scene }) => {
    scene.rest(1n, 7n);
    readTrades(scene, execution());
    for (let round = 0; round < 2; round += 1) scene.tell({ kind: "execution", execution: execution() });
    const amended = scene.effects.flatMap((effect) => (effect.kind === "fillAmended" ? [effect.event] : []));
    expect(amended).toEqual([expect.objectContaining({ fill: expect.objectContaining({ fee: -1n }) })]);
    expect([fills(scene).length, scene.inventory()]).toEqual([1, CONTRACT]);
  });

  test("of others it is passed over", ({ scene }) => {
    readTrades(scene, execution({ mine: 500n }));
    scene.tell({ kind: "trade", trade: publicTrade(execution({ mine: 500n })) });
    expect(fills(scene)).toEqual([]);
  });

  test("of an id that nobody has claimed it moves our money, whosever it is", ({ scene }) => {
    scene.tell({ kind: "execution", execution: execution({ mine: 66n }) });
    readTrades(scene, execution({ mine: 66n, hash: "h2" }));
    expect(scene.inventory()).toBe(2n * CONTRACT);
  });

  test("after a break of the connection it counts once the account has shown that the chain is the same", ({
    scene,
  }) => {
    scene.rest(1n, 7n);
    scene.advance(500);
    scene.tell({ kind: "streamOpened", epoch: 2 });
    expect(readTrades(scene, execution())).toEqual([]);
    scene.tell({ kind: "trade", trade: publicTrade(execution()) });
    expect(fills(scene)).toEqual([]);
    read(scene);
    readTrades(scene, execution());
    expect(sources(scene)).toEqual(["trades"]);
  });

  test("from before the account was created it is none of its fills", () => {
    const createdAtMs = CHAIN_OFFSET_MS + 50_000;
    const young = createScene({ createdAtMs }, "blank");
    young.rest(1n, 7n);
    for (const [timestampMs, held] of [
      [createdAtMs - 1, 0n],
      [createdAtMs, CONTRACT],
    ] as const) {
      readTrades(young, execution({ timestampMs, hash: `h${timestampMs}` }));
      expect(young.inventory()).toBe(held);
    }
  });

  test("a list without any says nothing of those that are known; one that does not reach back leaves some out", ({
    scene,
  }) => {
    const { search } = scene.state.markets.get(1)!;
    const others = execution({ mine: 500n, hash: "h5" });
    readTrades(scene, others);
    const known = () => scene.state.markets.get(1)!.search;
    expect(known().unbrokenSinceMs).toBe(search.unbrokenSinceMs);
    const { askedMs } = known();
    scene.advance(10);
    readTrades(scene);
    expect(known().askedMs).toBe(askedMs);
    readTrades(scene, execution({ mine: 501n, hash: "h6" }), others);
    expect(known().unbrokenSinceMs).toBe(search.unbrokenSinceMs);
    scene.advance(10);
    readTrades(scene, execution({ mine: 502n, hash: "h7", timestampMs: 0 }));
    expect(known().unbrokenSinceMs, "whatever its times say").toBe(known().askedMs);
  });
});

describe("while we were away", () => {
  const known = { knownOrders: [orderId(7n)] };

  test("a fill of an order of an earlier run is in the position that is adopted, before or after it is told", () => {
    for (const first of ["trades", "adoption"]) {
      const book = bookOf(positionRead({ inventory: -2n * CONTRACT }), transferOf("start", 5n));
      const scene = createScene({ ...known, book }, "blank");
      scene.tell({ kind: "streamOpened", epoch: 1 });
      if (first === "trades") readTrades(scene, execution());
      scene.adopt(account({ positions: [position(-1n)] }));
      read(scene, { positions: [position(-1n)] });
      if (first === "adoption") readTrades(scene, execution());
      expect([fills(scene).length, scene.inventory()]).toEqual([1, -CONTRACT]);
    }
  });

  test("its money is PnL, and only what it does not explain is a transfer", () => {
    const opened = 100_000_000_000n;
    const bookedWith = (gained: bigint) => {
      const scene = createScene({ ...known, book: bookOf(transferOf("opening", opened)) }, "blank");
      readTrades(scene, execution());
      scene.adopt(account({ positions: [position(1n)], collateral: usdc(opened + gained) }));
      const { now, postedAmount } = scene.state.accounts.get(ME)!.book.markets.get(1)!;
      expect([now.pendingCount, now.estimated]).toEqual([0, 0n]);
      const [effect] = scene.effects.flatMap((found) => (found.kind === "bookOpened" ? [found] : []));
      const reasons = effect?.postings.map((posting) => [
        "reason" in posting ? posting.reason : posting.kind,
        posting.amount,
      ]);
      return { postedAmount, reasons, away: effect?.away };
    };
    expect(bookedWith(2n)).toEqual({
      postedAmount: 2n,
      reasons: [["fills", 2n]],
      away: { amount: 2n, pnl: 2n, worth: 2n, moved: [] },
    });
    // Of a deposit it is what the schedule says: nothing, where no schedule was read.
    const deposit = 500_000_000n;
    expect(bookedWith(deposit)).toEqual({
      postedAmount: 0n,
      reasons: [
        ["fills", 0n],
        ["whileAway", deposit],
      ],
      away: { amount: deposit, pnl: 0n, worth: deposit, moved: [] },
    });
    expect(bookedWith(0n)).toMatchObject({ reasons: [["fills", 0n]], away: null });
  });

  test("has its money in the collateral: a fee that is told later is no news", () => {
    const scene = createScene({ ...known }, "blank");
    readTrades(scene, execution());
    scene.adopt(account({ positions: [position(1n)] }));
    scene.tell({ kind: "execution", execution: execution() });
    expect(collateralOf(scene.state.accounts.get(ME)!.book)).toBe(account().collateral);
    expect(fills(scene).length).toBe(1);
  });
});

describe("expected collateral", () => {
  const collateral = (scene: Scene) => collateralOf(scene.state.accounts.get(ME)!.book);

  test("moves by realized PnL minus fee, to the unit", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.tell({ kind: "execution", execution: execution({ makerFee: usdc(-3n), makerRealizedPnl: usdc(-40n) }) });
    expect(collateral(scene)).toBe(100_000_000_000n - 40n + 3n);
  });

  test("does not move for a fill whose fee is not known until it is", ({ scene }) => {
    scene.rest(1n, 7n);
    const filled = execution({ makerFee: usdc(7n) });
    readTrades(scene, filled);
    expect(collateral(scene)).toBe(100_000_000_000n);
    scene.tell({ kind: "execution", execution: filled });
    expect(collateral(scene)).toBe(100_000_000_000n - 7n);
  });
});

test("ids that nobody acknowledges do not pile up", ({ scene }) => {
  for (let count = 0n; count < 3000n; count += 1n)
    scene.tell({ kind: "execution", execution: execution({ mine: 10_000n + count, hash: `h${count}` }) });
  expect(scene.inventory()).toBe(3000n * CONTRACT);
  expect(scene.state.accounts.get(ME)!.orders.isOnAccount(orderId(10_000n)), "the oldest is forgotten").toBe(false);
});
