// `quoin simulate`: runs worlds of bot, exchange, network, disk and clocks under faults, one per seed, and prints how to repeat each world
// that breaks a law.

import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host, untilStopped } from "../host/host.ts";
import type { JobWorkers } from "../jobs/job-workers.ts";
import { countText } from "../kernel/text.ts";
import { commandText } from "../kernel/typed-command.ts";
import { type Campaign, type Failure, runCampaign } from "../sim/campaign.ts";
import { type Coverage, coverageRecord, emptyCells, orderStates } from "../sim/coverage.ts";
import { type FaultKind, faultKinds, faultLine, faultNumbers } from "../sim/faults/fault.ts";
import { laws } from "../sim/invariants/law.ts";
import type { Uptime } from "../sim/quote-uptime.ts";
import { type RunEnd, runWorld, type WorldJob } from "../sim/run.ts";
import { worldJobs } from "../sim/world-text.ts";
import { startWorldWorkers } from "../sim/world-workers.ts";

export type SimulateOptions = {
  readonly seeds: number;
  /** The first seed. */
  readonly seed: bigint;
  readonly minutes: number;
  /** Number of threads. */
  readonly workers: number;
  /** Runs on all workers of the fleet that `config` names, instead of threads of this process. */
  readonly queue: boolean;
  readonly config?: string;
  readonly json: boolean;
  /** Runs only the first world and prints every line of its trace. */
  readonly trace: boolean;
};

/** One seed in this many is run twice, to check that equal seeds run equally. */
const REPEAT_EVERY = 100;
const LAST_LINES = 40;
const BAR_WIDTH = 30;
/** A shorter campaign cannot fill the table of coverage, so its empty entries are not listed. */
const EMPTY_NAMED_MAX = 20;
/** Time between two lines of progress without a terminal. */
const PROGRESS_MS = 10_000;

/** After SIGINT or SIGTERM it prints what it has and exits with 1, since worlds are missing. */
export async function simulate(options: SimulateOptions, host: Host): Promise<ExitCode> {
  if (!options.queue && options.config !== undefined)
    return endWith(
      EXIT_USAGE,
      "--queue and --config FILE go together: `fleet` of FILE names the workers' database",
      host,
    );
  if (options.trace) return traceWorld(options, host);
  const { seeds, seed, minutes } = options;
  const startedMs = host.clock.monotonicMs();
  const elapsed = (): number => host.clock.monotonicMs() - startedMs;
  const onSeed = showProgress(seeds, elapsed, host);
  const workers = await startWorkers(options, host);
  if (workers === undefined) return EXIT_FAILED;
  const modules = { runners: workers.runners, stopped: untilStopped(host), onSeed };
  const campaign = await runCampaign({ firstSeed: seed, seeds, minutes, repeatEvery: REPEAT_EVERY }, modules).finally(
    workers.close,
  );
  if (host.terminal.stderr) host.stderr("\n");
  const isComplete = campaign.seeds === seeds;
  if (!isComplete) host.stderr(`stopped after ${campaign.seeds} of ${seeds} seeds\n`);
  if (options.json) host.stdout(`${JSON.stringify(jsonOf(campaign, elapsed()))}\n`);
  else host.stdout(textOf(campaign, minutes, elapsed()));
  return isComplete && campaign.failures.length + campaign.differing.length === 0 ? EXIT_DONE : EXIT_FAILED;
}

/** Undefined: there are none, and stderr says why. */
async function startWorkers(
  { config, seeds, workers }: SimulateOptions,
  host: Host,
): Promise<JobWorkers<WorldJob, RunEnd> | undefined> {
  if (config === undefined) return startWorldWorkers(Math.min(workers, seeds));
  const { openRunners } = await import("./open-queue.ts");
  return await openRunners(config, worldJobs, seeds, host);
}

/** On a terminal one line that is rewritten, elsewhere a line from time to time. */
function showProgress(wanted: number, elapsed: () => number, { terminal, stderr }: Host): (sofar: Campaign) => void {
  let shownMs = 0;
  return (sofar) => {
    const line = progress(sofar, wanted, elapsed());
    if (terminal.stderr) stderr(Buffer.from(`\r${line}`));
    else if (elapsed() - shownMs >= PROGRESS_MS) {
      shownMs = elapsed();
      stderr(`${line}\n`);
    }
  };
}

async function traceWorld({ seed, minutes }: SimulateOptions, host: Host): Promise<ExitCode> {
  const { violation } = await runWorld({ seed, minutes, onLine: (line) => host.stdout(`${line}\n`) });
  return violation === null ? EXIT_DONE : EXIT_FAILED;
}

