// The result of a backtest as one table, for terminal and report: a row per cell of the grid, or per seed if there is only one cell.

import { queueModelText } from "../domain/queue.ts";
import { countText } from "../kernel/text.ts";
import { FIRST_LOOK } from "./chance.ts";
import type { PnlComponent, RunLine } from "./outcome.ts";
import { differencesOf } from "./paired.ts";
import { cellLine, cellsOfRuns, type HoldoutLine, isRecorded, meanOf, sumOf, type WorstQuartile } from "./summary.ts";

const sources: readonly PnlComponent[] = ["spread", "inventory", "jump", "funding", "fees"];
const HEAD = [
  "pnl at mid",
  "±95%",
  "at print",
  "closed",
  ...sources,
  "worst day",
  "drawdown",
  "uptime",
  "fills",
  "actions/day",
  "markout 60 s, bps",
];

/** `runs`: by cell, then by seed. */
export const tableText = (runs: readonly RunLine[]): string => aligned(tableRows(runs));

/** Columns of equal width, the first to the left. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const padded = (text: string, column: number): string =>
    column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0);
  return `${rows.map((row) => row.map(padded).join("  ").trimEnd()).join("\n")}\n`;
}

/** The same as cells, header first. */
export function tableRows(runs: readonly RunLine[]): readonly (readonly string[])[] {
  const cells = cellsOfRuns(runs);
  const [only] = cells;
  const isOne = cells.length === 1 && only !== undefined;
  const named: (readonly [string, readonly RunLine[]])[] = isOne
    ? [...only.map((run) => [runName(run), [run]] as const), ["mean", only]]
    : cells.map((cell) => [setText(cell[0]?.set ?? {}), cell]);
  const hasPremium = runs.some((run) => run.markets.some(({ premium }) => premium !== undefined));
  return [
    ["", ...HEAD, ...(hasPremium ? PREMIUM_HEAD : [])],
    ...named.map(([name, some]) => [name, ...figures(some), ...(hasPremium ? premiumFigures(some) : [])]),
  ];
}

/** `seed 3`, or its recording. */
export const runName = ({ recording, seed }: Pick<RunLine, "recording" | "seed">): string =>
  recording ?? `seed ${seed}`;

/** Parts of the PnL at mid: earnings of the premium books, and the rest. */
const PREMIUM_HEAD = ["premium book", "all else"];

const premiumFigures = (runs: readonly RunLine[]): readonly string[] => {
  const mean = (of: (market: RunLine["markets"][number]) => number) =>
    meanOf(runs.map((run) => sumOf(run.markets, of))).toFixed(2);
  return [
    mean(({ premium }) => Number(premium?.pnl ?? 0)),
    mean(({ pnl, premium }) => Number(premium?.spreadPnl ?? pnl.total)),
  ];
};

const APPROXIMATE =
  " Screened: the market does not answer to our orders, and fills are too many. It chooses what to run in full, without --approximate.";

/** What the figures cover; the worlds are those of the seeds, or one. */
export function countedText(runs: readonly RunLine[]): string {
  const [first] = runs;
  if (first === undefined) return "";
  const recordings = new Set(runs.flatMap(({ recording }) => recording ?? []));
  const worlds = first.world.isDrawn
    ? "each seed draws its own world"
    : recordings.size > 0
      ? countText(recordings.size, "recorded market")
      : "one fixed world";
  const models = queueModelTexts(runs);
  const filled = models.length === 0 ? "" : ` Queue model ${models.join("; ")}.`;
  const between = isRecorded(runs) ? " Intervals: over stretches from print to print." : "";
  const screened = first.approximate === undefined ? "" : APPROXIMATE;
  const days = [...new Set(runs.map((run) => run.days))].join(", ");
  return `USDC of ${days} days, after ${first.warmUpDays} days of warm-up; ${worlds}.${filled}${between}${screened}\n`;
}

/** Each queue model that filled orders of the runs, in words. */
export const queueModelTexts = (runs: readonly RunLine[]): readonly string[] => [
  ...new Set(
    runs.flatMap(({ world: { queueModel, tooFewFills } }) =>
      queueModel === undefined ? [] : [queueModelText(queueModel, tooFewFills)],
    ),
  ),
];

/** How much better the best setting is than each other one; "" if there is only one. */
export function differencesText(runs: readonly RunLine[]): string {
  const [head, ...rows] = differenceRows(runs);
  return head === undefined ? "" : `\n${aligned([head, ...rows])}${pairedText(runs)}\n`;
}

