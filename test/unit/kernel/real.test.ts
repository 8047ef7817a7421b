// Logarithm and exponential from exactly rounded operations, against those of the machine.

import { describe, expect, test } from "vitest";
import { createPrng } from "../../../src/kernel/prng.ts";
import { exp, ln } from "../../../src/kernel/real.ts";

const random = createPrng(11n);
const relativeError = (value: number, wanted: number): number => Math.abs(value / wanted - 1);

describe("ln", () => {
  test("agrees with the machine's within a few units in the last place, over all magnitudes", () => {
    for (let n = 0; n < 2000; n += 1) {
      const x = (random.float() + 2 ** -60) * 2 ** (random.below(1200) - 600);
      expect(relativeError(ln(x), Math.log(x))).toBeLessThan(1e-14);
    }
  });

  test.each([
    [1, 0],
    [0, Number.NEGATIVE_INFINITY],
    [-1, Number.NaN],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [Number.NaN, Number.NaN],
  ])("ln(%d) is %d", (x, value) => {
    expect(ln(x)).toBe(value);
  });

  test("the smallest double", () => {
    expect(ln(Number.MIN_VALUE)).toBeCloseTo(-744.440_07, 4);
  });
});

describe("exp", () => {
  test("agrees with the machine's within a few units in the last place", () => {
    for (let n = 0; n < 2000; n += 1) {
      const x = (random.float() - 0.5) * 1400;
      expect(relativeError(exp(x), Math.exp(x))).toBeLessThan(1e-14);
    }
  });

  test.each([
    [0, 1],
    [1000, Number.POSITIVE_INFINITY],
    [-1000, 0],
    [Number.NaN, Number.NaN],
  ])("exp(%d) is %d", (x, value) => {
    expect(exp(x)).toBe(value);
  });
});
