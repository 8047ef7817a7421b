// A size times a number: what a strategy writes instead of `size * 10`.

import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../src/domain/rounding.ts";
import { size } from "../../../src/domain/units.ts";

test.each([
  [500_000n, 10, 5_000_000n],
  [500_000n, 1.5, 750_000n],
  [300_000n, 0.1, 30_000n],
  [3n, 0.5, 1n],
  [-3n, 0.5, -1n],
  [500_000n, -1, -500_000n],
  [1n << 60n, 3, 3n << 60n],
  [500_000n, 0, 0n],
])("%d units x %d", (units, factor, product) => {
  expect(scaled(size(units), factor)).toBe(product);
});

test("law: x hundredths is the exact product, truncated toward zero", () => {
  fc.assert(
    fc.property(
      fc.bigInt(-10_000_000_000n, 10_000_000_000n),
      fc.integer({ min: -1000, max: 1000 }),
      (units, hundredths) => {
        expect(scaled(size(units), hundredths / 100)).toBe((units * BigInt(hundredths)) / 100n);
      },
    ),
  );
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])("forbidden: %d times", (factor) => {
  expect(() => scaled(size(1n), factor)).toThrow(RangeError);
});
