// The cells of a backtest as the report names them: a name, the combined daily result of its runs, and the lead of the best.

import type { Outcome, PnlComponent, RunLine } from "../outcome.ts";
import { differencesOf } from "../paired.ts";
import {
  type CellLine,
  cellLine,
  type DifferenceLine,
  halfOf95,
  halfOfRuns,
  isRecorded,
  meanOf,
  sumOf,
} from "../summary.ts";
import { runName, setText } from "../table.ts";
import { type Configured, type ConfiguredMarket, comparedOf, keyOf } from "./configured.ts";
import { onOneClock } from "./one-clock.ts";

/** USDC per day: the mean over seeds, its 95 % interval (null with fewer than two), and each seed. */
export type Estimate = {
  readonly mean: number;
  readonly ci95: readonly [number | null, number | null];
  readonly seeds: readonly number[];
  /** The interval of the best of several means, corrected for picking it; absent: it was not picked. */
  readonly picked95?: readonly [number | null, number | null];
};

export type ReportCell = {
  /** Made of its settings, or its file name if there is only one cell. */
  readonly name: string;
  readonly outcomes: readonly Outcome[];
  readonly line: CellLine;
  readonly markets: readonly ConfiguredMarket[];
  readonly atMid: Estimate;
  readonly atPrint: Estimate;
  /** Mean USDC per day, over all markets. */
  readonly bySource: Readonly<Record<PnlComponent, number>>;
};

/** Lead of the best over another, on the seeds that both have. */
export type Difference = Estimate & Pick<DifferenceLine, "p" | "verdict"> & { readonly than: ReportCell };

export const sources: readonly PnlComponent[] = ["spread", "inventory", "jump", "funding", "fees"];

/** `outcomes`: by cell, then by seed, at least one. `file`: name of a cell without settings. */
export function reportCells(outcomes: readonly Outcome[], configured: Configured, file: string): readonly ReportCell[] {
  const groups = [...Map.groupBy(onOneClock(outcomes), ({ line }) => keyOf(line.set))];
  const among = groups.length;
  return groups.map(([key, group]) => {
    const runs = group.map(({ line }) => line);
    const line = cellLine(runs);
    const sourceMean = (source: PnlComponent): number =>
      sumOf(runs, (run) => sumOf(run.markets, ({ pnl }) => Number(pnl[source]))) / sumOf(runs, ({ days }) => days);
    return {
      name: setText(line.set) || file,
      outcomes: group,
      line,
      markets: configured.get(key) ?? [],
      atMid: midEstimate(runs, among),
      atPrint: estimateOf(runs, ({ pnlAtPrint, days }) => Number(pnlAtPrint) / days),
      bySource: Object.fromEntries(sources.map((source) => [source, sourceMean(source)])) as ReportCell["bySource"],
    };
  });
}

/** In a recording the interval is that of its blocks, and has no seeds to count a selection by. */
function midEstimate(runs: readonly RunLine[], among: number): Estimate {
  const estimate = estimateOf(runs, ({ pnl, days }) => Number(pnl) / days, among);
  if (!isRecorded(runs)) return estimate;
  const half = halfOfRuns(runs);
  const days = meanOf(runs.map((run) => run.days));
  const mean = meanOf(runs.map(({ pnl }) => Number(pnl))) / days;
  const ci95 = half === null ? ([null, null] as const) : ([mean - half / days, mean + half / days] as const);
  return { mean, ci95, seeds: estimate.seeds };
}

/** A cell's runs differ by it. */
export const kindOfRuns = ({ outcomes }: Pick<ReportCell, "outcomes">): "seed" | "recording" =>
  isRecorded(outcomes.map(({ line }) => line)) ? "recording" : "seed";

function estimateOf(runs: readonly RunLine[], of: (run: RunLine) => number, among = 1): Estimate {
  const values = runs.map(of);
  const mean = meanOf(values);
  const interval = (half: number | null) =>
    half === null ? ([null, null] as const) : ([mean - half, mean + half] as const);
  const estimate = { mean, ci95: interval(halfOf95(values)), seeds: values };
  return among === 1 ? estimate : { ...estimate, picked95: interval(halfOf95(values, among)) };
}

export const comparedCells = (cells: readonly ReportCell[]): readonly ReportCell[] =>
  comparedOf(cells, ({ line }) => line.pnlMean);

/** The cell with the highest mean. Throws RangeError if there is none. */
export function bestCell(cells: readonly ReportCell[]): ReportCell {
  const [best] = comparedCells(cells);
  if (best === undefined) throw new RangeError("the best of no cells");
  return best;
}

/** The best against each other cell, the closest first. */
export function differences(cells: readonly ReportCell[]): readonly Difference[] {
  const lines = differencesOf(cells.flatMap(({ outcomes }) => outcomes.map(({ line }) => line)));
  const days = meanOf((cells[0]?.outcomes ?? []).map(({ line }) => line.days));
  const perDay = (value: number | null): number | null => (value === null ? null : value / days);
  return lines
    .flatMap(({ set, than, mean, ci95: [low, high], p, verdict }): readonly Difference[] => {
      const [best, other] = [set, than].map((of) => cells.find(({ line }) => keyOf(line.set) === keyOf(of)));
      if (best === undefined || other === undefined || mean === null) return [];
      const ci95 = [perDay(low), perDay(high)] as const;
      return [{ than: other, mean: mean / days, ci95, seeds: bySeed(best, other), p, verdict }];
    })
    .toSorted((one, other) => one.mean - other.mean);
}

/** Lead of one over the other in USDC per day, for each seed that both have. */
function bySeed(one: ReportCell, other: ReportCell): readonly number[] {
  const others = new Map(other.outcomes.map(({ line }) => [runName(line), line]));
  return one.outcomes.flatMap(({ line }) => {
    const against = others.get(runName(line));
    return against === undefined ? [] : [(Number(line.pnl) - Number(against.pnl)) / line.days];
  });
}
