// What a search finds where the truth is known: the race and the verdict of `quoin tune` over resampled scores of real runs.

import { expect, test } from "vitest";
import type { Outcome } from "../../../../src/backtest/outcome.ts";
import { halfOf95, meanOf } from "../../../../src/backtest/summary.ts";
import type { Tried } from "../../../../src/backtest/tune/prepare.ts";
import { type RacePlan, racePlan } from "../../../../src/backtest/tune/race.ts";
import { sobolPoints } from "../../../../src/backtest/tune/sobol.ts";
import { type Point, promising } from "../../../../src/backtest/tune/surrogate.ts";
import { type Tuned, tune } from "../../../../src/backtest/tune/tune.ts";
import type { Setting } from "../../../../src/bot/config/setting.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { centered, SETTINGS, scores, type Table, truth } from "./score-table.ts";

const PATH = "accounts.1.markets.1.params.setting";
const settingOf = (value: number): readonly Setting[] => [{ path: PATH, value }];
const numbered = (count: number) => Array.from({ length: count }, (_, nth) => settingOf(nth + 1));

type Searched = { readonly tuned: Tuned; readonly searchRuns: number; readonly runs: number };

/**
 * `scoreOf`: of a setting, 0 the present one, on a seed from 0; the confirming seeds follow those of the search. `points`: where the settings
 * lie, from the first that is tried; half of them race as the scores of the others promise. Default: all race.
 */
async function searched(
  race: RacePlan,
  seeds: number,
  scoreOf: (setting: number, seed: number) => number,
  points: readonly Point[] = [],
): Promise<Searched> {
  let [searchRuns, runs] = [0, 0];
  const half = Math.ceil((race.settings - 1) / 2);
  const further = async (tried: readonly Tried[]) => {
    const pool = points.slice(half);
    const scored = tried.map(({ score }, nth) => ({ point: points[nth] ?? [], score }));
    return [...promising(scored, pool).take(race.settings - 1 - half)].map((at) => settingOf(half + at + 1));
  };
  const plan = {
    present: { file: "bot.yaml", name: null, settings: [], sources: [] },
    others: numbered(points.length === 0 ? race.settings - 1 : half),
    ...(points.length === 0 ? {} : { further }),
    race,
    firstSeed: 0n,
    seeds,
    days: 1,
    warmUpDays: 0,
    constraints: {},
  };
  const tuned = await tune(
    plan,
    async (jobs) => {
      runs += jobs.length;
      searchRuns += jobs.filter(({ seed }) => Number(seed) < seeds).length;
      return jobs.map(({ settings, seed }) => outcomeOf(scoreOf(Number(settings[0]?.value ?? 0), Number(seed))));
    },
    () => {},
  );
  if (tuned === null) throw new Error("nothing stopped the search");
  return { tuned, searchRuns, runs };
}

/** A run of a day with that score. */
function outcomeOf(score: number): Outcome {
  const markets = [{ accountId: "1", marketId: 1, fills: 1, positionStd: 1, quoteUptime: 1, actionsPerDay: 1 }];
  const line = { days: 1, pnlAtClose: `${score}`, worstDayAtClose: "0", markets };
  return { line, curves: { days: [] } } as unknown as Outcome;
}

const numberOf = (set: Readonly<Record<string, unknown>>): number => Number(set[PATH] ?? 0);

/** Whole rows, so that what the settings of a world share stays. */
function drawnFrom(table: Table, count: number, below: (n: number) => number): Table {
  return Array.from({ length: count }, () => table[below(table.length)] ?? []);
}

type Found = {
  readonly searches: number;
  readonly add?: readonly [setting: number, score: number];
  readonly isHonest?: boolean;
};

/** Numbers of the winners; null: none. `add`: makes a setting better. `isHonest` false: confirmed on the seeds of the search. */
async function winnersOf(seeds: number, { searches, add: [best, more] = [0, 0], isHonest = true }: Found) {
  const { below } = createPrng(61n);
  const winners: (number | null)[] = [];
  for (let nth = 0; nth < searches; nth += 1) {
    const rows = drawnFrom(centered, 2 * seeds, below);
    const { tuned } = await searched(
      { ...racePlan(SETTINGS * seeds, seeds), settings: SETTINGS },
      seeds,
      (setting, seed) => (rows[isHonest ? seed : seed % seeds]?.[setting] ?? 0) + (setting === best ? more : 0),
    );
    winners.push(tuned.line.winner && numberOf(tuned.line.winner.set));
  }
  return winners;
}

const falseShare = (winners: readonly (number | null)[]): number =>
  winners.filter((winner) => winner !== null).length / winners.length;

test("of 1,000 searches over equally good settings at most 6.5 % call one better, with 20 seeds", async () => {
  expect(falseShare(await winnersOf(20, { searches: 1000 }))).toBeLessThanOrEqual(0.065);
});

test("confirmed on the seeds of the search, more would be called better", async () => {
  expect(falseShare(await winnersOf(20, { searches: 500, isHonest: false }))).toBeGreaterThan(0.065);
});

