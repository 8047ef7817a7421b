// Combines the runs of one cell of the grid: the mean with its interval, and the worst.

import { studentT } from "../kernel/student.ts";
import type { RunLine } from "./outcome.ts";

/** USDC. Null if fewer than two runs: their variation is then unknown. */
export type CellLine = {
  readonly set: Readonly<Record<string, unknown>>;
  readonly runs: number;
  readonly pnlMean: number;
  readonly pnlStd: number | null;
  /** Interval of the mean, by Student's t over the runs. */
  readonly pnlCi95: readonly [number | null, number | null];
  /** With all positions closed at the end. */
  readonly pnlAtCloseMean: number;
  readonly worstDay: number;
  /** Mean over runs and markets. */
  readonly quoteUptime: number;
  /** Earnings of the spread alone: mean over runs. */
  readonly spreadMean: number;
  /** All markets together, mean over runs. */
  readonly actionsPerDay: number;
};

/** USDC per run, the better mean minus the other. */
export type DifferenceLine = {
  readonly set: RunLine["set"];
  readonly than: RunLine["set"];
  /** Number of seeds that both have; in recordings, of recordings. */
  readonly seeds: number;
  /** In recordings: number of stretches from print to print that both have. */
  readonly blocks?: number;
  readonly mean: number | null;
  /** Interval of this difference, by Student's t over the seeds or blocks. */
  readonly ci95: readonly [number | null, number | null];
  /**
   * That chance alone makes such a lead, at whichever look from 12 seeds or blocks on one stops; corrected by Holm for all pairs of settings, since
   * the best was picked among them. Null: fewer of them. Too low where losses are rare and large.
   */
  readonly p: number | null;
  readonly verdict: "better" | "unclear";
};

/** The setting with the highest mean over the seeds used to pick it, on held-out seeds. */
export type HoldoutLine = CellLine & {
  /** First and last of the seeds. */
  readonly seeds: readonly [RunLine["seed"], RunLine["seed"]];
  /** The recordings that were held out; left out: seeds were. */
  readonly recordings?: readonly string[];
  /** Mean length of the held-out runs, days. */
  readonly daysMean: number;
  /** Mean PnL on the seeds or recordings used to pick it. */
  readonly pickedAtMean: number;
};

/** The worst quarter of the runs in all named worlds, rounded up. */
export type WorstQuartile = {
  readonly runs: number;
  /** USDC per run. */
  readonly pnlMean: number;
  /** Number of these runs per world; worlds without one are left out. */
  readonly worlds: Readonly<Record<string, number>>;
};

export type SummaryLine = {
  readonly kind: "summary";
  readonly runs: number;
  readonly cells: readonly CellLine[];
  /** The cell with the highest mean minus each other one, on the same seeds. */
  readonly differences: readonly DifferenceLine[];
  /** Null: no seeds were held out. */
  readonly holdout: HoldoutLine | null;
  /** Null: no named worlds. */
  readonly worstQuartile: WorstQuartile | null;
  readonly simulatedMs: number;
  readonly elapsedMs: number;
  readonly timesRealTime: number;
};

/** `runs`: of one cell, at least one. */
export function cellLine(runs: readonly RunLine[]): CellLine {
  const pnls = runs.map(({ pnl }) => Number(pnl));
  const mean = meanOf(pnls);
  const std = stdOf(pnls);
  const half = halfOfRuns(runs);
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

/** `picked`: runs of the seeds used to pick it, `held`: runs of the held-out seeds; at least one of each. */
export function holdoutLine(picked: readonly RunLine[], held: readonly RunLine[]): HoldoutLine {
  const recordings = held.flatMap(({ recording }) => recording ?? []);
  return {
    ...cellLine(held),
    seeds: [held[0]?.seed ?? 0, held.at(-1)?.seed ?? 0],
    ...(recordings.length > 0 && { recordings }),
    daysMean: rounded(meanOf(held.map(({ days }) => days))),
    pickedAtMean: cellLine(picked).pnlMean,
  };
}

/** The cell with the highest mean. Throws RangeError if there is none. */
export function bestOf(cells: readonly (readonly RunLine[])[]): readonly RunLine[] {
  const means = cells.map((cell) => cellLine(cell).pnlMean);
  const best = cells[means.indexOf(Math.max(...means))];
  if (best === undefined) throw new RangeError("the best of no cells");
  return best;
}

export const isInNamedWorlds = (runs: readonly RunLine[]): boolean => runs.some(({ set }) => set.world !== undefined);

/** Null: no run is in a named world. */
export function worstQuartileOf(runs: readonly RunLine[]): WorstQuartile | null {
  if (!isInNamedWorlds(runs)) return null;
  const worst = runs.toSorted((a, b) => Number(a.pnl) - Number(b.pnl)).slice(0, Math.ceil(runs.length / 4));
  const byWorld = [...Map.groupBy(worst, ({ set }) => String(set.world))].map(([world, of]) => [world, of.length]);
  return {
    runs: worst.length,
    pnlMean: rounded(meanOf(worst.map(({ pnl }) => Number(pnl)))),
    worlds: Object.fromEntries(byWorld),
  };
}

/** Consecutive runs with the same settings form one cell. */
export function cellsOfRuns(runs: readonly RunLine[]): readonly (readonly RunLine[])[] {
  return [...Map.groupBy(runs, ({ set }) => JSON.stringify(set)).values()];
}

export const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

export const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Sample standard deviation; null with fewer than two values. */
export function stdOf(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

/** Half of the 95 % interval of the mean, by Student's t; null: below two values. `among`: means that it was picked from (Bonferroni). */
export function halfOf95(values: readonly number[], among = 1): number | null {
  const std = stdOf(values);
  return std === null ? null : (studentT(0.05 / among, values.length - 1) * std) / Math.sqrt(values.length);
}

/** Fewer blocks say nothing of how they differ. */
export const BLOCKS_MIN = 6;

/** Returns the 95 % interval of the blocks' sum, by Student's t; null where they are too few. */
export function sumInterval(blocks: readonly number[]): readonly [low: number, high: number] | null {
  const half = blocks.length < BLOCKS_MIN ? null : halfOf95(blocks);
  if (half === null) return null;
  const sum = sumOf(blocks, (block) => block);
  return [rounded(sum - half * blocks.length), rounded(sum + half * blocks.length)];
}

export const isRecorded = (runs: readonly RunLine[]): boolean => runs.some(({ blocks }) => blocks !== undefined);

/** Half of the 95 % interval of the mean PnL of runs: over seeds, or in recordings, over all of their blocks. Null: too few to tell. */
export function halfOfRuns(runs: readonly RunLine[]): number | null {
  if (!isRecorded(runs)) return halfOf95(runs.map(({ pnl }) => Number(pnl)));
  const interval = sumInterval(runs.flatMap(({ blocks }) => (blocks ?? []).map(({ pnl }) => pnl)));
  return interval === null ? null : (interval[1] - interval[0]) / 2 / runs.length;
}

/** To the base unit of USDC. */
export const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
