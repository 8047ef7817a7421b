// `quoin backtest`: runs the bot of a configuration against its devnet and crowd, once per seed and cell of the `--set` grid, and prints
// the results.

import { basename, join } from "node:path";
import { jobsOf, type MarketSpan, runBacktests, usualWarmUpDays } from "../backtest/backtest.ts";
import { faultsOf } from "../backtest/faults.ts";
import { type Cell, GridError, parseAxis, readCompared } from "../backtest/grid.ts";
import { backtestJobs } from "../backtest/job-text.ts";
import { cellsInWorlds } from "../backtest/named-worlds.ts";
import type { BacktestJob, Outcome, RunLine } from "../backtest/outcome.ts";
import { differencesOf } from "../backtest/paired.ts";
import { openRecordings, spansOf } from "../backtest/recorded/recordings.ts";
import { configuredOf } from "../backtest/report/configured.ts";
import type { About } from "../backtest/report/first-fold.ts";
import { reportHtml } from "../backtest/report/page.ts";
import { type Journal, openJournal, writeReport } from "../backtest/run-files.ts";
import { startRunWorkers } from "../backtest/run-workers.ts";
import { ScreenError } from "../backtest/screen/screen-exchange.ts";
import { equityTable, fillsTable, writeTable } from "../backtest/series.ts";
import {
  bestOf,
  cellLine,
  cellsOfRuns,
  type HoldoutLine,
  holdoutLine,
  type SummaryLine,
  worstQuartileOf,
} from "../backtest/summary.ts";
import { countedText, differencesText, holdoutText, tableText, worstQuartileText } from "../backtest/table.ts";
import type { BotConfig } from "../bot/config/config.ts";
import { loadConfiguration } from "../configuration.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host, untilStopped } from "../host/host.ts";
import type { JobWorkers } from "../jobs/job-workers.ts";
import { makeFolder } from "../kernel/folder.ts";
import { commandText, shellWord } from "../kernel/typed-command.ts";
import { ConfigError, formatFault } from "../kernel/yaml/fault.ts";
import { writeOutput } from "../kernel/yaml/files.ts";
import { durationSentence, openProgressLine, type Stage, stageProgress, type Whole } from "./backtest-progress.ts";
import { whyUnusable } from "./recorded.ts";
import { screeningOf } from "./screening.ts";

export type BacktestOptions = {
  /** Several configurations are compared on the same seeds. */
  readonly config: readonly string[];
  /** Undefined with `recording` alone. */
  readonly days?: number;
  /** Recordings in whose markets the bot runs. Empty: the embedded exchange. */
  readonly recording: readonly string[];
  /** A file of named worlds, in each of which every seed runs. Undefined: the devnet as configured. */
  readonly world?: string;
  /** Undefined: the usual warm-up, none in a recording. */
  readonly warmUp?: number;
  /** The seed draws only who trades and when; the rest of the world is fixed. */
  readonly fixedWorld: boolean;
  readonly seeds: number;
  /** The first seed. */
  readonly seed: bigint;
  /** Number of further seeds, or of the last recordings, on which only the best of several settings is run. */
  readonly holdout: number;
  /** `PATH=V1,V2,…` each. */
  readonly set: readonly string[];
  readonly workers: number;
  /** Runs on all workers of the fleet instead of threads of this process. */
  readonly queue: boolean;
  /** False: `--no-shortcuts`. */
  readonly shortcuts: boolean;
  /** Screens instead of running in full. */
  readonly approximate: boolean;
  /** A file that keeps finished runs. Undefined: none. */
  readonly resume?: string;
  /** The file for a page of HTML. Undefined: none is written. */
  readonly report?: string;
  /** A folder for fills and equity as Parquet. Undefined: none is written. */
  readonly out?: string;
  readonly json: boolean;
};

/**
 * After SIGINT or SIGTERM it prints what it has and exits with 1, since runs are missing. Exit 2 when a strategy never quoted because it
 * threw or returned no quotes.
 */
