// What is lost at the limits, in numbers worked out by hand, and the laws that hold whatever the market.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AtLimit,
  largestBelievedLoss,
  moveThatLoses,
  type Scenario,
  scenariosOf,
  valueAtRisk,
  withinGross,
} from "../../../../src/bot/risk/scenarios.ts";
import { maintenanceMargin, withDeductions } from "../../../../src/domain/margin.ts";
import { notionalCeil } from "../../../../src/domain/rounding.ts";
import { price, size, usdc } from "../../../../src/domain/units.ts";

const tiers = withDeductions([
  { notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250 },
  { notionalFloor: usdc(1_000_000_000n), maxLeverage: 10, maintenanceMarginRatioBps: 500 },
]);
/** 20 contracts at 100 USD: 2,000 USDC. */
const market: AtLimit = {
  marketId: 1,
  position: size(20_000_000n),
  price: price(10_000_000_000n),
  marginTiers: tiers,
  printDeviationBps: 25,
  tailMoveBps: 58.15,
  isTailAssumed: false,
  maxFundingRateBps: 30,
};
const account = (equity: bigint, ...markets: readonly AtLimit[]) => ({
  equity: usdc(equity * 1_000_000n),
  markets,
  correlations: null,
});
const found = (of: ReturnType<typeof account>, scenario: Scenario["scenario"], deviations: number | null): Scenario => {
  const one = scenariosOf(of).find((each) => each.scenario === scenario && each.deviations === deviations);
  if (one === undefined) throw new Error(`no ${scenario} of ${deviations}`);
  return one;
};

describe("what a position at its limit loses", () => {
  it("by a print of so many deviations, either way", () => {
    for (const deviations of [-8, -3, -1, 1, 3, 8])
      expect(found(account(1000n, market), "printGap", deviations).loss).toBe(
        BigInt(Math.abs(deviations)) * 5_000_000n,
      );
  });

  it("by one settlement of funding at its cap", () => {
    expect(found(account(1000n, market), "fundingCap", null).loss).toBe(6_000_000n);
  });

  it("by a print an interval late: the root of two as much, up to a millionth of the price", () => {
    expect(found(account(1000n, market), "latePrint", -3).loss).toBe(21_214_000n);
  });

  it("in all markets together", () => {
    const two = account(1000n, market, { ...market, marketId: 2 });
    expect(found(two, "printGap", -3).loss).toBe(30_000_000n);
  });
});

describe("how far liquidation is", () => {
  it("is where equity has fallen to maintenance margin", () => {
    // Down by x of 2,000: 100 - 5 - 2000x = 25 + 0.05 (995 - 2000x), solved for x.
    const { marginRatio, liquidationDistanceBps } = found(account(150n, market), "printGap", -1);
    expect(marginRatio).toBeCloseTo(145 / 74.75, 6);
    expect(liquidationDistanceBps).toBe(371);
  });

  it("is 0 once the scenario liquidates, and null where no position may be held", () => {
    expect(found(account(50n, market), "printGap", -1).liquidationDistanceBps).toBe(0);
    const nothing = found(account(50n, { ...market, position: size(0n) }), "printGap", -1);
    expect(nothing).toMatchObject({ loss: 0n, marginRatio: null, liquidationDistanceBps: null });
  });

  it("law: at the distance it is liquidated, one basis point before it is not", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 400 }), (equity, contracts) => {
        const held = { ...market, position: size(BigInt(contracts) * 1_000_000n) };
        const { liquidationDistanceBps: bps, loss } = found(account(BigInt(equity), held), "fundingCap", null);
        const isLiquidated = (move: bigint): boolean => {
          const notional = notionalCeil(held.price, held.position);
          const left = BigInt(equity) * 1_000_000n - loss - (notional * move) / 10_000n;
          const moved = price((held.price * (10_000n - move)) / 10_000n);
          return left <= maintenanceMargin(tiers, notionalCeil(moved, held.position));
        };
        if (bps === null) expect(isLiquidated(9999n)).toBe(false);
        else {
          expect(isLiquidated(BigInt(bps))).toBe(true);
          if (bps > 0) expect(isLiquidated(BigInt(bps) - 1n)).toBe(false);
        }
      }),
    );
  });
});

describe("value at risk of the next prints", () => {
  it("is the move that 1 % of the prints pass on a side", () => {
    expect(valueAtRisk(account(1000n, market))).toBe(11_630_000n);
  });

  it("adds up where correlations are unknown, and less where they are known; signs do not help", () => {
    const two = account(1000n, market, { ...market, marketId: 2 });
    expect(valueAtRisk(two)).toBe(23_260_000n);
    const known = (rho: number) =>
      Number(
        valueAtRisk({
          ...two,
          correlations: [
            [1, rho],
            [rho, 1],
          ],
        }),
      ) / 1e6;
    expect(known(0)).toBeCloseTo(11.63 * Math.SQRT2, 4);
    expect(known(-0.5)).toBeCloseTo(known(0.5), 6);
  });
});

it("positions that exceed the account's gross limit together are scaled down to it", () => {
  const two = [market, { ...market, marketId: 2 }];
  expect(withinGross(two, null)).toBe(two);
  expect(withinGross(two, usdc(1_000_000_000n)).map(({ position }) => position)).toEqual([5_000_000n, 5_000_000n]);
});

it("a maxLoss is read as the move that makes it act, beside the largest trusted print", () => {
  expect(moveThatLoses(market, usdc(500_000_000n))).toBe(2500);
  expect(largestBelievedLoss(market)).toBe(40_000_000n);
  expect(moveThatLoses({ ...market, position: size(0n) }, usdc(1n))).toBeNull();
});
