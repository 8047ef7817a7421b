// The first phase of a search that asks for it: more settings than can race are screened on the first seeds, and the best of them race. Screening
// only chooses; its scores are shown beside the confirming runs, and how far they are off.

import type { Setting } from "../../bot/config/setting.ts";
import { jobsOf, type MarketSpan } from "../backtest.ts";
import type { Cell } from "../grid.ts";
import type { BacktestJob } from "../outcome.ts";
import { meanOf } from "../summary.ts";
import { scoreOf } from "./judge.ts";
import type { Tried } from "./prepare.ts";
import { ALIKE, type RunJobs } from "./tune.ts";

/** More seeds than a race begins with: a screening costs a thirtieth of a run. */
const SEEDS = 5;

export type ScreeningPlan = {
  readonly present: Cell;
  readonly settings: readonly (readonly Setting[])[];
  /** More settings, by the mean scores of these. */
  readonly further: (tried: readonly Tried[]) => Promise<readonly (readonly Setting[])[]>;
  /** How many of them race. */
  readonly racing: number;
  readonly firstSeed: bigint;
  readonly market: MarketSpan;
  readonly approximate: NonNullable<BacktestJob["approximate"]>;
};

export type Screened = {
  /** Best first. */
  readonly racing: readonly (readonly Setting[])[];
  /** The mean screened score of a setting, USDC a day; the present one's has no settings. */
  readonly scores: ReadonlyMap<readonly Setting[], number>;
};

/** The name of the present configuration in `scores`. */
export const PRESENT: readonly Setting[] = [];

/** Null: it was stopped. */
export async function screened(plan: ScreeningPlan, run: RunJobs): Promise<Screened | null> {
  const scores = new Map<readonly Setting[], number>();
  const first = await scoresOf([PRESENT, ...plan.settings], plan, run);
  if (first === null) return null;
  const more = await plan.further(first.slice(1));
  const second = await scoresOf(more, plan, run);
  if (second === null) return null;
  for (const { settings, score } of [...first, ...second]) scores.set(settings, score);
  const scoreOfSetting = (settings: readonly Setting[]): number => scores.get(settings) ?? Number.NEGATIVE_INFINITY;
  const ranked = [...plan.settings, ...more].toSorted((a, b) => scoreOfSetting(b) - scoreOfSetting(a));
  return { racing: ranked.slice(0, plan.racing), scores };
}

async function scoresOf(
  all: readonly (readonly Setting[])[],
  { present, firstSeed, market, approximate }: ScreeningPlan,
  run: RunJobs,
): Promise<readonly Tried[] | null> {
  const cells = all.map((settings) => ({ ...present, settings }));
  const outcomes = await run(jobsOf({ cells, firstSeed, seeds: SEEDS, markets: [market], ...ALIKE, approximate }));
  if (outcomes === null) return null;
  return all.map((settings, nth) => ({
    settings,
    score: meanOf(outcomes.slice(nth * SEEDS, (nth + 1) * SEEDS).map(scoreOf)),
  }));
}