export async function backtest(options: BacktestOptions, host: Host): Promise<ExitCode> {
  const stopped = untilStopped(host);
  const startedMs = host.clock.monotonicMs();
  const elapsed = (): number => host.clock.monotonicMs() - startedMs;
  const line = openProgressLine(host);
  let prepared: Prepared;
  try {
    prepared = await prepare(options, host);
  } catch (error) {
    line.clear();
    sayUnusable(error, host);
    return EXIT_USAGE;
  }
  const { jobs, journal } = prepared;
  const left = jobs.filter((job) => journal.finished(job) === undefined).length;
  // The queue prints lines of its own.
  if (options.queue) line.clear();
  const workers = await startWorkers(options, left, host);
  if (workers === undefined) return EXIT_FAILED;
  const whole = wholeOf(options, left, host);
  const run = async (some: readonly BacktestJob[], announce: Stage["announce"]): Promise<readonly Outcome[]> => {
    return await runBacktests(some, {
      runners: workers.runners,
      stopped,
      finished: journal.finished,
      onFinished: journal.add,
      onProgress: stageProgress({ runs: some.length, atOnce: workers.runners.length, announce }, line, host),
    }).finally(line.clear);
  };
  let ended: Ended;
  try {
    const outcomes = await run(jobs, (runMs) => whole && durationSentence(whole, runMs));
    const isWhole = outcomes.length === jobs.length;
    ended = { outcomes, held: isWhole ? await run(prepared.heldOut(outcomes), () => null) : [] };
  } finally {
    await workers.close();
  }
  const isExplained = show(ended, elapsed(), options, host);
  if (options.report !== undefined) await report(options.report, options, jobs, ended, host);
  const made = ended.outcomes.length + ended.held.length;
  const wanted = jobs.length + options.holdout;
  if (made < wanted) host.stderr(`stopped after ${made} of ${wanted} runs\n`);
  const code = endOf(ended, host);
  return made === wanted && isExplained ? code : EXIT_FAILED;
}

/** Says why the runs cannot begin. Throws an error that is nobody's input. */
function sayUnusable(error: unknown, { stderr }: Host): void {
  if (error instanceof GridError) for (const fault of error.faults) stderr(`quoin: ${fault}\n`);
  else if (error instanceof ConfigError) for (const fault of error.faults) stderr(`${formatFault(fault)}\n`);
  else {
    const why = error instanceof ScreenError ? error.message : whyUnusable(error, "");
    if (why === null) throw error;
    stderr(`quoin: ${why}\n`);
  }
}

/** Prints each fault of a strategy once. */
function endOf({ outcomes, held }: Ended, host: Host): ExitCode {
  const { sentences, neverQuoted } = faultsOf([...outcomes, ...held].map(({ line }) => line));
  for (const sentence of sentences) host.stderr(`quoin: ${sentence}\n`);
  return neverQuoted ? EXIT_USAGE : EXIT_DONE;
}

type Ended = {
  readonly outcomes: readonly Outcome[];
  /** Results of the best setting on the held-out seeds. */
  readonly held: readonly Outcome[];
};

/** The job of the best setting. */
function bestJob(jobs: readonly BacktestJob[], outcomes: readonly Outcome[]): BacktestJob | undefined {
  const lines = outcomes.map(({ line }) => line);
  const [best] = bestOf(cellsOfRuns(lines));
  return jobs[best === undefined ? -1 : lines.indexOf(best)];
}

/** False: PnL comes from no source. */
function show({ outcomes, held }: Ended, elapsedMs: number, options: BacktestOptions, host: Host): boolean {
  const lines = outcomes.map(({ line }) => line);
  const heldLines = held.map(({ line }) => line);
  const holdout = held.length === 0 ? null : holdoutLine(bestOf(cellsOfRuns(lines)), heldLines);
  const simulatedMs = [...outcomes, ...held].reduce((sum, outcome) => sum + outcome.simulatedMs, 0);
  if (options.json)
    for (const line of [...lines, summaryOf(lines, holdout, simulatedMs, elapsedMs)])
      host.stdout(`${JSON.stringify(line)}\n`);
  else if (lines.length > 0)
    host.stdout(
      `${tableText(lines)}${countedText(lines)}${differencesText(lines)}${holdoutText(holdout)}${worstQuartileText(worstQuartileOf(lines))}`,
    );
  if (options.out !== undefined) writeSeries(options.out, [...outcomes, ...held], host);
  const unexplained = [...lines, ...heldLines].filter(({ residual }) => residual !== "0");
  for (const { seed, residual } of unexplained)
    host.stderr(`quoin: seed ${seed}: ${residual} USDC of PnL come from no source; this is a fault of the backtest\n`);
  return unexplained.length === 0;
}

