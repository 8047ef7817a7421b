// The bank of the nowcast on made indices: what an index that averages over a window gains from it, and what others pay for that.

import { describe, expect, test } from "vitest";
import { type SteppedPrint, walkForward } from "../../../../src/bot/strategy/walk-forward.ts";
import { autoregression, averageOf, meanOf, printsOf, randomWalk } from "../../../support/print-series.ts";

const SEEDS = Array.from({ length: 20 }, (_, at) => 6101 + at);

const scoreOf = (prints: readonly SteppedPrint[]) => {
  const score = walkForward(prints, 60);
  if (score === null) throw new Error("nothing was scored");
  return score;
};

/** `before`: the mean ratio of the 27 ARMA(1,1) alone, each with the same weight, on the same 20 series. */
describe("the error of the next print over that of no change, mean of 20 series", () => {
  test("on a random walk is at most 0.5 % larger", () => {
    expect(meanOf(SEEDS.map((seed) => scoreOf(printsOf(randomWalk, seed)).rmseRatio))).toBeLessThanOrEqual(1.005);
  });

  test.each([
    { name: "AR(1) of 0.3", law: autoregression(0.3), before: 0.9615 },
    { name: "AR(1) of 0.8", law: autoregression(0.8), before: 0.6061 },
    { name: "AR(2)", law: autoregression(1.2, -0.4), before: 0.4985 },
  ])("on $name is at most 0.5 % larger than without the averages", ({ law, before }) => {
    expect(meanOf(SEEDS.map((seed) => scoreOf(printsOf(law, seed)).rmseRatio))).toBeLessThanOrEqual(1.005 * before);
  });

  test.each([
    { days: 6, before: 0.5552 },
    { days: 8, before: 0.489 },
    { days: 15, before: 0.3609 },
    { days: 22, before: 0.2993 },
  ])("on an average of $days prints is a fifth smaller than without them", ({ days, before }) => {
    const ratio = meanOf(SEEDS.map((seed) => scoreOf(printsOf(averageOf(days), seed)).rmseRatio));
    expect(ratio).toBeLessThanOrEqual(0.8 * before);
  });
});

test.each([
  { name: "a random walk", law: randomWalk },
  { name: "an average of 8 prints", law: averageOf(8) },
])("intervals on $name with volatile spells hold between 91 and 97 % of the prints", ({ law }) => {
  for (const seed of SEEDS.slice(0, 6)) {
    const { coverage95 } = scoreOf(printsOf(law, seed, { hasSpells: true }));
    expect(coverage95).toBeGreaterThanOrEqual(0.91);
    expect(coverage95).toBeLessThanOrEqual(0.97);
  }
});
