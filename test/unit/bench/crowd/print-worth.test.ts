// What a contract is worth to the rule on the premium that forecasts prints.

import { expect, test } from "vitest";
import { type Counted, PrintWorth } from "../../../../bench/crowd/print-worth.ts";
import { price } from "../../../../src/domain/units.ts";

const DAY_MS = 86_400_000;
const times = { printEverySecs: 86_400, fundingIntervalSecs: 3600, premiumPeriodSecs: 86_400 };
const print = price(20_000_000_000n);
const rising = Array.from({ length: 100 }, (_, day) => 1000 * 1.001 ** day);

const worthAt = (logicalMs: number, counted: Counted, history: readonly number[] = rising): number =>
  new PrintWorth(counted, times, history).usdAt(print, logicalMs);

test("of an index that rises each day it is above the print, and further by all expected prints than by the next one", () => {
  const [next, path] = [worthAt(0, "next"), worthAt(0, "path")];
  expect(next).toBeGreaterThan(200.05);
  expect(path).toBeGreaterThan(next + 0.04);
});

test("the premium over the print is what 24 settlements of a twenty-fourth leave of that just before the next one", () => {
  const [after, before] = [worthAt(0, "next"), worthAt(DAY_MS - 1000, "next")];
  expect((after - 200) / (before - 200)).toBeCloseTo((24 / 25) ** 23, 6);
});

test("forecasts of the level at which the history was: its last print is the first of the run", () => {
  expect(
    worthAt(
      0,
      "path",
      rising.map((usd) => 7 * usd),
    ),
  ).toBeCloseTo(worthAt(0, "path"), 9);
});

test("before three prints nothing is expected", () => {
  expect(worthAt(0, "path", [])).toBe(200);
});
