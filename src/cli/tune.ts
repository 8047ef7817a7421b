// `quoin tune`: searches parameters by backtests, and prints whether one setting is better than the present configuration. The winner is
// handed over as a `shadow:`; the configuration's own file is never written.

import { basename, join } from "node:path";
import { runBacktests, usualWarmUpDays } from "../backtest/backtest.ts";
import { GridError } from "../backtest/grid.ts";
import { type Journal, noJournal, openJournal, writeReport } from "../backtest/journal.ts";
import type { BacktestJob, Outcome } from "../backtest/outcome.ts";
import { configuredOf } from "../backtest/report/configured.ts";
import type { About } from "../backtest/report/first-fold.ts";
import { reportHtml } from "../backtest/report/page.ts";
import { startRunWorkers } from "../backtest/run-workers.ts";
import { fragmentText, withShadows } from "../backtest/tune/hand-over.ts";
import type { Constraints } from "../backtest/tune/judge.ts";
import { type Prepared, prepareTune } from "../backtest/tune/prepare.ts";
import { FIRST_SEEDS, racePlan, runsNeeded } from "../backtest/tune/race.ts";
import { type Param, parseParam } from "../backtest/tune/space.ts";
import { tunedText } from "../backtest/tune/table.ts";
import { ALIKE, tune as search, type Tuned, type TunePlan } from "../backtest/tune/tune.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host, untilStopped } from "../host/host.ts";
import type { JobWorkers } from "../jobs/job-workers.ts";
import { makeFolder } from "../kernel/folder.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { type Json, parseJson, stringifyJson } from "../kernel/json.ts";
import { countText, roughText } from "../kernel/text.ts";
import { commandText, shellWord } from "../kernel/typed-command.ts";
import { YamlEditError } from "../kernel/yaml/edit.ts";
import { ConfigError, formatFault } from "../kernel/yaml/fault.ts";
import { unwritable, writeOutput } from "../kernel/yaml/files.ts";
import { mappingOf } from "../kernel/yaml/partial-parse.ts";
import { durationSentence, openProgressLine, type ProgressLine, stageProgress } from "./backtest-progress.ts";

export type TuneOptions = Constraints & {
  readonly config: string;
  /** `PATH=LOW..HIGH` or `PATH=V1,V2,…` each. */
  readonly param: readonly string[];
  readonly days: number;
  /** Undefined: the usual warm-up. */
  readonly warmUp?: number;
  /** Seeds of the search; the confirmation uses as many. */
  readonly seeds: number;
  /** The first seed. */
  readonly seed: bigint;
  /** Runs in all. Undefined: `budget` chooses them, or the usual number. */
  readonly runs?: number;
  /** How long it may take, ms. */
  readonly budget?: number;
  readonly workers: number;
  /** A folder that keeps finished runs. Undefined: none. */
  readonly resume?: string;
  /** A copy of the configuration with the winner. Undefined: none is written. */
  readonly out?: string;
  /** The file for a page of HTML on the confirming runs. Undefined: none is written. */
  readonly report?: string;
  readonly json: boolean;
};

/** Default number of runs per seed, without `--runs` and `--budget`. */
const RUNS_PER_SEED = 16;

/** Exit 0 with or without a winner; 1 when stopped or when the copy cannot be written; 2 where the search cannot begin. */
export async function tune(options: TuneOptions, host: Host): Promise<ExitCode> {
  const line = openProgressLine(host);
  try {
    return await run(options, line, host);
  } catch (error) {
    line.clear();
    if (error instanceof GridError) for (const fault of error.faults) host.stderr(`quoin: ${fault}\n`);
    else if (error instanceof ConfigError) for (const fault of error.faults) host.stderr(`${formatFault(fault)}\n`);
    else throw error;
    return EXIT_USAGE;
  }
}