/** Result of the best setting on held-out seeds; "" if none were held out. */
export function holdoutText(line: HoldoutLine | null): string {
  if (line === null) return "";
  const { set, seeds, recordings, runs, pnlMean, pnlCi95, pickedAtMean } = line;
  const [low, high] = pnlCi95;
  const interval = low === null || high === null ? "" : ` (${low.toFixed(2)} to ${high.toFixed(2)})`;
  const name = Object.keys(set).length === 0 ? "" : `${setText(set)} `;
  const many = recordings?.join(", ") ?? `seeds ${seeds[0]} to ${seeds[1]}`;
  const of = runs === 1 ? `${recordings?.[0] ?? `seed ${seeds[0]}`}, which was` : `${many}, which were`;
  const kind = recordings === undefined ? "seeds" : "recordings";
  return `\n${name}on ${of} held out: ${pnlMean.toFixed(2)} USDC a run${interval}; ${pickedAtMean.toFixed(2)} on the ${kind} that it was picked by.\n`;
}

/** The worst quarter of the runs in named worlds; "" without them. */
export function worstQuartileText(worst: WorstQuartile | null): string {
  if (worst === null) return "";
  const { runs, pnlMean, worlds } = worst;
  const named = Object.entries(worlds).map(([world, count]) => `${world} ${count}`);
  return `worst quarter, ${countText(runs, "run")}: ${pnlMean.toFixed(2)} USDC a run (${named.join(", ")})\n`;
}

/** What the columns mean. */
export function pairedText(runs: readonly RunLine[]): string {
  const [on, pairs] = isRecorded(runs)
    ? ["on equal stretches from print to print", "stretches"]
    : ["on equal seeds, which are equal worlds", "seeds"];
  return `Paired ${on}. p takes ${FIRST_LOOK} ${pairs}, allows for a look after each further one, and is corrected by Holm for all pairs of settings; better: p below 0.05.`;
}

/** The same as cells, header first; empty if there is only one setting. */
export function differenceRows(runs: readonly RunLine[]): readonly (readonly string[])[] {
  const lines = differencesOf(runs);
  const [first] = lines;
  if (first === undefined) return [];
  const digits = (value: number | null, count: number): string => value?.toFixed(count) ?? "-";
  return [
    [
      ...[`${setText(first.set)} less`, "USDC a run", "95 % from", "to", "p"],
      ...[first.blocks === undefined ? "seeds" : "blocks", "verdict"],
    ],
    ...lines.map(({ than, mean, ci95: [low, high], p, seeds, blocks = seeds, verdict }) => [
      ...[setText(than), digits(mean, 2), digits(low, 2), digits(high, 2)],
      ...[digits(p, 4), `${blocks}`, verdict],
    ]),
  ];
}

/** `halfSpreadBps=4 size=1`: only the last word of each path. */
export const setText = (set: RunLine["set"]): string =>
  Object.entries(set)
    .map(([path, value]) => `${path.split(".").at(-1)}=${String(value)}`)
    .join(" ");

/** Means over the runs; for worst day and drawdown, the worst. */
function figures(runs: readonly RunLine[]): readonly string[] {
  const { pnlMean, pnlCi95, worstDay, quoteUptime, actionsPerDay } = cellLine(runs);
  const [, high] = pnlCi95;
  const markets = runs.flatMap((run) => run.markets);
  const perRun = (of: (run: RunLine) => number): number => meanOf(runs.map(of));
  const bySource = sources.map((source) =>
    perRun((run) => sumOf(run.markets, ({ pnl }) => Number(pnl[source]))).toFixed(2),
  );
  const markouts = markets.flatMap(({ markoutBps }) => markoutBps["60s"] ?? []);
  return [
    pnlMean.toFixed(2),
    high === null ? "-" : (high - pnlMean).toFixed(2),
    perRun(({ pnlAtPrint }) => Number(pnlAtPrint)).toFixed(2),
    perRun(({ pnlAtClose }) => Number(pnlAtClose)).toFixed(2),
    ...bySource,
    worstDay.toFixed(2),
    Math.max(...runs.map(({ maxDrawdown }) => Number(maxDrawdown))).toFixed(2),
    `${(quoteUptime * 100).toFixed(1)} %`,
    Math.round(perRun((run) => sumOf(run.markets, ({ fills }) => fills))).toString(),
    actionsPerDay.toString(),
    markouts.length === 0 ? "-" : meanOf(markouts).toFixed(2),
  ];
}
