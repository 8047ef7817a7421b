// `quoin backtest`: runs the bot of a configuration against its devnet and crowd, once per seed and cell of the `--set` grid, and
// prints what came of it.

import { basename } from "node:path";
import { jobsOf, runBacktests, usualWarmUpDays } from "../backtest/backtest.ts";
import { GridError, parseAxis, readCells } from "../backtest/grid.ts";
import { backtestJobs } from "../backtest/job-text.ts";
import { type Journal, noJournal, openJournal, writeReport } from "../backtest/journal.ts";
import type { BacktestJob, Outcome, RunLine } from "../backtest/outcome.ts";
import { differencesOf } from "../backtest/paired.ts";
import { reportHtml } from "../backtest/report/page.ts";
import { startRunWorkers } from "../backtest/run-workers.ts";
import { cellLine, cellsOfRuns, type SummaryLine } from "../backtest/summary.ts";
import { countedText, differencesText, tableText } from "../backtest/table.ts";
import type { JobWorkers } from "../jobs/job-workers.ts";
import { countText, durationText } from "../kernel/text.ts";
import { ConfigError, formatFault } from "../kernel/yaml/fault.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host, untilStopped } from "./host.ts";

export type BacktestOptions = {
  readonly config: string;
  readonly days: number;
  /** Undefined: as long as is usual. */
  readonly warmUp?: number;
  /** Nothing of the world is drawn from the seed but who trades and when. */
  readonly fixedWorld: boolean;
  readonly seeds: number;
  /** The first of them. */
  readonly seed: bigint;
  /** `PATH=V1,V2,…` each. */
  readonly set: readonly string[];
  readonly workers: number;
  /** Instead of threads of this process: all workers of the fleet. */
  readonly queue: boolean;
  /** False: `--no-shortcuts`. */
  readonly shortcuts: boolean;
  /** A file with the runs that are finished; undefined: none is kept. */
  readonly resume?: string;
  /** Where a page of HTML goes; undefined: none is made. */
  readonly report?: string;
  readonly json: boolean;
};

const BAR_WIDTH = 30;

/** Stopped by SIGINT or SIGTERM it prints what it has; it has failed then, since not every run was made. */
export async function backtest(options: BacktestOptions, host: Host): Promise<ExitCode> {
  const stopped = untilStopped(host);
  const startedMs = host.clock.monotonicMs();
  const elapsed = (): number => host.clock.monotonicMs() - startedMs;
  let prepared: Prepared;
  try {
    prepared = await prepare(options, host);
  } catch (error) {
    if (error instanceof GridError) for (const fault of error.faults) host.stderr(`quoin: ${fault}\n`);
    else if (error instanceof ConfigError) for (const fault of error.faults) host.stderr(`${formatFault(fault)}\n`);
    else throw error;
    return EXIT_USAGE;
  }
  const { jobs, journal } = prepared;
  const left = jobs.filter((job) => journal.finished(job) === undefined).length;
  const workers = await startWorkers(options, left, host);
  if (workers === undefined) return EXIT_FAILED;
  const outcomes = await runBacktests(jobs, {
    runners: workers.runners,
    stopped,
    finished: journal.finished,
    onFinished: journal.add,
    onProgress: showProgress(jobs.length, elapsed, host),
  }).finally(workers.close);
  if (host.terminal.stderr) host.stderr("\n");
  const isExplained = show(outcomes, elapsed(), options, host);
  const isComplete = outcomes.length === jobs.length;
  if (!isComplete) host.stderr(`stopped after ${outcomes.length} of ${jobs.length} runs\n`);
  return isComplete && isExplained ? EXIT_DONE : EXIT_FAILED;
}

