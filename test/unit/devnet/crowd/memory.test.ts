// What the crowd learns: trades move its opinion for good and by less than in proportion, dust moves nothing, prints are believed in part.
import { describe, expect, it } from "vitest";
import type { EventBatch } from "../../../../src/devnet/chain/block-maker.ts";
import { indexPathOf } from "../../../../src/devnet/crowd/index-path.ts";
import { createMemory, impactOf } from "../../../../src/devnet/crowd/memory.ts";
import type { Execution } from "../../../../src/domain/fill.ts";
import { accountId, orderId, price, type Side, size, usdc } from "../../../../src/domain/units.ts";

const TYPICAL = 500_000;
const IMPACT_PPM = 200;
const FIRST = 20_000_000_000n;
const CROWD = accountId(900_001n);
const path = indexPathOf({ source: "fixed", price: price(FIRST), validForSecs: 60 }, 1n, 1);

const memory = () =>
  createMemory({
    paths: new Map([[1, path]]),
    accounts: new Set([CROWD]),
    typical: TYPICAL,
    impactPpm: IMPACT_PPM,
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
  it("of one typical order moves the opinion by the impact, up for a buy and down for a sell", () => {
    const [bought, sold] = [memory(), memory()];
    bought.add(filled(1, fill("buy", TYPICAL, 1n)));
    sold.add(filled(1, fill("sell", TYPICAL, 1n)));
    expect(bought.of(1).level).toBe(IMPACT_PPM);
    expect(sold.of(1).level).toBe(-IMPACT_PPM);
  });

  it("of four times the size moves it twice as far", () => expect(impactOf(4)).toBe(2 * impactOf(1)));

  it("is one order however many makers filled it", () => {
    const [one, several] = [memory(), memory()];
    one.add(filled(1, fill("buy", 4 * TYPICAL, 1n)));
    several.add(filled(1, fill("buy", TYPICAL, 1n), fill("buy", 3 * TYPICAL, 1n, 2n)));
    expect(several.of(1).level).toBe(one.of(1).level);
  });

  it("of dust moves nothing: a thousand thousandths move no more than twice what one order does", () => {
    const dusty = memory();
    for (let order = 1; order <= 1000; order += 1) dusty.add(filled(order, fill("buy", TYPICAL / 1000, BigInt(order))));
    expect(dusty.of(1).level).toBeLessThanOrEqual(2 * IMPACT_PPM);
  });

  it("that was to be expected moves it less than the first of its kind", () => {
    const learning = memory();
    const levels = [1, 2, 3].map((order) => {
      learning.add(filled(order, fill("buy", TYPICAL, BigInt(order))));
      return learning.of(1).level;
    });
    const steps = levels.map((level, at) => level - (levels[at - 1] ?? 0));
    expect(steps).toEqual(steps.toSorted((a, b) => b - a));
  });

  it("in the other direction moves it by more than the first of its kind, once flow was expected to go on", () => {
    const learning = memory();
    for (let order = 1; order <= 10; order += 1) learning.add(filled(order, fill("buy", TYPICAL, BigInt(order))));
    const before = learning.of(1).level;
    learning.add(filled(11, fill("sell", TYPICAL, 11n)));
    expect(before - learning.of(1).level).toBeGreaterThan(1.5 * IMPACT_PPM);
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
  it("is believed in part", () => {
    const learning = memory();
    learning.add(print(1, FIRST + FIRST / 1000n));
    expect(learning.of(1).level).toBeGreaterThan(600);
    expect(learning.of(1).level).toBeLessThan(800);
  });

  it("that is far away leaves the opinion no further than 100 bps from it", () => {
    const learning = memory();
    learning.add(print(1, 2n * FIRST));
    expect(Math.log(2) * 1e6 - learning.of(1).level).toBeCloseTo(10_000, 3);
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