/** Writes nothing when no run ended. Throws what the file system throws. */
async function report(
  path: string,
  options: BacktestOptions,
  jobs: readonly BacktestJob[],
  ended: Ended,
  { terminal, stderr }: Host,
): Promise<void> {
  if (ended.outcomes.length === 0) return;
  writeReport(path, reportHtml(await aboutOf(options, jobs, ended), ended.outcomes));
  if (terminal.stderr) stderr(`the report is in ${path}\n`);
}

async function aboutOf(options: BacktestOptions, jobs: readonly BacktestJob[], ended: Ended): Promise<About> {
  const { config, recording } = options;
  const lines = ended.outcomes.map(({ line }) => line);
  const held = ended.held.map(({ line }) => line);
  return {
    command: commandOf(options),
    files: config.map((file) => basename(file)),
    recording: recording.length === 0 ? null : recording.map((path) => basename(path)).join(", "),
    configured: await configuredOf(jobs, lines),
    holdout: held.length === 0 ? null : holdoutLine(bestOf(cellsOfRuns(lines)), held),
  };
}

/** The command that makes the same report. */
function commandOf({
  config,
  days,
  recording,
  warmUp,
  fixedWorld,
  approximate,
  seeds,
  seed,
  holdout,
  set,
}: BacktestOptions): string {
  const words = [
    "backtest",
    ...config.map((file) => `--config ${shellWord(file)}`),
    ...(recording.length === 0 ? [`--days ${days}`] : recording.map((path) => `--recording ${shellWord(path)}`)),
    ...(warmUp === undefined ? [] : [`--warm-up ${warmUp}`]),
    `--seeds ${seeds} --seed ${seed}`,
    ...(holdout === 0 ? [] : [`--holdout ${holdout}`]),
    ...(fixedWorld ? ["--fixed-world"] : []),
    ...(approximate ? ["--approximate"] : []),
    ...set.map((axis) => `--set ${shellWord(axis)}`),
  ];
  return commandText(words.join(" "));
}

/** Undefined: there are none, and stderr says why. */
async function startWorkers(
  { config: [file = ""], queue, workers }: BacktestOptions,
  runs: number,
  host: Host,
): Promise<JobWorkers<BacktestJob, Outcome> | undefined> {
  if (!queue) return startRunWorkers(Math.min(workers, runs));
  const { openRunners } = await import("./open-queue.ts");
  return await openRunners(file, backtestJobs(host.files), runs, host);
}

/** The work, for an estimate. Null: it runs on an unknown number of machines. */
function wholeOf(
  { queue, workers, holdout, days, warmUp, recording }: BacktestOptions,
  left: number,
  { cores }: Host,
): Whole | null {
  if (queue) return null;
  const spanOf = (some: number): number => some + (warmUp ?? usualWarmUpDays(some));
  const length =
    days === undefined || recording.length > 0
      ? null
      : { days, shareOf: (other: number) => spanOf(other) / spanOf(days) };
  const threads = Math.min(workers, left);
  return {
    rounds: Math.ceil(left / threads) + Math.ceil(holdout / threads),
    threads,
    cores,
    length,
  };
}

type Prepared = {
  readonly jobs: readonly BacktestJob[];
  /** Runs of the best setting on the held-out seeds or recordings. */
  readonly heldOut: (outcomes: readonly Outcome[]) => readonly BacktestJob[];
  readonly journal: Journal;
};

