// `quoin ablate`: runs a recorded day again with one part of the bot neutral at a time, and prints what each earned or cost.

import {
  type AblatedLine,
  type AblationEnd,
  type AblationJob,
  ablate as ablateRecording,
  isInert,
} from "../backtest/recorded/ablate.ts";
import { startAblationWorkers } from "../backtest/recorded/ablation-workers.ts";
import { recordedBot } from "../backtest/recorded/recorded-bot.ts";
import { sumOf } from "../backtest/summary.ts";
import { aligned } from "../backtest/table.ts";
import { StrategyFault } from "../bot/strategy/loader.ts";
import { queueModelText } from "../domain/queue.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host, untilStopped } from "../host/host.ts";
import { isSpread, type JobWorkers, type RunJob } from "../jobs/job-workers.ts";
import { durationSentence, openProgressLine, type ProgressLine, stageProgress } from "./backtest-progress.ts";
import { withRecording } from "./recorded.ts";

export type AblateOptions = { readonly workers: number; readonly json: boolean };

/** Exit 2 when the recording cannot be used, 1 when it was stopped. */
export const ablate = (path: string, { workers: wanted, json }: AblateOptions, host: Host): Promise<ExitCode> =>
  withRecording(path, host, async () => {
    const stopped = untilStopped(host);
    const line = openProgressLine(host);
    const workers = startAblationWorkers(wanted);
    try {
      const { isChanged } = await recordedBot(path);
      if (isChanged) host.stderr("quoin: the configuration changed during the recording; the one of its start runs\n");
      const lines = await ablateRecording(path, (jobs) => runAll(jobs, { workers, stopped, line }, host));
      line.clear();
      if (lines === null) return endWith(EXIT_FAILED, "stopped before all had run", host);
      if (json) for (const each of lines) host.stdout(`${JSON.stringify(each)}\n`);
      else host.stdout(tableText(lines));
      return EXIT_DONE;
    } catch (error) {
      line.clear();
      if (!(error instanceof StrategyFault)) throw error;
      return endWith(EXIT_USAGE, error.message, host);
    } finally {
      await workers.close();
    }
  });

type Running = {
  readonly workers: JobWorkers<AblationJob, AblationEnd>;
  readonly stopped: Promise<unknown>;
  readonly line: ProgressLine;
};

async function runAll(
  jobs: readonly AblationJob[],
  { workers, stopped, line }: Running,
  host: Host,
): Promise<readonly AblationEnd[] | null> {
  const threads = Math.min(workers.runners.length, jobs.length);
  const whole = { rounds: Math.ceil(jobs.length / threads), threads, cores: host.cores, length: null };
  const progress = stageProgress(
    { runs: jobs.length, atOnce: threads, announce: (runMs) => durationSentence(whole, runMs) },
    line,
    host,
  );
  const shares = jobs.map(() => 0);
  const share = (nth: number, part: number): void => {
    shares[nth] = part;
    progress(sumOf(shares, (each) => each) / jobs.length);
  };
  const ends = new Map<number, AblationEnd>();
  await isSpread(
    jobs.map((job, nth) => ({ job, nth })),
    async ({ job, nth }, run: RunJob<AblationJob, AblationEnd>) => {
      ends.set(nth, await run(job, (part) => share(nth, part)));
      share(nth, 1);
    },
    workers.runners,
    stopped,
  );
  return ends.size < jobs.length ? null : jobs.flatMap((_, nth) => ends.get(nth) ?? []);
}

const HEAD = ["", "earned, USDC", "95 % from", "to", "fills", "orders sent"];

function tableText(lines: readonly AblatedLine[]): string {
  const digits = (value: number | null): string => value?.toFixed(2) ?? "-";
  const rows = lines
    .filter((line) => !isInert(line))
    .map(({ what, pnl, ci95: [low, high], fills, commands }) => [
      ...[what, Number(pnl).toFixed(2), digits(low), digits(high)],
      ...[`${fills}`, `${commands}`],
    ]);
  const inert = lines.filter(isInert).map(({ what }) => what);
  return [
    rows.length === 0 ? "" : aligned([HEAD, ...rows]),
    inert.length === 0 ? "" : `changed nothing: ${inert.join(", ")}\n`,
    `With everything less without that one thing; at mid, ${intervalText(lines[0]?.ci95Over ?? null)}.\n`,
    biasText(lines[0]?.bias ?? null),
  ].join("");
}

/** The runs of a recording have the same prints, so every interval is over the same pieces. */
function intervalText(over: AblatedLine["ci95Over"]): string {
  if (over === null) return "too short for an interval";
  const { pieces, count } = over;
  const text = pieces === "blocks" ? "blocks from print to print" : "equal stretches, since prints are too few";
  return `95 % by Student's t over ${count} ${text}`;
}

function biasText(bias: AblatedLine["bias"]): string {
  if (bias === null)
    return "No order of the recording was filled, so nothing shows how far the queue model is from it.\n";
  const { model, biasPercent, tooFewFills } = bias;
  const percent = Math.abs(biasPercent ?? 0).toFixed(1);
  return `Queue model ${queueModelText(model, tooFewFills)}. It fills ${percent} % ${(biasPercent ?? 0) < 0 ? "less" : "more"} volume than was filled (quoin reconcile).\n`;
}
