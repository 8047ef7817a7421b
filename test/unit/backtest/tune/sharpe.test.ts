// The deflated Sharpe ratio: the paper's own example, and what luck makes of trials without skill.

import { expect, test } from "vitest";
import { deflatedSharpe, deflatedSharpeOf, expectedMaximum } from "../../../../src/backtest/tune/sharpe.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

/** A year's ratio of 2.5 over five years of 250 days, with a variance of one half among the trials. */
const example = { sharpe: 2.5 / Math.sqrt(250), observations: 1250, skew: -3, kurtosis: 10, variance: 0.5 / 250 };

test("the example of Bailey and López de Prado: 100 trials are too many to believe it, 46 are not", () => {
  expect(expectedMaximum(example.variance, 100)).toBeCloseTo(0.1132, 4);
  expect(deflatedSharpe({ ...example, trials: 100 })).toBeCloseTo(0.9004, 3);
  expect(deflatedSharpe({ ...example, trials: 46 })).toBeCloseTo(0.9505, 3);
});

test("the best of many trials without skill is seldom believed, one with skill is", () => {
  const prng = createPrng(3n);
  let believed = 0;
  for (let search = 0; search < 200; search += 1) {
    const trials = Array.from({ length: 20 }, () => Array.from({ length: 60 }, () => prng.gaussian()));
    const best = trials.reduce((one, other) => (sum(other) > sum(one) ? other : one));
    if ((deflatedSharpeOf(best, trials) ?? 0) >= 0.95) believed += 1;
  }
  expect(believed / 200).toBeLessThan(0.065);
  const trials = Array.from({ length: 20 }, () => Array.from({ length: 60 }, () => prng.gaussian()));
  const skilled = trials[0]?.map((value) => value + 0.9) ?? [];
  expect(deflatedSharpeOf(skilled, [skilled, ...trials.slice(1)])).toBeGreaterThan(0.95);
});

test("what never varies has none, nor has a single value", () => {
  expect(deflatedSharpeOf([1, 1, 1], [[1, 1, 1]])).toBeNull();
  expect(deflatedSharpeOf([1], [[1]])).toBeNull();
});

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
