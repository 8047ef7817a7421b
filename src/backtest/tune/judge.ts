// How runs of a setting are judged: one score per run, the limits that a setting must keep, and whether it beats the present one on seeds
// that the search never saw.

import type { Setting } from "../../bot/config/setting.ts";
import { fixedP, holm, LEVEL } from "../chance.ts";
import type { Outcome, RunLine } from "../outcome.ts";
import { halfOf95, meanOf, rounded, sumOf } from "../summary.ts";
import { placeOf } from "./space.ts";

/** Share of the bad days' loss that is subtracted from the total profit. */
const PENALTY = 0.5;
const WORST_SHARE = 0.1;

/** Limits that a setting keeps; undefined: none. */
export type Constraints = {
  /** USDC, for the worst day of all runs, positions closed at its end. */
  readonly worstDayMin?: number | undefined;
  /** Contracts, for the market with the largest, mean over runs. */
  readonly positionStdMax?: number | undefined;
  /** Share of the time with both sides quoted, for the market with the least, mean over runs. */
  readonly uptimeMin?: number | undefined;
  /** All markets together, mean over runs. */
  readonly actionsMax?: number | undefined;
};

/** Figures of a setting over its runs, in USDC and contracts; profits with the positions closed. */
export type Figures = {
  readonly runs: number;
  /** USDC per run. */
  readonly pnlMean: number;
  /** Interval of that mean, by Student's t; null with fewer than two runs. */
  readonly ci95: readonly [number | null, number | null];
  /** USDC per day. */
  readonly scoreMean: number;
  readonly worstDay: number;
  readonly positionStd: number;
  readonly quoteUptime: number;
  readonly actionsPerDay: number;
};

/** Score of a setting minus that of the present one on equal seeds, or in equal blocks of recordings; USDC per day. */
export type Difference = {
  /** In recordings: of these. */
  readonly seeds: number;
  /** In recordings: how many stretches from print to print. */
  readonly blocks?: number;
  readonly mean: number;
  readonly ci95: readonly [number | null, number | null];
  /** Corrected by Holm for all confirmed settings. */
  readonly p: number;
};

export type Verdict = "better" | "unclear" | "worse";

/**
 * Returns daily profit with the positions closed at the end, minus half of the average loss of the worst tenth of days. USDC per day; a run
 * of less than a day is extrapolated to a whole day.
 */
export const scoreOf = ({ line, curves }: Pick<Outcome, "line" | "curves">): number =>
  Number(line.pnlAtClose) / line.days - penaltyOf(curves.days, line.days);

/** Half of what the worst tenth of days lose on average, USDC; `length`: of all of them, in days. */
export function penaltyOf(pnls: readonly number[], length: number): number {
  const days = pnls.toSorted((a, b) => a - b);
  const worst = days.slice(0, Math.ceil(WORST_SHARE * days.length));
  return (PENALTY * Math.max(0, -meanOf(worst))) / Math.min(1, length);
}

/** Throws RangeError without an outcome. */
export function figuresOf(outcomes: readonly Outcome[]): Figures {
  if (outcomes.length === 0) throw new RangeError("the figures of no runs");
  const lines = outcomes.map(({ line }) => line);
  const pnls = lines.map(({ pnlAtClose }) => Number(pnlAtClose));
  const mean = meanOf(pnls);
  const half = halfOf95(pnls);
  const perRun = (of: (line: RunLine) => number): number => rounded(meanOf(lines.map(of)));
  return {
    runs: lines.length,
    pnlMean: rounded(mean),
    ci95: half === null ? [null, null] : [rounded(mean - half), rounded(mean + half)],
    scoreMean: rounded(meanOf(outcomes.map(scoreOf))),
    worstDay: Math.min(...lines.map(({ worstDayAtClose }) => Number(worstDayAtClose))),
    positionStd: perRun(({ markets }) => Math.max(...markets.map(({ positionStd }) => positionStd))),
    quoteUptime: perRun(({ markets }) => Math.min(...markets.map(({ quoteUptime }) => quoteUptime))),
    actionsPerDay: Math.round(perRun(({ markets }) => sumOf(markets, ({ actionsPerDay }) => actionsPerDay))),
  };
}

export const keeps = (
  { worstDay, positionStd, quoteUptime, actionsPerDay }: Figures,
  { worstDayMin, positionStdMax, uptimeMin, actionsMax }: Constraints,
): boolean =>
  worstDay >= (worstDayMin ?? Number.NEGATIVE_INFINITY) &&
  positionStd <= (positionStdMax ?? Number.POSITIVE_INFINITY) &&
  quoteUptime >= (uptimeMin ?? 0) &&
  actionsPerDay <= (actionsMax ?? Number.POSITIVE_INFINITY);

/**
 * Whether a setting had a fill in each market that it changes, or in any market if it changes none. One that never trades loses nothing, and
 * may so score more than every setting that does.
 */
export function hasTraded(settings: readonly Setting[], outcomes: readonly Pick<Outcome, "line">[]): boolean {
  const filled = outcomes.flatMap(({ line }) => line.markets.filter(({ fills }) => fills > 0));
  if (settings.length === 0) return filled.length > 0;
  return settings.every(({ path }) => {
    const { account, market } = placeOf(path);
    return filled.some(({ accountId, marketId }) => accountId === account && `${marketId}` === market);
  });
}

/** Compares each of `others` with the present setting, all on the same seeds, in order. At least two scores each. */
export const differencesFrom = (
  present: readonly number[],
  others: readonly (readonly number[])[],
): readonly Judgment[] =>
  correctedByHolm(others.map((scores) => differenceOf(scores.map((score, nth) => score - (present[nth] ?? 0)))));

type Judgment = { readonly difference: Difference; readonly verdict: Verdict };

/** The same differences with p corrected for their number, and what they say. */
export function correctedByHolm(raw: readonly Difference[]): readonly Judgment[] {
  const ps = holm(raw.map(({ p }) => p));
  return raw.map((difference, nth) => {
    const p = ps[nth] ?? 1;
    const isClear = p < LEVEL;
    const verdict = !isClear ? "unclear" : difference.mean > 0 ? "better" : "worse";
    return { difference: { ...difference, p: rounded(p) }, verdict };
  });
}

function differenceOf(differences: readonly number[]): Difference {
  const mean = meanOf(differences);
  const half = halfOf95(differences);
  return {
    seeds: differences.length,
    mean: rounded(mean),
    ci95: half === null ? [null, null] : [rounded(mean - half), rounded(mean + half)],
    p: fixedP(differences),
  };
}

/** Whether no other is at least as good in score, worst day and deviation of the position, and better in one of them. */
export const isPareto = (one: Figures, all: readonly Figures[]): boolean =>
  all.every((other) => {
    const pairs: readonly (readonly [mine: number, other: number])[] = [
      [one.scoreMean, other.scoreMean],
      [one.worstDay, other.worstDay],
      [-one.positionStd, -other.positionStd],
    ];
    return pairs.some(([mine, its]) => mine > its) || pairs.every(([mine, its]) => mine === its);
  });
