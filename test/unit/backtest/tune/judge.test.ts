// The verdict of a search: differences on equal seeds, and what skew does to their certainty.

import { expect, test } from "vitest";
import { differencesFrom } from "../../../../src/backtest/tune/judge.ts";

const SEEDS = 12;
const present = Array.from({ length: SEEDS }, () => 0);
const judged = (scores: readonly number[]) => differencesFrom(present, [scores])[0];
/** Mean 1, with one value far out: below for -1, above for 1. */
const skewed = (side: 1 | -1, mean = 1): readonly number[] => {
  const values = Array.from({ length: SEEDS }, (_, nth) => (nth === 0 ? side * 4 : 0.5 * Math.cos(nth)));
  const shift = mean - values.reduce((sum, value) => sum + value, 0) / SEEDS;
  return values.map((value) => value + shift);
};

test("the same mean and deviation are less sure where a rare run loses much, and no surer where it gains much", () => {
  const [below, above] = [judged(skewed(-1)), judged(skewed(1))];
  expect(below?.difference.mean).toBe(1);
  expect(above?.difference.mean).toBe(1);
  const symmetric = Array.from({ length: SEEDS }, (_, nth) => (nth % 2 === 0 ? 1 : -1));
  const deviation = (scores: readonly number[]) => Math.sqrt(scores.reduce((sum, score) => sum + (score - 1) ** 2, 0));
  const scale = deviation(skewed(1)) / Math.sqrt(SEEDS);
  const plain = judged(symmetric.map((value) => 1 + scale * value));
  expect(plain?.difference.p).toBeCloseTo(above?.difference.p ?? 0, 1);
  expect(below?.difference.p).toBeGreaterThan(plain?.difference.p ?? 1);
});

test("a lead far beyond chance is better, skewed or not", () => {
  for (const side of [1, -1] as const) expect(judged(skewed(side, 20))?.verdict).toBe("better");
  expect(judged(present.map(() => 1))).toMatchObject({ verdict: "better", difference: { p: 0 } });
  expect(judged(skewed(1, -20))?.verdict).toBe("worse");
});

test("no difference is none", () => {
  expect(judged(present)).toMatchObject({ verdict: "unclear", difference: { mean: 0, p: 1 } });
});
