// `quoin tune`: searches parameters by backtests, and prints whether one setting is better than the present configuration. The winner is
// handed over as a `shadow:`; the configuration's own file is never written.

import { basename, join } from "node:path";
import { jobsOf, type MarketSpan, runBacktests, usualWarmUpDays } from "../backtest/backtest.ts";
import { GridError } from "../backtest/grid.ts";
import type { BacktestJob, Outcome } from "../backtest/outcome.ts";
import { openRecordings, spansOf } from "../backtest/recorded/recordings.ts";
import { surveyOf } from "../backtest/recorded/survey.ts";
import { configuredOf } from "../backtest/report/configured.ts";
import type { About } from "../backtest/report/first-fold.ts";
import { reportHtml } from "../backtest/report/page.ts";
import { searchCards } from "../backtest/report/search.ts";
import { type Journal, openJournal, resuming, writeReport } from "../backtest/run-files.ts";
import { startRunWorkers } from "../backtest/run-workers.ts";
import { ScreenError } from "../backtest/screen/screen-exchange.ts";
import { fragmentText, withShadows } from "../backtest/tune/hand-over.ts";
import type { Constraints } from "../backtest/tune/judge.ts";
import { runsWithin } from "../backtest/tune/pace.ts";
import { type Prepared, prepareTune, type Tried } from "../backtest/tune/prepare.ts";
import { FIRST_SEEDS, racePlan, runsNeeded } from "../backtest/tune/race.ts";
import { tuneRecorded } from "../backtest/tune/recorded.ts";
import { PRESENT, screened } from "../backtest/tune/screening.ts";
import { parseParam } from "../backtest/tune/space.ts";
import { tunedText } from "../backtest/tune/table.ts";
import { ALIKE, type RunJobs, tune as search, type Tuned } from "../backtest/tune/tune.ts";
import type { Setting } from "../bot/config/setting.ts";
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
import { readYaml } from "../kernel/yaml/yaml.ts";
import {
  durationSentence,
  openProgressLine,
  type ProgressLine,
  stageProgress,
  type Whole,
} from "./backtest-progress.ts";
import { whyUnusable } from "./recorded.ts";
import { screeningOf } from "./screening.ts";

export type TuneOptions = Constraints & {
  readonly config: string;
  /** `PATH=LOW..HIGH`, `PATH=V1,V2,…` or `PATH` each. */
  readonly param: readonly string[];
  /** Recordings in whose markets settings run. Empty: the embedded exchange. */
  readonly recording: readonly string[];
  /** Days in the devnet, like the seeds. */
  readonly days: number;
  /** Undefined: the usual warm-up, none in a recording. */
  readonly warmUp?: number;
  /** Seeds of the search; the confirmation uses as many. */
  readonly seeds: number;
  /** The first seed. */
  readonly seed: bigint;
  /** Runs in all. Undefined: `budget` chooses them, or the usual number. */
  readonly runs?: number;
  /** How long it may take, ms. */
  readonly budget?: number;
  /** Settings that are screened to choose those that race. Undefined: none. */
  readonly screen?: number;
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
    else {
      const why = error instanceof ScreenError ? error.message : whyUnusable(error, "");
      if (why === null) throw error;
      host.stderr(`quoin: ${why}\n`);
    }
    return EXIT_USAGE;
  }
}

