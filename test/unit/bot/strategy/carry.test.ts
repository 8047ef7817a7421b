// The value of a contract between two prints, and of perpetuals in general, against published numbers and their own laws.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  carryFairValue,
  continuousPerpetual,
  discretePerpetual,
  lastPrintWeight,
  settlementsBetween,
} from "../../../../src/bot/strategy/carry.ts";

describe("weight of the last print", () => {
  const HOURLY = [24, 12, 6, 3, 1] as const;
  /** Settling so often that funding is all but continuous: 1 - exp(-kappa hours). */
  const PARTS = 1e5;

  test.each([
    [1 / 24, [0.632, 0.393, 0.221, 0.118, 0.041]],
    [1 / 8, [0.95, 0.777, 0.528, 0.313, 0.118]],
  ])("kappa of %d an hour, 24, 12, 6, 3 and 1 hours before a print, to 1e-3", (kappa, weights) => {
    for (const [at, hours] of HOURLY.entries())
      expect(Math.abs(lastPrintWeight(kappa / PARTS, hours * PARTS) - (weights[at] ?? 0))).toBeLessThan(1e-3);
  });

  test("settled hourly it is 1 - (1 + kappa)^-n", () => {
    expect(lastPrintWeight(1 / 24, 24)).toBeCloseTo(1 - (24 / 25) ** 24, 12);
    expect(lastPrintWeight(1 / 8, 0)).toBe(0);
    expect(lastPrintWeight(0, 24)).toBe(0);
  });
});

describe("fair value", () => {
  const carry = { lastPrint: 100, nextPrint: 101, drift: 0, kappa: 1 / 24, settlements: 24 };

  test("a day and a moment before a print of 101 after one of 100", () => {
    expect(carryFairValue({ ...carry, kappa: 1 / 24 / 1e5, settlements: 24e5 })).toBeCloseTo(100.368, 3);
    expect(carryFairValue({ ...carry, settlements: 0 })).toBe(101);
  });

  test("expected drift of later prints counts as a series that funding discounts", () => {
    const daily = (24 / 25) ** 24;
    const later = (0.1 * daily) / (1 - daily);
    expect(carryFairValue({ ...carry, drift: 0.1, settlements: 0 })).toBeCloseTo(101 + later, 9);
  });

  const dollars = fc.double({ min: 50, max: 500, noNaN: true });
  const anyCarry = fc.record({
    lastPrint: dollars,
    nextPrint: dollars,
    drift: fc.constant(0),
    kappa: fc.double({ min: 0, max: 1, noNaN: true }),
    settlements: fc.integer({ min: 0, max: 30 }),
    maxFunding: fc.option(fc.double({ min: 0.01, max: 100, noNaN: true }), { nil: undefined }),
  });

  test("law: what the print adds to a position, funding takes until then, capped or not", () => {
    fc.assert(
      fc.property(anyCarry, ({ maxFunding, ...rest }) => {
        const of = maxFunding === undefined ? rest : { ...rest, maxFunding };
        let earned = of.nextPrint - carryFairValue(of);
        for (let left = of.settlements; left > 0; left -= 1) {
          const premium = carryFairValue({ ...of, settlements: left }) - of.lastPrint;
          const paid = Math.min(Math.abs(of.kappa * premium), maxFunding ?? Number.POSITIVE_INFINITY);
          earned -= Math.sign(premium) * paid;
        }
        expect(Math.abs(earned)).toBeLessThan(1e-6);
      }),
    );
  });
});

test("settlements until a print: those after now, the last one included", () => {
  expect(settlementsBetween(100, 3700, 0, 3600)).toBe(1);
  expect(settlementsBetween(0, 3600, 0, 3600)).toBe(1);
  expect(settlementsBetween(3600, 3600, 0, 3600)).toBe(0);
  expect(settlementsBetween(50, 86_450, -20, 3600)).toBe(24);
  expect(settlementsBetween(100, 50, 0, 3600)).toBe(0);
});

describe("perpetuals of Ackerer, Hugonnier and Jermann, as QuantLib tests them", () => {
  const rates = { spot: 10_000, iota: 0.005, quoteRate: 0.04, baseRate: 0.02 };
  const relative = (value: number, wanted: number) => Math.abs(value / wanted - 1);

  test("continuous funding: 10833.3333", () => {
    expect(relative(continuousPerpetual({ ...rates, kappa: 0.2 }), 10_833.333_333)).toBeLessThan(1e-6);
  });

  test("quarterly funding on the previous and the current spot: 10025.1046 and 9975.1038", () => {
    expect(relative(discretePerpetual({ ...rates, kappa: 0.01 }, 0.25, "previous"), 10_025.1046)).toBeLessThan(1e-6);
    expect(relative(discretePerpetual({ ...rates, kappa: 0.01 }, 0.25, "current"), 9975.1038)).toBeLessThan(1e-6);
  });
});
