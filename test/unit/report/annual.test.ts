// A year's figures and falls below the best, by the formulas of docs/how-pnl-is-valued.md.

import { expect, test } from "vitest";
import { annualOf, annualTexts, fallsOf, SHARPE_DAYS_MIN } from "../../../src/report/annual.ts";

test("a year is 365 times the mean day, not compounded; its deviation 365 ** 0.5 times that of a day", () => {
  const days = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 3 : -1));
  const deviation = Math.sqrt((365 * 40 * 4) / 39);
  const found = annualOf(days);
  expect(found).toMatchObject({ days: 40, pnl: 365 });
  expect(found?.deviation).toBeCloseTo(deviation, 9);
  expect(found?.sharpe).toBeCloseTo(365 / deviation, 9);
  expect(annualTexts(found)).toEqual([`+365.00 a year by 40 days, Sharpe ratio ${(365 / deviation).toFixed(2)}`]);
});

test("one day tells nothing of a year, and fewer than 30 no Sharpe ratio; nor do equal days", () => {
  expect(annualOf([])).toBeNull();
  expect(annualOf([5])).toBeNull();
  expect(annualTexts(null)).toEqual([]);
  expect(annualOf([5, 6])).toMatchObject({ days: 2, sharpe: null });
  const days = Array.from({ length: SHARPE_DAYS_MIN }, (_, at) => at);
  expect(annualOf(days.slice(1))?.sharpe).toBeNull();
  expect(annualOf(days)?.sharpe).toBeGreaterThan(0);
  expect(annualOf(days.map(() => 1))).toMatchObject({ deviation: 0, sharpe: null });
});

test("falls count from the start: a loss on the first day is one", () => {
  expect(fallsOf([90n, 95n, 110n, 105n], 100n)).toEqual([-10n, -5n, 0n, -5n]);
  expect(fallsOf([101n, 102n], 100n)).toEqual([0n, 0n]);
  expect(fallsOf([], 100n)).toEqual([]);
});
