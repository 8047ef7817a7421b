// What a Gaussian process proposes by the scores of points that were tried.

import fc from "fast-check";
import { expect, test } from "vitest";
import { halfOf95, meanOf } from "../../../../src/backtest/summary.ts";
import { sobolPoints } from "../../../../src/backtest/tune/sobol.ts";
import { type Point, promising } from "../../../../src/backtest/tune/surrogate.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

const pointsIn = (dimensions: number, count: number): readonly Point[] => [...sobolPoints(dimensions).take(count)];

/** A hill of height 1 with its top anywhere. */
function hillIn(dimensions: number, width: number, seed: bigint): (point: Point) => number {
  const prng = createPrng(seed);
  const top = Array.from({ length: dimensions }, () => prng.float());
  return (point) => Math.exp(-point.reduce((sum, at, nth) => sum + ((at - (top[nth] ?? 0)) / width) ** 2, 0) / 2);
}

test.each([
  [2, 0.25],
  [4, 0.4],
])(
  "in %i dimensions the best of what it proposes is higher than the best of as many even points",
  (dimensions, width) => {
    const [tried, pool] = [pointsIn(dimensions, 20), pointsIn(dimensions, 300).slice(20)];
    const gains = Array.from({ length: 40 }, (_, nth) => {
      const hill = hillIn(dimensions, width, BigInt(nth));
      const scored = tried.map((point) => ({ point, score: hill(point) }));
      const proposed = [...promising(scored, pool).take(20)].map((at) => hill(pool[at] ?? []));
      return Math.max(...proposed) - Math.max(...pool.slice(0, 20).map(hill));
    });
    expect(meanOf(gains) - (halfOf95(gains) ?? Number.NaN)).toBeGreaterThan(0);
  },
);

test("it goes on where it can learn most when all scores are equal", () => {
  const tried = [[0.1], [0.2], [0.3]].map((point) => ({ point, score: 5 }));
  const pool = [[0.15], [0.25], [0.95]];
  expect(promising(tried, pool).next().value).toBe(2);
});

test("a dimension in which nothing changes does not keep it from the others", () => {
  const tried = pointsIn(2, 24).map((point) => ({ point, score: -(((point[0] ?? 0) - 0.3) ** 2) }));
  const pool = pointsIn(2, 200).slice(24);
  const [first = -1] = promising(tried, pool);
  expect(Math.abs((pool[first]?.[0] ?? 1) - 0.3)).toBeLessThan(0.1);
});

test("a property: every point of the pool comes once, in the same order again, whatever the scores", () => {
  const coordinate = fc.double({ min: 0, max: 1, noNaN: true });
  const pointArb = fc.tuple(coordinate, coordinate);
  const score = fc.oneof(fc.constant(0), fc.double({ min: -1e6, max: 1e6, noNaN: true }));
  fc.assert(
    fc.property(
      fc.array(fc.record({ point: pointArb, score }), { minLength: 2, maxLength: 12 }),
      fc.array(pointArb, { maxLength: 12 }),
      (tried, pool) => {
        const order = [...promising(tried, pool)];
        expect(order.toSorted((a, b) => a - b)).toEqual(pool.map((_, at) => at));
        expect([...promising(tried, pool)]).toEqual(order);
      },
    ),
    { numRuns: 200 },
  );
});