async function run(options: TuneOptions, line: ProgressLine, host: Host): Promise<ExitCode> {
  const stopped = untilStopped(host);
  const params = options.param.map(parseParam);
  checkOptions(options, host);
  const prepared = await prepareTune(options.config, params, host.files);
  const text = prepared.present.sources[0]?.text ?? "";
  if (options.out !== undefined) checkCopy(options, params, text);
  const kept = openFolder(options, prepared, host);
  const workers = startRunWorkers(options.workers);
  let tuned: Tuned | null;
  let runs: number | null;
  let finished = 0;
  try {
    runs = await runsOf(options, prepared, { kept, workers, stopped }, host);
    if (runs === null) return stoppedAt(options, line, host);
    const planned = runs;
    const plan = await planOf(options, prepared, planned);
    const threads = Math.min(workers.runners.length, planned);
    const whole = { rounds: Math.ceil(planned / threads), threads, cores: host.cores, length: null };
    let best = "";
    const report = stageProgress(
      { runs: planned, atOnce: threads, announce: (runMs) => durationSentence(whole, runMs), note: () => best },
      line,
      host,
    );
    const runJobs = async (jobs: readonly BacktestJob[]): Promise<readonly Outcome[] | null> => {
      const outcomes = await runBacktests(jobs, {
        runners: workers.runners,
        stopped,
        finished: kept.journal.finished,
        onFinished: kept.journal.add,
        onProgress: (done) => report(Math.min(1, (finished + done * jobs.length) / planned)),
      });
      finished += outcomes.length;
      return outcomes.length < jobs.length ? null : outcomes;
    };
    tuned = await search(plan, runJobs, (score) => {
      best = `, best so far ${score.toFixed(2)} USDC a day`;
    });
  } finally {
    line.clear();
    await workers.close();
  }
  if (tuned === null) return stoppedAt(options, line, host);
  const exit = show(tuned, text, options, host);
  if (options.report === undefined) return exit;
  try {
    await report(options.report, tuned, prepared, { ...options, runs });
  } catch (cause) {
    return endWith(EXIT_FAILED, `${options.report} cannot be written: ${unwritable(cause)}`, host);
  }
  return exit;
}

/** Throws GridError. */
function checkOptions({ seeds, runs, out, report: page, config }: TuneOptions, { files }: Host): void {
  if (seeds < FIRST_SEEDS)
    throw new GridError("grid_written", [`--seeds ${seeds}: a search needs ${FIRST_SEEDS} seeds at least`]);
  if (runs !== undefined && runs < runsNeeded(seeds))
    throw new GridError("grid_written", [
      `--runs ${runs}: with ${seeds} seeds a search needs ${runsNeeded(seeds)} runs at least`,
    ]);
  for (const [option, file] of Object.entries({ out, report: page }))
    if (file !== undefined && files.resolve("", file) === files.resolve("", config))
      throw new GridError("grid_written", [`--${option} ${file} is the configuration itself; name another file`]);
}

/** Throws GridError if the file's form allows no shadow to be written into a copy. */
function checkCopy({ config }: TuneOptions, params: readonly Param[], text: string): void {
  try {
    withShadows(
      text,
      params.map((param) => ({ path: param.path, value: 0 })),
    );
  } catch (error) {
    if (!(error instanceof YamlEditError)) throw error;
    throw new GridError("grid_refused", [`${config} cannot be copied with a shadow: ${error.message}`]);
  }
}

type Kept = {
  readonly journal: Journal;
  /** Runs of the search that the folder has begun; null: it has none yet. */
  readonly runs: number | null;
  /** The search has so many runs from now on. */
  readonly begin: (runs: number) => void;
};

/** Throws GridError if the folder belongs to another search, and what the file system throws. */
function openFolder(options: TuneOptions, { present }: Prepared, { files, sourceHash }: Host): Kept {
  const { resume: folder } = options;
  if (folder === undefined) return { journal: noJournal, runs: null, begin: () => {} };
  const file = join(folder, "tune.json");
  const search = searchHash(
    options,
    present.sources.map(({ hash }) => hash),
    sourceHash(),
  );
  let runs: number | null = null;
  if (files.exists(file)) {
    const written = mappingOf(parseJson(files.read(file)));
    const isSame = written.search === search && (options.runs === undefined || written.runs === options.runs);
    if (!isSame)
      throw new GridError("grid_refused", [
        `--resume ${folder} is of another search: of other options, files or version; name another folder`,
      ]);
    runs = Number(written.runs);
  }
  makeFolder(folder);
  return {
    journal: openJournal(join(folder, "runs.jsonl"), sourceHash()),
    runs,
    begin(count) {
      if (runs === null) files.create(file, `${stringifyJson({ search, runs: count })}\n`);
    },
  };
}

/** Everything that decides the result but the number of runs. */
function searchHash(options: TuneOptions, sources: readonly string[], program: string): string {
  const { param, days, warmUp = null, seeds, seed } = options;
  const { worstDayMin = null, positionStdMax = null, uptimeMin = null, actionsMax = null } = options;
  const limits: Json = [worstDayMin, positionStdMax, uptimeMin, actionsMax];
  return sha256Hex(stringifyJson([program, sources, param, days, warmUp, seeds, seed, limits]));
}

type Search = {
  readonly kept: Kept;
  readonly workers: JobWorkers<BacktestJob, Outcome>;
  readonly stopped: Promise<unknown>;
};