async function run(options: TuneOptions, line: ProgressLine, host: Host): Promise<ExitCode> {
  const stopped = untilStopped(host);
  const runsIn = options.recording.length > 0 ? "recording" : "devnet";
  const prepared = await prepareTune(options.config, options.param.map(parseParam), host.files, runsIn);
  checkOutputs(options, prepared, host);
  const text = prepared.present.sources[0]?.text ?? "";
  if (options.out !== undefined) checkCopy(options, prepared, text);
  const method = runsIn === "devnet" ? onDevnet(options, prepared, host) : onRecordings(options, prepared, line);
  checkRuns(options.runs, method);
  const kept = openFolder(options, { prepared, method }, host);
  const workers = startRunWorkers(options.workers);
  let tuned: Tuned | null;
  let runs: number | null;
  let finished = 0;
  try {
    runs = await runsOf(options, { prepared, method, kept, workers, stopped, line }, host);
    if (runs === null) return stoppedAt(options, line, host);
    const planned = runs;
    const threads = Math.min(workers.runners.length, planned);
    const whole = { rounds: Math.ceil(planned / threads), threads, cores: host.cores, length: null };
    line.say(beginSentence(options, whole, planned));
    let best = "";
    const begin = () =>
      stageProgress(
        { runs: planned, atOnce: threads, announce: (runMs) => durationSentence(whole, runMs), note: () => best },
        line,
        host,
      );
    let report: ReturnType<typeof begin> | null = null;
    const runJobs: RunJobs = async (jobs) => {
      // Screening is no part of the planned runs: how long these take is measured from the first one.
      const counted = jobs.filter(({ approximate }) => approximate === undefined).length;
      if (counted > 0) report ??= begin();
      const outcomes = await runBacktests(jobs, {
        runners: workers.runners,
        stopped,
        finished: kept.journal.finished,
        onFinished: kept.journal.add,
        onProgress: (done) => report?.(Math.min(1, (finished + done * counted) / planned)),
      });
      finished += counted;
      return outcomes.length < jobs.length ? null : outcomes;
    };
    tuned = await method.search(planned, runJobs, (score) => {
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

/** The search before anything of it is measured, so that a person sees at once what was understood. */
function beginSentence({ recording, days, screen }: TuneOptions, { threads, cores }: Whole, runs: number): string {
  const where =
    recording.length > 0 ? `in ${countText(recording.length, "recording")}` : `of ${countText(days, "day")}`;
  const screening = screen === undefined ? "" : `${screen} settings are screened, then `;
  const on = countText(threads, threads > cores ? "thread" : "core");
  return `${screening}up to ${countText(runs, "run")} ${where} on ${on}; if they take more than a minute, it soon says how long`;
}

/** Throws GridError for an output that would replace the configuration, a file that this names, or a recording. */
function checkOutputs({ out, report: page, recording }: TuneOptions, { present }: Prepared, { files }: Host): void {
  const absolute = (path: string): string => files.resolve("", path);
  const named = new Set([
    ...recording.map(absolute),
    ...present.sources.flatMap(({ path, text }) => [
      absolute(path),
      ...(/\.ya?ml$/.test(path) ? textsIn(readYaml(text).value).map((name) => files.resolve(path, name)) : []),
    ]),
  ]);
  for (const [option, file] of Object.entries({ out, report: page })) {
    if (file === undefined || !named.has(absolute(file))) continue;
    const what =
      absolute(file) === absolute(present.file) ? "the configuration itself" : "a file that the search reads";
    throw new GridError("grid_written", [`--${option} ${file} is ${what}; name another file`]);
  }
  if (out !== undefined && page !== undefined && absolute(out) === absolute(page))
    throw new GridError("grid_written", [`--out and --report are both ${out}; name two files`]);
}

/** Every text in a file, since any may name another file. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Throws GridError if the file's form allows no shadow to be written into a copy. */
function checkCopy({ config }: TuneOptions, { params }: Prepared, text: string): void {
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

/** How settings are tried. */
type Method = {
  /** The markets in which each setting runs. */
  readonly markets: readonly MarketSpan[];
  /** Seeds in each of them, until the confirmation. */
  readonly seeds: number;
  /** Fewest runs of a search, and what needs them. */
  readonly needed: number;
  readonly neededFor: string;
  /** Runs where neither `--runs` nor `--budget` says how many. */
  readonly usual: number;
  readonly search: (runs: number, run: RunJobs, onBest: (score: number) => void) => Promise<Tuned | null>;
};

const constraintsOf = ({ worstDayMin, positionStdMax, uptimeMin, actionsMax }: TuneOptions): Constraints => ({
  worstDayMin,
  positionStdMax,
  uptimeMin,
  actionsMax,
});

/** Throws GridError. */
function onDevnet(options: TuneOptions, { present, others, further, bot }: Prepared, host: Host): Method {
  const { days, warmUp, seeds, seed: firstSeed, screen } = options;
  if (seeds < FIRST_SEEDS)
    throw new GridError("grid_written", [`--seeds ${seeds}: a search needs ${FIRST_SEEDS} seeds at least`]);
  const span = { days, warmUpDays: warmUp ?? usualWarmUpDays(days) };
  const constraints = constraintsOf(options);
  const approximate = screen === undefined ? undefined : screeningOf([bot], host);
  return {
    markets: [span],
    seeds,
    needed: runsNeeded(seeds),
    neededFor: `${seeds} seeds`,
    usual: RUNS_PER_SEED * seeds,
    search: async (runs, run, onBest) => {
      const race = racePlan(runs, seeds);
      const racing = race.settings - 1;
      const plan = { present, race, firstSeed, seeds, ...span, constraints };
      // Half is spread evenly; the other half is where the scores of the first promise most.
      const all = Math.max(racing, screen ?? 0);
      const settings = await others(Math.ceil(all / 2));
      const more = (tried: readonly Tried[]) => further(tried, all - tried.length);
      if (approximate === undefined) return await search({ ...plan, others: settings, further: more }, run, onBest);
      const screening = { present, settings, further: more, racing, firstSeed, market: span, approximate };
      const found = await screened(screening, run);
      if (found === null) return null;
      const screenedScore = (of: readonly Setting[]) => found.scores.get(of.length === 0 ? PRESENT : of) ?? null;
      return await search({ ...plan, others: found.racing, screenedScore }, run, onBest);
    },
  };
}

/** Number of settings on recordings beside the present one: the fewest, and the default. */
const RECORDED_SETTINGS = { least: 4, usual: 32 };

/** Throws GridError, and what reading a recording throws. */
function onRecordings(options: TuneOptions, prepared: Prepared, line: ProgressLine): Method {
  const { recording, seed, warmUp = 0, screen } = options;
  if (screen !== undefined)
    throw new GridError("grid_refused", [
      `--screen ${screen} is not for recordings: it would choose settings by the very blocks that test them; --runs tries more settings`,
    ]);
  const { present, others, neighborsOf, params, bot } = prepared;
  line.say(`reading ${countText(recording.length, "recording")}`);
  const opened = openRecordings(recording, [bot]);
  const markets = spansOf(opened, warmUp);
  const { fills, halfLifeMs } = surveyOf(opened);
  const empty = opened[fills.indexOf(0)];
  if (empty !== undefined)
    throw new GridError("grid_refused", [
      `--recording ${empty.source.path}: no order of its accounts was filled, so nothing shows how orders fill there`,
    ]);
  const neighbors = 2 * params.filter((param) => "low" in param).length;
  const runsFor = (settings: number): number => markets.length * (1 + settings + neighbors);
  return {
    markets,
    seeds: 1,
    needed: runsFor(RECORDED_SETTINGS.least),
    neededFor: countText(markets.length, "recording"),
    usual: runsFor(RECORDED_SETTINGS.usual),
    search: async (runs, run, onBest) => {
      const settings = Math.floor(runs / markets.length) - 1 - neighbors;
      const tried = { present, others: await others(settings), neighborsOf };
      const plan = { ...tried, markets, seed, constraints: constraintsOf(options), halfLifeMs };
      return await tuneRecorded(plan, run, onBest);
    },
  };
}

/** Throws GridError where there are too few. */
function checkRuns(runs: number | undefined, { needed, neededFor }: Method): void {
  if (runs !== undefined && runs < needed)
    throw new GridError("grid_written", [`--runs ${runs}: with ${neededFor} a search needs ${needed} runs at least`]);
}

/** Throws GridError if the folder belongs to another search, or cannot be used. */
function openFolder(
  options: TuneOptions,
  { prepared: { present }, method }: { readonly prepared: Prepared; readonly method: Method },
  { files, sourceHash }: Host,
): Kept {
  const { resume: folder } = options;
  if (folder === undefined) return { journal: openJournal(null, sourceHash()), runs: null, begin: () => {} };
  const file = join(folder, "tune.json");
  const hashes = [...present.sources, ...method.markets.flatMap(({ recording }) => recording ?? [])];
  const search = searchHash(
    options,
    hashes.map(({ hash }) => hash),
    sourceHash(),
  );
  let runs: number | null = null;
  if (files.exists(file)) {
    const written = resuming(file, "read", () => mappingOf(parseJson(files.read(file))));
    const isSame = written.search === search && (options.runs === undefined || written.runs === options.runs);
    if (!isSame)
      throw new GridError("grid_refused", [
        `--resume ${folder} is of another search: of other options, recordings, files or version; name another folder`,
      ]);
    runs = Number(written.runs);
  }
  resuming(folder, "written", makeFolder);
  return {
    journal: openJournal(join(folder, "runs.jsonl"), sourceHash()),
    runs,
    begin(count) {
      if (runs !== null) return;
      resuming(file, "written", () => files.create(file, `${stringifyJson({ search, runs: count })}\n`));
    },
  };
}

/** Everything that decides the result but the number of runs. */
function searchHash(options: TuneOptions, sources: readonly string[], program: string): string {
  const { param, days, warmUp = null, seeds, seed, screen = null } = options;
  const { worstDayMin = null, positionStdMax = null, uptimeMin = null, actionsMax = null } = options;
  const limits: Json = [worstDayMin, positionStdMax, uptimeMin, actionsMax];
  return sha256Hex(stringifyJson([program, sources, param, days, warmUp, seeds, seed, limits, screen]));
}

type Search = {
  readonly prepared: Prepared;
  readonly method: Method;
  readonly kept: Kept;
  readonly workers: JobWorkers<BacktestJob, Outcome>;
  readonly stopped: Promise<unknown>;
  readonly line: ProgressLine;
};

/** The runs of the whole search; null: it was stopped. Throws GridError if the budget is too small. */
async function runsOf(
  { budget, seed: firstSeed, runs: wanted }: TuneOptions,
  { prepared: { present }, method, kept, workers: { runners }, stopped, line }: Search,
  { clock }: Host,
): Promise<number | null> {
  const given = kept.runs ?? wanted;
  if (given !== undefined || budget === undefined) {
    const runs = given ?? method.usual;
    kept.begin(runs);
    return runs;
  }
  line.say(`timing the present configuration: --budget ${roughText(budget)} chooses the runs`);
  const { markets, seeds } = method;
  const jobs = jobsOf({ cells: [present], firstSeed, seeds, markets, ...ALIKE });
  const runs = await runsWithin(budget, jobs, { runners, stopped, journal: kept.journal, clock });
  if (runs === null) return null;
  if (runs < method.needed)
    throw new GridError("grid_written", [
      `--budget ${roughText(budget)} is for ${countText(runs, "run")}, and with ${method.neededFor} a search needs ${method.needed}: fewer or shorter runs, or more time`,
    ]);
  kept.begin(runs);
  line.say(`--budget is for ${countText(runs, "run")}; --runs ${runs} is the same search`);
  return runs;
}

function stoppedAt({ resume }: TuneOptions, line: ProgressLine, { stderr }: Host): ExitCode {
  line.clear();
  const again =
    resume === undefined ? "with --resume FOLDER it could go on later" : "the same command goes on from here";
  return endWith(EXIT_FAILED, `stopped before the search was over; ${again}`, { stderr });
}

/** Throws what the file system throws. */
async function report(path: string, tuned: Tuned, { present }: Prepared, options: TuneOptions): Promise<void> {
  const { confirmed } = tuned;
  const outcomes = confirmed.flatMap((one) => one.outcomes);
  const jobs = confirmed.map(({ settings }) => ({ ...present, settings }));
  const about: About = {
    command: commandOf(options),
    files: [basename(options.config)],
    recording: options.recording.length === 0 ? null : options.recording.map((path) => basename(path)).join(", "),
    configured: await configuredOf(
      jobs,
      outcomes.map(({ line }) => line),
    ),
    holdout: null,
    search: searchCards(tuned),
  };
  writeReport(path, reportHtml(about, outcomes));
}

/** The command that makes the same report. */
function commandOf({ config, param, recording, days, warmUp, seeds, seed, runs, ...limits }: TuneOptions): string {
  const given = (name: string, value: number | undefined): readonly string[] =>
    value === undefined ? [] : [`--${name} ${value}`];
  const words = [
    `tune --config ${shellWord(config)}`,
    ...param.map((written) => `--param ${shellWord(written)}`),
    ...recording.map((path) => `--recording ${shellWord(path)}`),
    ...(recording.length > 0 ? [] : [`--days ${days}`]),
    ...given("warm-up", warmUp),
    ...(recording.length > 0 ? [] : [`--seeds ${seeds}`]),
    `--seed ${seed}`,
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
  if (out === undefined) return EXIT_DONE;
  if (settings === null) return endWith(EXIT_DONE, `there is no winner, so ${out} is not written`, host);
  try {
    writeOutput(out, (write) => write(withShadows(text, settings)));
  } catch (cause) {
    return endWith(EXIT_FAILED, `${out} cannot be written: ${unwritable(cause)}`, host);
  }
  if (host.terminal.stderr) host.stderr(`the configuration with the winner as a shadow is in ${out}\n`);
  return EXIT_DONE;
}
