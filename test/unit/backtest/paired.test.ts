// The best setting against the others: paired by seed, corrected for their number, and unclear where chance explains it.

import { expect, test } from "vitest";
import { anytimeP } from "../../../src/backtest/chance.ts";
import type { RunLine } from "../../../src/backtest/outcome.ts";
import { differencesOf } from "../../../src/backtest/paired.ts";
import { differencesText } from "../../../src/backtest/table.ts";
import { createPrng } from "../../../src/kernel/prng.ts";
import { studentP, studentT95 } from "../../../src/kernel/student.ts";
import { outcomeOf } from "./report/outcome.ts";

/** Runs of one setting: a PnL per seed, from seed 1 on. */
const cell = (size: number, pnls: readonly number[]): readonly RunLine[] =>
  pnls.map((pnl, nth) => ({ ...outcomeOf(nth + 1, { "x.size": size }).line, pnl: `${pnl}` }));

test.each([
  // Any table of Student's t.
  [12.706, 1, 0.05],
  [4.303, 2, 0.05],
  [2.571, 5, 0.05],
  [2.228, 10, 0.05],
  [3.169, 10, 0.01],
  [2.861, 19, 0.01],
  [1, 1, 0.5],
  [0, 7, 1],
])("%d standard errors at %d degrees of freedom: chance %d", (t, degrees, p) => {
  expect(studentP(t, degrees)).toBeCloseTo(p, 4);
  expect(studentP(-t, degrees)).toBe(studentP(t, degrees));
});

test("the interval is where chance is 5 %, within the table and beyond it", () => {
  for (const degrees of [1, 2, 3, 19, 30, 31, 99]) expect(studentP(studentT95(degrees), degrees)).toBeCloseTo(0.05, 4);
});

test("worlds that differ by far more than the settings do not hide a difference", () => {
  const worlds = [-400, 250, 90, -30, 310, 180, -220, 60, -90, 130, -350, 40];
  const [difference] = differencesOf([
    ...cell(
      1,
      worlds.map((world) => world),
    ),
    ...cell(
      2,
      worlds.map((world, nth) => world + 5 + 0.1 * (nth % 4)),
    ),
  ]);
  expect(difference).toMatchObject({
    set: { "x.size": 2 },
    than: { "x.size": 1 },
    seeds: 12,
    mean: 5.15,
    verdict: "better",
  });
  const [low, high] = difference?.ci95 ?? [];
  // Deviation of 0, 0.1, 0.2, 0.3, three times each: 0.116775; t at eleven degrees: 2.201.
  expect([low, high]).toEqual([expect.closeTo(5.15 - 0.0742, 3), expect.closeTo(5.15 + 0.0742, 3)]);
});

test("Holm: the smallest p counts once for every pair of settings, the next once less", () => {
  const best = [10, 12, 11, 9, 13, 10.5, 11.5, 10, 12, 9.5, 11, 12.5];
  const runs = [
    ...cell(1, best),
    ...cell(
      2,
      best.map((pnl, nth) => pnl - [3, 5, 2, 6, 4, 2.5, 3.5, 4, 5, 3, 4.5, 2.5][nth]!),
    ),
    ...cell(
      3,
      best.map((pnl, nth) => pnl - [2, 1, 3, 1, 0.5, 4, 2, 3, 1, 2.5, 0, 3][nth]!),
    ),
  ];
  const [second, third] = differencesOf(runs);
  const alone = differencesOf(runs.filter(({ set }) => set["x.size"] !== 3))[0]?.p ?? 0;
  const other = differencesOf(runs.filter(({ set }) => set["x.size"] !== 2))[0]?.p ?? 0;
  expect(alone).toBeLessThan(other);
  expect(second?.p).toBeCloseTo(3 * alone, 5);
  expect(third?.p).toBeCloseTo(2 * other, 5);
});

