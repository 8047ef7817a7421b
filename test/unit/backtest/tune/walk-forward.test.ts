// Folds never train on what they test, leave out what says something of both, and say why there are too few blocks.

import { expect, test } from "vitest";
import { foldsOf } from "../../../../src/backtest/tune/walk-forward.ts";
import { HOUR_MS } from "../../../../src/kernel/clock.ts";

const hourly = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ fromMs: nth * HOUR_MS, toMs: (nth + 1) * HOUR_MS }));

test("each training ends a half-life and one print before its test, and later ones have all that came before", () => {
  const blocks = hourly(50);
  const folds = foldsOf(blocks, 3 * HOUR_MS);
  if (typeof folds === "string") throw new Error(folds);
  expect(folds.map(({ train }) => train.length)).toEqual([7, 17, 27, 37]);
  expect(folds.map(({ test: of }) => [of[0], of.at(-1)])).toEqual([
    [11, 19],
    [21, 29],
    [31, 39],
    [41, 49],
  ]);
  for (const { train, test: of } of folds) {
    const [last = 0, first = 0] = [train.at(-1), of[0]];
    expect(train).toEqual(train.map((_, nth) => nth));
    expect(first - last - 1).toBe(4);
  }
});

test("a pause between recordings counts as time that passes", () => {
  const blocks = hourly(50).map(({ fromMs, toMs }, nth) => {
    const pause = nth >= 9 ? 100 * HOUR_MS : 0;
    return { fromMs: fromMs + pause, toMs: toMs + pause };
  });
  const folds = foldsOf(blocks, 3 * HOUR_MS);
  if (typeof folds === "string") throw new Error(folds);
  expect(folds[0]?.train).toHaveLength(9);
});

test("too few blocks, or a premium that lasts too long, are a sentence", () => {
  expect(foldsOf(hourly(20), 0)).toMatch(
    /^20 blocks from print to print leave 4 for the first pick and 12 for the test; each needs 6$/,
  );
  expect(foldsOf(hourly(50), 6 * HOUR_MS)).toMatch(/leave 4 for the first pick/);
  expect(foldsOf([], 0)).toMatch(/^0 blocks/);
});
