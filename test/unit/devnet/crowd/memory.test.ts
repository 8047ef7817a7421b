// What the crowd learns: trades press on the price for a while and by less than in proportion, dust moves nothing, prints are believed,
// and what is left of an order's move is what it tells of the next print.
import { describe, expect, it } from "vitest";
import type { EventBatch } from "../../../../src/devnet/chain/block-maker.ts";
import { carryOf } from "../../../../src/devnet/crowd/carry.ts";
import { drawsOf } from "../../../../src/devnet/crowd/draws.ts";
import { indexPathOf } from "../../../../src/devnet/crowd/index-path.ts";
import { createMemory, impactOf } from "../../../../src/devnet/crowd/memory.ts";
import type { Execution } from "../../../../src/domain/fill.ts";
import { accountId, orderId, price, type Side, size, usdc } from "../../../../src/domain/units.ts";

const TYPICAL = 500_000;
const IMPACT_PPM = 200;
const FIRST = 20_000_000_000n;
const CROWD = accountId(900_001n);
const path = indexPathOf({ source: "fixed", price: price(FIRST), validForSecs: 60 }, 1n, 1);

/** A print every thousand blocks, each of which goes two fifths of the way to a value with momentum. */
const daily = indexPathOf(
  {
    ...{ source: "synthetic", price: price(FIRST), printEverySecs: 1000, validForSecs: 1000 },
    ...{ driftPercent: 0, volatilityPercent: 0.05, autocorrelation: 0.76 },
  },
  1n,
  1,
);

const funding = { fundingIntervalSecs: 3600, premiumPeriodSecs: 28_800 };
const carryIn = (index: typeof path, gapsPerMs: number) => carryOf(index, funding, { draw: drawsOf(1n, 1), gapsPerMs });

/** `gapsPerMs` decides how many prints ahead those who know see: one, unless prints come more often than orders. */
const memory = (index = path, gapsPerMs = 1 / 1000, pressureGaps = 0.9) =>
  createMemory({
    seats: new Map([[1, { path: index, carry: carryIn(index, gapsPerMs) }]]),
    accounts: new Set([CROWD]),
    typical: TYPICAL,
    impactPpm: IMPACT_PPM,
    pressureGaps,
    knowers: 0.11,
    blockTimeMs: 1000,
    gapsPerBlock: 0.1,
  });

const fill = (takerSide: Side, units: number, taker: bigint, maker = 1n): Execution => ({
  marketId: 1,
  price: price(FIRST),
  size: size(BigInt(units)),
  takerSide,
  takerOrderId: orderId(taker),
  makerOrderId: orderId(maker),
  txHash: "",
  timestampMs: 0,
  takerAccountId: accountId(20n),
  makerAccountId: CROWD,
  takerFee: usdc(0n),
  makerFee: usdc(0n),
  takerRealizedPnl: usdc(0n),
  makerRealizedPnl: usdc(0n),
});

const batch = (height: number, ...events: EventBatch["events"]): EventBatch => ({
  height,
  timeMs: 0,
  txHash: "own",
  isOwn: true,
  eventIndex: 0,
  events,
});
const filled = (height: number, ...executions: readonly Execution[]) =>
  batch(height, ...executions.map((execution) => ({ type: "Fill", execution }) as const));
const print = (height: number, at: bigint) =>
  batch(height, {
    type: "OracleUpdated",
    marketId: 1,
    price: price(at),
    previousPrice: price(FIRST),
    positionsUpdated: 0,
    validUntilSec: 0,
  });