function progress({ seeds, simulatedMs, failures }: Campaign, wanted: number, elapsedMs: number): string {
  const filled = Math.round((seeds / wanted) * BAR_WIDTH);
  const bar = `${"#".repeat(filled)}${".".repeat(BAR_WIDTH - filled)}`;
  const pace = `${((seeds / elapsedMs) * 1000).toFixed(1)} seeds/s, ${hours(simulatedMs)} simulated`;
  return `[${bar}] ${seeds}/${wanted} ${pace}, ${failures.length} failed `;
}

const hours = (ms: number): string => `${(ms / 3_600_000).toFixed(1)} h`;

function textOf(campaign: Campaign, minutes: number, elapsedMs: number): string {
  const { seeds, simulatedMs, events, fills, uptime, coverage, failures, differing, repeated } = campaign;
  const empty = emptyCells(coverage);
  return [
    `${countText(seeds, "seed")}, ${hours(simulatedMs)} simulated in ${(elapsedMs / 1000).toFixed(1)} s (${Math.round(simulatedMs / elapsedMs)} x real time), ${events} events, ${fills} fills`,
    `quote uptime ${(shareOf(uptime) * 100).toFixed(1)} % of the time since a market was first quoted, under faults`,
    "",
    "faults by the state of our orders when they struck:",
    table(coverage),
    emptyText(empty),
    "",
    `run twice: ${countText(repeated, "seed")}; ${differing.length === 0 ? "each gave the same hash" : `these gave another: ${differing.join(", ")}`}`,
    failures.length === 0 ? "no law was broken" : `broke a law: ${countText(failures.length, "seed")}`,
    ...failures.map((failure) => failureText(failure, minutes)),
    "",
  ].join("\n");
}

/** Share of market-seconds with orders of ours on both sides. 0 when no market was ever quoted. */
const shareOf = ({ quotedMs, marketMs }: Uptime): number => (marketMs === 0 ? 0 : quotedMs / marketMs);

function emptyText(empty: readonly string[]): string {
  if (empty.length === 0) return "no cell is empty";
  const names = empty.length > EMPTY_NAMED_MAX ? "" : `: ${empty.join(", ")}`;
  return `empty: ${countText(empty.length, "cell")}${names}`;
}

function table(coverage: Coverage): string {
  const row = (name: string, cells: readonly string[]): string =>
    `  ${name.padEnd(18)}${cells.map((cell) => cell.padStart(11)).join("")}`;
  const count = (kind: FaultKind, state: (typeof orderStates)[number]): string =>
    `${coverage.get(kind)?.get(state) ?? "-"}`;
  return [
    row("", orderStates),
    ...faultKinds.map((kind) =>
      row(
        `${faultNumbers[kind]} ${kind}`,
        orderStates.map((state) => count(kind, state)),
      ),
    ),
  ].join("\n");
}

function failureText({ end, shrunk }: Failure, minutes: number): string {
  const { seed, violation, lines, faults } = end;
  if (violation === null) return "";
  return [
    "",
    `seed ${seed}: ${violation.law}, ${laws[violation.law]}`,
    `  at ${(violation.atMs / 1000).toFixed(3)} s: ${violation.text}`,
    `  repeat: ${commandText(`simulate --seeds 1 --seed ${seed} --minutes ${minutes}`)}`,
    `  ${shrunk.length} of its ${faults.length} faults are enough to break it:`,
    ...shrunk.map((fault) => `    ${faultLine(fault)}`),
    "  last events:",
    ...lines.slice(-LAST_LINES).map((line) => `    ${line.slice(0, 200)}`),
  ].join("\n");
}

function jsonOf(campaign: Campaign, elapsedMs: number) {
  const { seeds, simulatedMs, events, fills, uptime, coverage, failures, differing } = campaign;
  return {
    seeds,
    simulatedMs: Math.round(simulatedMs),
    elapsedMs: Math.round(elapsedMs),
    timesRealTime: Math.round(simulatedMs / elapsedMs),
    events,
    fills,
    quoteUptime: Number(shareOf(uptime).toFixed(4)),
    coverage: coverageRecord(coverage),
    emptyCells: emptyCells(coverage),
    differing: differing.map(String),
    failures: failures.map(({ end, shrunk }) => ({
      seed: `${end.seed}`,
      law: end.violation?.law,
      atMs: end.violation?.atMs,
      text: end.violation?.text,
      faults: shrunk.map(faultLine),
    })),
  };
}