test("among forty settings that are all the same, the best is seldom called better", () => {
  const prng = createPrng(11n);
  let wrong = 0;
  for (let sweep = 0; sweep < 100; sweep += 1) {
    const runs = Array.from({ length: 40 }, (_, nth) =>
      cell(
        nth,
        Array.from({ length: 12 }, () => prng.gaussian()),
      ),
    );
    if (differencesOf(runs.flat()).some(({ verdict }) => verdict === "better")) wrong += 1;
  }
  // 5 % of a hundred, and three deviations.
  expect(wrong).toBeLessThanOrEqual(11);
});

test("one setting has nothing to compare; one seed no verdict; seeds that one of them lacks are left out", () => {
  expect(differencesOf(cell(1, [1, 2]))).toEqual([]);
  expect(differencesText(cell(1, [1, 2]))).toBe("");
  expect(differencesOf([...cell(1, [1]), ...cell(2, [5])])).toMatchObject([
    { seeds: 1, mean: 4, ci95: [null, null], p: null, verdict: "unclear" },
  ]);
  expect(differencesOf([...cell(1, [1, 2, 3]), ...cell(2, [5, 7])])).toMatchObject([{ seeds: 2, mean: 4.5 }]);
  const same = Array.from({ length: 12 }, () => 4);
  expect(differencesOf([...cell(1, same), ...cell(2, same)])).toMatchObject([{ p: 1, verdict: "unclear" }]);
});

test("below twelve seeds there is no p, however clear the lead", () => {
  const lead = Array.from({ length: 12 }, (_, nth) => 5 + 0.1 * nth);
  const level = lead.map(() => 0);
  const differing = (seeds: number) =>
    differencesOf([...cell(1, level.slice(0, seeds)), ...cell(2, lead.slice(0, seeds))]);
  expect(differing(11)).toMatchObject([{ seeds: 11, p: null, verdict: "unclear" }]);
  expect(differing(12)).toMatchObject([{ seeds: 12, verdict: "better" }]);
  expect(differing(12)[0]?.p).toBeCloseTo(anytimeP(lead) ?? 1, 5);
});

test("in recordings the pairs are stretches from print to print, and one recording is enough for a verdict", () => {
  const recorded = (size: number, recording: string, pnls: readonly number[]): RunLine => ({
    ...outcomeOf(1, { "x.size": size }).line,
    recording,
    pnl: `${pnls.reduce((sum, pnl) => sum + pnl, 0)}`,
    blocks: pnls.map((pnl, nth) => ({ fromMs: nth, toMs: nth + 1, pnl, closingCost: 0, markets: [] })),
  });
  const base = [-40, 25, 9, -3, 31, -12, 7, 18, -6, 11, -15, 2];
  const ahead = base.map((pnl, nth) => pnl + 1 + 0.1 * (nth % 4));
  expect(differencesOf([recorded(1, "a", base), recorded(2, "a", ahead)])).toMatchObject([
    { set: { "x.size": 2 }, seeds: 1, blocks: 12, mean: 13.8, verdict: "better" },
  ]);
  const halves = (size: number, pnls: readonly number[]) => [
    recorded(size, "a", pnls.slice(0, 6)),
    recorded(size, "b", pnls.slice(6)),
  ];
  const [split] = differencesOf([...halves(1, base), ...halves(2, ahead)]);
  expect(split).toMatchObject({ seeds: 2, blocks: 12, mean: 6.9, verdict: "better" });
  // A recording that only one of them has, and too few prints, say nothing.
  expect(differencesOf([recorded(1, "a", base), recorded(2, "b", ahead)])).toMatchObject([
    { seeds: 0, blocks: 0, mean: null, p: null, verdict: "unclear" },
  ]);
  expect(differencesOf([recorded(1, "a", base.slice(0, 5)), recorded(2, "a", ahead.slice(0, 5))])).toMatchObject([
    { blocks: 5, ci95: [null, null], p: null, verdict: "unclear" },
  ]);
  const [few] = differencesOf([recorded(1, "a", base.slice(0, 11)), recorded(2, "a", ahead.slice(0, 11))]);
  expect(few).toMatchObject({
    blocks: 11,
    ci95: [expect.any(Number), expect.any(Number)],
    p: null,
    verdict: "unclear",
  });
});
