// What the runs of one cell of the grid say together: the mean with its interval, and the worst.

import type { RunLine } from "./outcome.ts";
import { studentT95 } from "./student.ts";

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

/** USDC a run, of the better mean less the other. */
export type DifferenceLine = {
  readonly set: RunLine["set"];
  readonly than: RunLine["set"];
  /** Seeds that both have. */
  readonly seeds: number;
  readonly mean: number | null;
  /** Of this one difference, by Student's t. */
  readonly ci95: readonly [number | null, number | null];
  /** Corrected by Holm for all pairs of settings, since the best was picked among them. Null: fewer than two seeds. */
  readonly p: number | null;
  readonly verdict: "better" | "unclear";
};

export type SummaryLine = {
  readonly kind: "summary";
  readonly runs: number;
  readonly cells: readonly CellLine[];
  /** The cell with the highest mean less each other one, on the same seeds. */
  readonly differences: readonly DifferenceLine[];
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

/** To the base unit of USDC. */
export const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