/** False: PnL comes from no source. */
function show(outcomes: readonly Outcome[], elapsedMs: number, options: BacktestOptions, host: Host): boolean {
  const lines = outcomes.map(({ line }) => line);
  const simulatedMs = outcomes.reduce((sum, outcome) => sum + outcome.simulatedMs, 0);
  if (options.json)
    for (const line of [...lines, summaryOf(lines, simulatedMs, elapsedMs)]) host.stdout(`${JSON.stringify(line)}\n`);
  else if (lines.length > 0) host.stdout(`${tableText(lines)}${countedText(lines)}${differencesText(lines)}`);
  if (options.report !== undefined && outcomes.length > 0) {
    writeReport(options.report, reportHtml(commandOf(options), outcomes));
    if (host.terminal.stderr) host.stderr(`the report is in ${options.report}\n`);
  }
  const unexplained = lines.filter(({ residual }) => residual !== "0");
  for (const { seed, residual } of unexplained)
    host.stderr(`quoin: seed ${seed}: ${residual} USDC of PnL come from no source; this is a fault of the backtest\n`);
  return unexplained.length === 0;
}

/** What makes the same report again; files by their names alone, since folders differ between machines. */
function commandOf({ config, days, warmUp, fixedWorld, seeds, seed, set }: BacktestOptions): string {
  const sets = set.map((axis) => ` --set ${axis}`).join("");
  return `npx quoin backtest --config ${basename(config)} --days ${days}${warmUp === undefined ? "" : ` --warm-up ${warmUp}`} --seeds ${seeds} --seed ${seed}${fixedWorld ? " --fixed-world" : ""}${sets}`;
}

/** Undefined: why there are none is on stderr. */
async function startWorkers(
  { config: file, queue, workers }: BacktestOptions,
  runs: number,
  host: Host,
): Promise<JobWorkers<BacktestJob, Outcome> | undefined> {
  if (!queue) return startRunWorkers(Math.min(workers, runs));
  const { openRunners } = await import("./open-queue.ts");
  return await openRunners(file, backtestJobs(host.files), runs, host);
}

type Prepared = { readonly jobs: readonly BacktestJob[]; readonly journal: Journal };

/** Throws ConfigError and GridError. */
async function prepare(options: BacktestOptions, host: Host): Promise<Prepared> {
  const { config: file, days, warmUp: warmUpDays = usualWarmUpDays(days), seeds, seed: firstSeed, shortcuts } = options;
  const world = options.fixedWorld ? "fixed" : "drawn";
  const cells = await readCells(file, options.set.map(parseAxis), host.files);
  const journal = options.resume === undefined ? noJournal : openJournal(options.resume, host.sourceHash());
  return { jobs: jobsOf({ file, cells, firstSeed, seeds, days, warmUpDays, world, shortcuts }), journal };
}

const summaryOf = (lines: readonly RunLine[], simulatedMs: number, elapsedMs: number): SummaryLine => ({
  kind: "summary",
  runs: lines.length,
  cells: cellsOfRuns(lines).map(cellLine),
  differences: differencesOf(lines),
  simulatedMs,
  elapsedMs: Math.round(elapsedMs),
  timesRealTime: Math.round(simulatedMs / Math.max(1, elapsedMs)),
});

/** One line that is written again and again, on a terminal only. */
function showProgress(runs: number, elapsed: () => number, { terminal, stderr }: Host): (done: number) => void {
  if (!terminal.stderr) return () => {};
  let before: { readonly done: number; readonly atMs: number } | null = null;
  return (done) => {
    // What an earlier call has finished took no time of this one.
    before ??= { done, atMs: elapsed() };
    const pace = (done - before.done) / Math.max(1, elapsed() - before.atMs);
    const left = pace > 0 ? `about ${durationText((1 - done) / pace)} left` : "";
    const filled = Math.round(done * BAR_WIDTH);
    const bar = `${"#".repeat(filled)}${".".repeat(BAR_WIDTH - filled)}`;
    stderr(Buffer.from(`\r[${bar}] ${(done * 100).toFixed(0)} % of ${countText(runs, "run")}, ${left}   `));
  };
}