/** The runs of the whole search; null: it was stopped. Throws GridError if the budget is too small. */
async function runsOf(
  options: TuneOptions,
  prepared: Prepared,
  { kept, workers, stopped }: Search,
  { clock, stderr }: Host,
): Promise<number | null> {
  const { budget, seeds } = options;
  const [runner] = workers.runners;
  const given = kept.runs ?? options.runs;
  if (given !== undefined || budget === undefined || runner === undefined) {
    const runs = given ?? RUNS_PER_SEED * seeds;
    kept.begin(runs);
    return runs;
  }
  // A run of the present configuration shows how long runs take. With --resume the search does not repeat it.
  const job = { ...prepared.present, ...spanOf(options), seed: options.seed, ...ALIKE };
  const startedMs = clock.monotonicMs();
  const outcome = await Promise.race([runner(job), stopped.then(() => null)]);
  if (outcome === null) return null;
  kept.journal.add(job, outcome);
  const runMs = Math.max(1, clock.monotonicMs() - startedMs);
  const runs = Math.floor((budget * workers.runners.length) / runMs);
  if (runs < runsNeeded(seeds))
    throw new GridError("grid_written", [
      `--budget ${roughText(budget)} is for ${countText(runs, "run")}, and with ${seeds} seeds a search needs ${runsNeeded(seeds)}: fewer --seeds or --days, or more time`,
    ]);
  kept.begin(runs);
  stderr(`quoin: --budget is for ${countText(runs, "run")}; --runs ${runs} is the same search\n`);
  return runs;
}

const spanOf = ({ days, warmUp }: TuneOptions): Pick<TunePlan, "days" | "warmUpDays"> => ({
  days,
  warmUpDays: warmUp ?? usualWarmUpDays(days),
});

/** Rejects with GridError. */
async function planOf(options: TuneOptions, { present, others }: Prepared, runs: number): Promise<TunePlan> {
  const race = racePlan(runs, options.seeds);
  const { seed: firstSeed, seeds, worstDayMin, positionStdMax, uptimeMin, actionsMax } = options;
  const constraints: Constraints = { worstDayMin, positionStdMax, uptimeMin, actionsMax };
  return {
    present,
    others: await others(race.settings - 1),
    race,
    firstSeed,
    seeds,
    ...spanOf(options),
    constraints,
  };
}

function stoppedAt({ resume }: TuneOptions, line: ProgressLine, { stderr }: Host): ExitCode {
  line.clear();
  const again =
    resume === undefined ? "with --resume FOLDER it could go on later" : "the same command goes on from here";
  return endWith(EXIT_FAILED, `stopped before the search was over; ${again}`, { stderr });
}

/** Throws what the file system throws. */
async function report(path: string, { confirmed }: Tuned, { present }: Prepared, options: TuneOptions): Promise<void> {
  const outcomes = confirmed.flatMap((one) => one.outcomes);
  const jobs = confirmed.map(({ settings }) => ({ ...present, settings }));
  const about: About = {
    command: commandOf(options),
    files: [basename(options.config)],
    recording: null,
    configured: await configuredOf(
      jobs,
      outcomes.map(({ line }) => line),
    ),
    holdout: null,
  };
  writeReport(path, reportHtml(about, outcomes));
}

/** The command that makes the same report. */
function commandOf({ config, param, days, warmUp, seeds, seed, runs, ...limits }: TuneOptions): string {
  const given = (name: string, value: number | undefined): readonly string[] =>
    value === undefined ? [] : [`--${name} ${value}`];
  const words = [
    `tune --config ${shellWord(config)}`,
    ...param.map((written) => `--param ${shellWord(written)}`),
    `--days ${days}`,
    ...given("warm-up", warmUp),
    `--seeds ${seeds} --seed ${seed}`,
    ...given("runs", runs),
    ...given("worst-day-min", limits.worstDayMin),
    ...given("position-std-max", limits.positionStdMax),
    ...given("uptime-min", limits.uptimeMin),
    ...given("actions-max", limits.actionsMax),
  ];
  return commandText(words.join(" "));
}

function show(tuned: Tuned, text: string, { json, out }: TuneOptions, host: Host): ExitCode {
  const { candidates, line, settings } = tuned;
  const fragment = settings === null ? "" : fragmentText(text, settings);
  if (json) {
    for (const candidate of candidates) host.stdout(`${JSON.stringify(candidate)}\n`);
    const winner = line.winner === null ? null : { ...line.winner, shadow: fragment };
    host.stdout(`${JSON.stringify({ ...line, winner })}\n`);
  } else host.stdout(`${tunedText(tuned)}${fragment === "" ? "" : `\n${fragment}`}`);
  if (out === undefined || settings === null) return EXIT_DONE;
  try {
    writeOutput(out, (write) => write(withShadows(text, settings)));
  } catch (cause) {
    return endWith(EXIT_FAILED, `${out} cannot be written: ${unwritable(cause)}`, host);
  }
  if (host.terminal.stderr) host.stderr(`the configuration with the winner as a shadow is in ${out}\n`);
  return EXIT_DONE;
}
