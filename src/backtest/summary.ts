// What the runs of one cell of the grid say together: the mean with its interval, and the worst.

import type { RunLine } from "./outcome.ts";

/** USDC. Null: fewer than two runs say nothing of how runs differ. */
export type CellLine = {
  readonly set: Readonly<Record<string, unknown>>;
  readonly runs: number;
  readonly pnlMean: number;
  readonly pnlStd: number | null;
  /** Of the mean, by Student's t over the runs. */
  readonly pnlCi95: readonly [number | null, number | null];
  /** With all positions closed at the end. */
  readonly pnlAtCloseMean: number;
  readonly worstDay: number;
  /** Mean over runs and markets. */
  readonly quoteUptime: number;
  /** What the spread earned, all else left out: mean over runs. */
  readonly spreadMean: number;
  /** Mean over runs, of all markets together. */
  readonly actionsPerDay: number;
};

export type SummaryLine = {
  readonly kind: "summary";
  readonly runs: number;
  readonly cells: readonly CellLine[];
  readonly simulatedMs: number;
  readonly elapsedMs: number;
  readonly timesRealTime: number;
};

/** `runs` are of one cell, one at least. */
export function cellLine(runs: readonly RunLine[]): CellLine {
  const pnls = runs.map(({ pnl }) => Number(pnl));
  const mean = meanOf(pnls);
  const std = stdOf(pnls);
  const half = halfOf95(pnls);
  const uptimes = runs.flatMap(({ markets }) => markets.map(({ quoteUptime }) => quoteUptime));
  return {
    set: runs[0]?.set ?? {},
    runs: runs.length,
    pnlMean: rounded(mean),
    pnlStd: std === null ? null : rounded(std),
    pnlCi95: half === null ? [null, null] : [rounded(mean - half), rounded(mean + half)],
    pnlAtCloseMean: rounded(meanOf(runs.map(({ pnlAtClose }) => Number(pnlAtClose)))),
    worstDay: Math.min(...runs.map(({ worstDay }) => Number(worstDay))),
    quoteUptime: rounded(meanOf(uptimes)),
    spreadMean: rounded(meanOf(runs.map((run) => sumOf(run.markets, ({ pnl }) => Number(pnl.spread))))),
    actionsPerDay: Math.round(meanOf(runs.map((run) => sumOf(run.markets, (market) => market.actionsPerDay)))),
  };
}

/** Runs that follow each other and have the same settings are one cell. */
export function cellsOfRuns(runs: readonly RunLine[]): readonly (readonly RunLine[])[] {
  return [...Map.groupBy(runs, ({ set }) => JSON.stringify(set)).values()];
}

export const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

export const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of a sample; null: fewer than two values. */
export function stdOf(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

/** Half of the 95 % interval of the mean, by Student's t; null: fewer than two values. */
export function halfOf95(values: readonly number[]): number | null {
  const std = stdOf(values);
  return std === null ? null : (studentT95(values.length - 1) * std) / Math.sqrt(values.length);
}

/** Quantiles 0.975 of Student's t for 1 to 30 degrees of freedom (any table). */
const T_95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
] as const;
const NORMAL_95 = 1.959_964;

/** Half the width of a 95 % interval in standard errors. `degrees` of freedom, 1 or more. */
function studentT95(degrees: number): number {
  // Beyond the table the first terms of the expansion in 1/degrees (Cornish and Fisher) err by less than 0.0002.
  return T_95[degrees - 1] ?? NORMAL_95 + (NORMAL_95 ** 3 + NORMAL_95) / (4 * degrees);
}

/** To the base unit of USDC. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