test("a setting that earns 20 USDC a day more is found in nine of ten searches", async () => {
  const winners = await winnersOf(20, { searches: 200, add: [5, 20] });
  expect(winners.filter((winner) => winner === 5).length / winners.length).toBeGreaterThanOrEqual(0.9);
});

test("on a known surface a search is within 2 % of the best, with at most 15 % of the grid's runs", async () => {
  const [seeds, side, spread] = [40, 16, 50];
  const worth = (x: number, y: number): number => spread * (1 - (x - 0.3) ** 2 - (y - 0.7) ** 2);
  const axis = Array.from({ length: side }, (_, nth) => (nth + 0.5) / side);
  const grid = axis.flatMap((x) => axis.map((y) => worth(x, y)));
  const [best, worst] = [Math.max(...grid), Math.min(...grid)];
  const race = racePlan(Math.floor(0.15 * grid.length * seeds), seeds);
  // The present configuration is poor.
  const points = [[0.05, 0.05], ...sobolPoints(2).take(race.settings - 1)].map(([x = 0, y = 0]) => worth(x, y));
  const { below } = createPrng(62n);
  const regrets: number[] = [];
  for (let nth = 0; nth < 200; nth += 1) {
    const rows = drawnFrom(centered, 2 * seeds, below);
    const { tuned, runs } = await searched(
      race,
      seeds,
      (setting, seed) => (points[setting] ?? 0) + (rows[seed]?.[setting % SETTINGS] ?? 0),
    );
    expect(runs).toBeLessThanOrEqual(0.15 * grid.length * seeds);
    const found = numberOf(tuned.line.winner?.set ?? {});
    regrets.push((best - (points[found] ?? 0)) / (best - worst));
  }
  expect(meanOf(regrets)).toBeLessThanOrEqual(0.02);
});

test("of 1,000 searches that follow the scores at most 6.5 % call one of equally good settings better", async () => {
  const points = [...sobolPoints(3).take(200)];
  const { below } = createPrng(64n);
  let found = 0;
  for (let nth = 0; nth < 1000; nth += 1) {
    const rows = drawnFrom(centered, 40, below);
    const { tuned } = await searched(
      { ...racePlan(SETTINGS * 20, 20), settings: SETTINGS },
      20,
      (setting, seed) => rows[seed]?.[setting % SETTINGS] ?? 0,
      points,
    );
    if (tuned.line.winner !== null) found += 1;
  }
  expect(found / 1000).toBeLessThanOrEqual(0.065);
});

test("on hills in four dimensions a search that follows the scores finds more than one over even points, with as many runs", async () => {
  const [seeds, spread] = [20, 50];
  const race = racePlan(16 * seeds, seeds);
  const points = [...sobolPoints(4).take(500)];
  const prng = createPrng(65n);
  const gains: number[] = [];
  for (let nth = 0; nth < 60; nth += 1) {
    const top = Array.from({ length: 4 }, () => prng.float());
    const worth = points.map(
      (point) => spread * Math.exp(-point.reduce((sum, at, k) => sum + ((at - (top[k] ?? 0)) / 0.35) ** 2, 0) / 2),
    );
    const rows = drawnFrom(centered, 2 * seeds, prng.below);
    // The present configuration is worth nothing.
    const scoreOf = (setting: number, seed: number): number =>
      (worth[setting - 1] ?? 0) + (rows[seed]?.[setting % SETTINGS] ?? 0);
    const worthOf = ({ tuned }: Searched): number => worth[numberOf(tuned.line.winner?.set ?? {}) - 1] ?? 0;
    const [even, led] = [await searched(race, seeds, scoreOf), await searched(race, seeds, scoreOf, points)];
    expect(led.searchRuns).toBeLessThanOrEqual(race.searchRuns);
    gains.push(worthOf(led) - worthOf(even));
  }
  expect(meanOf(gains) - (halfOf95(gains) ?? Number.NaN)).toBeGreaterThan(0);
});

test.each([20, 40])(
  "of 16 settings a race with 90 % of the runs picks as well as all runs do, %i seeds",
  async (seeds) => {
    const { below } = createPrng(63n);
    const more: number[] = [];
    let runs = 0;
    for (let nth = 0; nth < 300; nth += 1) {
      const rows = drawnFrom(scores, 2 * seeds, below);
      const race = { settings: SETTINGS, searchRuns: Math.floor(0.9 * SETTINGS * seeds), finalists: 1 };
      const { tuned, searchRuns } = await searched(race, seeds, (setting, seed) => rows[seed]?.[setting] ?? 0);
      runs += searchRuns;
      // The present configuration is confirmed beside the leader, and is not one.
      const leader = tuned.candidates.find(({ confirmed, set }) => confirmed && numberOf(set) > 0);
      const means = truth.map((_, setting) => meanOf(rows.slice(0, seeds).map((row) => row[setting] ?? 0)));
      const picked = means.indexOf(Math.max(...means.slice(1)), 1);
      more.push((truth[picked] ?? 0) - (truth[numberOf(leader?.set ?? {})] ?? 0));
    }
    expect(runs / (300 * SETTINGS * seeds)).toBeLessThanOrEqual(0.9);
    expect(meanOf(more) - (halfOf95(more) ?? 0), "regret beyond that of all runs").toBeLessThanOrEqual(0);
  },
);