/** Throws ConfigError and GridError. */
async function prepare(options: BacktestOptions, host: Host): Promise<Prepared> {
  const { config, seeds, seed: firstSeed, shortcuts, holdout, resume } = options;
  const keepsFills = options.out !== undefined;
  const world = options.fixedWorld ? "fixed" : "drawn";
  const { runsIn, markets, heldMarkets } = await marketsOf(options, host);
  const asked = await readCompared(config, options.set.map(parseAxis), host.files, runsIn);
  const cells = await inWorlds(options, asked, markets, host);
  const bots: BotConfig[] = [];
  if (options.approximate) for (const file of config) bots.push((await loadConfiguration(file, host.files)).bot);
  const screened = options.approximate ? { approximate: screeningOf(bots, host) } : {};
  const jobs = jobsOf({ cells, firstSeed, seeds, markets, world, shortcuts, keepsFills, ...screened });
  const journal = openJournal(resume ?? null, host.sourceHash());
  if (journal.isOfOther(jobs))
    throw new GridError("grid_refused", [
      `--resume ${resume} has runs of another recording, or of the devnet; name another file`,
    ]);
  const heldOut = (outcomes: readonly Outcome[]): readonly BacktestJob[] => {
    const best = holdout === 0 ? undefined : bestJob(jobs, outcomes);
    if (best === undefined) return [];
    if (heldMarkets.length > 0) return heldMarkets.map((market) => ({ ...best, ...market }));
    return Array.from({ length: holdout }, (_, nth) => ({ ...best, seed: firstSeed + BigInt(seeds + nth) }));
  };
  return { jobs, heldOut, journal };
}

/** Throws ConfigError and GridError. */
async function inWorlds(
  { world }: BacktestOptions,
  asked: readonly Cell[],
  [span]: readonly MarketSpan[],
  { files, stderr }: Host,
): Promise<readonly Cell[]> {
  const [cell, ...others] = asked;
  if (world === undefined || cell === undefined || span === undefined) return asked;
  if (others.length > 0)
    throw new GridError("grid_written", [`--world runs one setting, and --config and --set name ${asked.length}`]);
  const { cells, inert } = await cellsInWorlds(cell, world, span, files);
  for (const sentence of inert) stderr(`quoin: ${sentence}\n`);
  return cells;
}

type Markets = {
  readonly runsIn: "devnet" | "recording";
  readonly markets: readonly MarketSpan[];
  /** The recordings that are held out. */
  readonly heldMarkets: readonly MarketSpan[];
};

/** Throws GridError, and what reading a recording or a configuration throws. */
async function marketsOf({ config, days, warmUp, recording, holdout }: BacktestOptions, { files }: Host) {
  if (recording.length === 0) {
    if (days === undefined)
      throw new GridError("grid_written", ["an option is missing: --days N, or --recording FILE"]);
    const span = { days, warmUpDays: warmUp ?? usualWarmUpDays(days) };
    return { runsIn: "devnet", markets: [span], heldMarkets: [] } satisfies Markets;
  }
  if (holdout >= recording.length)
    throw new GridError("grid_written", [
      `--holdout ${holdout} keeps recordings out, and there ${recording.length === 1 ? "is 1" : `are ${recording.length}`}: name more with --recording`,
    ]);
  const bots: BotConfig[] = [];
  for (const file of config) bots.push((await loadConfiguration(file, files)).bot);
  const spans = spansOf(openRecordings(recording, bots), warmUp ?? 0);
  const kept = spans.length - holdout;
  return { runsIn: "recording", markets: spans.slice(0, kept), heldMarkets: spans.slice(kept) } satisfies Markets;
}

const summaryOf = (
  lines: readonly RunLine[],
  holdout: HoldoutLine | null,
  simulatedMs: number,
  elapsedMs: number,
): SummaryLine => ({
  kind: "summary",
  runs: lines.length,
  cells: cellsOfRuns(lines).map(cellLine),
  differences: differencesOf(lines),
  holdout,
  worstQuartile: worstQuartileOf(lines),
  simulatedMs,
  elapsedMs: Math.round(elapsedMs),
  timesRealTime: Math.round(simulatedMs / Math.max(1, elapsedMs)),
});

/** Throws what the file system throws. */
function writeSeries(folder: string, outcomes: readonly Outcome[], { terminal, stderr }: Host): void {
  makeFolder(folder);
  for (const table of [fillsTable(outcomes), equityTable(outcomes)]) {
    writeOutput(join(folder, `${table.name}.parquet`), (write) => writeTable(table, write));
  }
  if (terminal.stderr) stderr(`fills and equity are in ${folder}\n`);
}