describe("a trade", () => {
  it("of one typical order moves the price by the impact, up for a buy and down for a sell", () => {
    const [bought, sold] = [memory(), memory()];
    bought.add(filled(1, fill("buy", TYPICAL, 1n)));
    sold.add(filled(1, fill("sell", TYPICAL, 1n)));
    expect(bought.at(1, 1).level).toBe(IMPACT_PPM);
    expect(sold.at(1, 1).level).toBe(-IMPACT_PPM);
  });

  it("is forgotten within a few mean gaps where no print is to come: nothing of its move stays", () => {
    const learning = memory();
    learning.add(filled(1, fill("buy", TYPICAL, 1n)));
    const [soon, later] = [learning.at(1, 11).level, learning.at(1, 101).level];
    expect(soon).toBeLessThan(0.6 * IMPACT_PPM);
    expect(later).toBeLessThan(0.01 * IMPACT_PPM);
    expect(learning.at(1, 101).fair).toBe(0);
  });

  it("goes the more slowly, the more gaps makers take to come back", () => {
    const left = [0.45, 0.9, 1.8].map((pressureGaps) => {
      const learning = memory(path, 1 / 1000, pressureGaps);
      learning.add(filled(1, fill("buy", TYPICAL, 1n)));
      return learning.at(1, 10).level / IMPACT_PPM;
    });
    expect(left).toEqual([expect.closeTo(0.135, 3), expect.closeTo(0.368, 3), expect.closeTo(0.607, 3)]);
  });

  it("leaves what it tells of the next print, which counts the less the longer funding is paid until then", () => {
    const learning = memory(daily);
    learning.add(print(1, FIRST + FIRST / 1000n));
    learning.add(print(2, FIRST + FIRST / 1000n));
    const before = learning.at(1, 500).fair;
    learning.add(filled(500, fill("buy", TYPICAL, 1n)));
    const told = learning.at(1, 500).fair - before;
    expect(told).toBeGreaterThan(1);
    expect(told).toBeLessThan(carryIn(daily, 1 / 1000).newsPpm / 10);
  });

  it("tells the less the less is untold: nothing just after a print, and less after each order", () => {
    const learning = memory(daily);
    const toldBy = (height: number, order: bigint) => {
      const before = learning.at(1, height).fair;
      learning.add(filled(height, fill(order % 2n === 0n ? "buy" : "sell", 20 * TYPICAL, order)));
      return Math.abs(learning.at(1, height).fair - before);
    };
    learning.add(print(1, FIRST));
    expect(toldBy(1, 1n)).toBe(0);
    const steps = [2n, 4n, 6n, 8n].map((order) => toldBy(900, order));
    expect(steps).toEqual(steps.toSorted((a, b) => b - a));
    expect(steps.at(-1)).toBeGreaterThan(0);
  });

  it("of four times the size moves it twice as far", () => expect(impactOf(4)).toBe(2 * impactOf(1)));

  it("is one order however many makers filled it", () => {
    const [one, several] = [memory(), memory()];
    one.add(filled(1, fill("buy", 4 * TYPICAL, 1n)));
    several.add(filled(1, fill("buy", TYPICAL, 1n), fill("buy", 3 * TYPICAL, 1n, 2n)));
    expect(several.at(1, 1).level).toBe(one.at(1, 1).level);
  });

  it("of dust moves nothing and teaches nothing, however many there are, and before as after a real order", () => {
    const [dusty, clean] = [memory(daily), memory(daily)];
    const both = (each: EventBatch) => [dusty, clean].map((learning) => learning.add(each));
    const dust = (from: number) => {
      for (let order = from; order < from + 1000; order += 1)
        dusty.add(filled(2, fill("buy", TYPICAL / 10, BigInt(order))));
    };
    both(print(1, FIRST + FIRST / 1000n));
    dust(10);
    both(filled(2, fill("sell", TYPICAL, 1n)));
    dust(2000);
    expect(dusty.at(1, 2).level).toBe(clean.at(1, 2).level);
    both(filled(3, fill("sell", TYPICAL, 2n)));
    expect(dusty.at(1, 3).level).toBe(clean.at(1, 3).level);
  });

  it("that was to be expected moves it less than the first of its kind", () => {
    const learning = memory();
    const levels = [1, 2, 3].map((order) => {
      learning.add(filled(1, fill("buy", TYPICAL, BigInt(order))));
      return learning.at(1, 1).level;
    });
    const steps = levels.map((level, at) => level - (levels[at - 1] ?? 0));
    expect(steps).toEqual(steps.toSorted((a, b) => b - a));
  });

  it("in the other direction moves it by more than the first of its kind, once flow was expected to go on", () => {
    const learning = memory();
    for (let order = 1; order <= 10; order += 1) learning.add(filled(1, fill("buy", TYPICAL, BigInt(order))));
    const before = learning.at(1, 1).level;
    learning.add(filled(1, fill("sell", TYPICAL, 11n)));
    expect(before - learning.at(1, 1).level).toBeGreaterThan(1.5 * IMPACT_PPM);
  });

  it("adds up to what the crowd's accounts hold, with the level at which they came to it", () => {
    const learning = memory();
    learning.add(filled(1, fill("buy", TYPICAL, 1n)));
    learning.add(filled(2, fill("buy", TYPICAL, 2n)));
    expect(learning.of(1).held[`${CROWD}`]).toBe(-2 * TYPICAL);
    expect(learning.of(1).entry[`${CROWD}`]).toBe(0);
  });
});

describe("a print", () => {
  it("is believed", () => {
    const learning = memory();
    learning.add(print(1, FIRST + FIRST / 1000n));
    expect(learning.at(1, 1).level).toBeCloseTo(Math.log(1.001) * 1e6, 3);
  });

  it("clears the flow before it", () => {
    const learning = memory(daily);
    learning.add(print(1, FIRST + FIRST / 1000n));
    learning.add(filled(2, fill("buy", TYPICAL, 1n)));
    learning.add(print(1000, FIRST + FIRST / 1000n));
    expect(learning.of(1).told).toBe(0);
  });

  it("clears only the oldest flow where those who know see further ahead", () => {
    const learning = memory(daily, 1 / 20_000);
    for (const height of [1, 1000, 2000, 3000]) {
      learning.add(print(height, FIRST));
      learning.add(filled(height + 500, fill("buy", TYPICAL, BigInt(height))));
    }
    expect(carryIn(daily, 1 / 20_000).printsAhead).toBe(3);
    expect(learning.of(1).toldBefore).toHaveLength(2);
    expect(Math.min(...learning.of(1).toldBefore)).toBeGreaterThan(0);
  });

  it("however far away leads to expect no more than eight deviations of what is new in one of the prints to come", () => {
    const learning = memory(daily);
    learning.add(print(999, 2n * FIRST));
    const { fair, print: printed } = learning.at(1, 999);
    expect((fair - printed) / daily.newsPpm).toBeGreaterThan(7.8);
    expect((fair - printed) / daily.newsPpm).toBeLessThanOrEqual(8);
  });
});

it("goes on from what it saved as if it had never stopped", () => {
  const [whole, first] = [memory(), memory()];
  const batches = [...Array(40).keys()].map((at) =>
    filled(at, fill(at % 3 === 0 ? "sell" : "buy", 7919 * (at + 1), BigInt(at))),
  );
  for (const each of batches) whole.add(each);
  for (const each of batches.slice(0, 20)) first.add(each);
  const second = memory();
  second.load(first.save());
  for (const each of batches.slice(20)) second.add(each);
  expect(second.save()).toBe(whole.save());
});
