// Progress of a backtest: one line that is rewritten, on a terminal only. Also an estimate of a long backtest's duration, once its first
// stretch is measured.

import type { Host } from "../host/host.ts";
import { countText, roughText } from "../kernel/text.ts";

/** How long the first stretch is measured before the rest is estimated. */
const STRETCH_MS = 3000;
/** A shorter wait is not announced. */
const LONG_MS = 60_000;
/** For a longer backtest, a shorter one is suggested that takes at most this long. */
const OFFERED_MS = 300_000;
const BAR_WIDTH = 30;

export type Stage = {
  readonly runs: number;
  /** Number of runs at the same time. */
  readonly atOnce: number;
  /** Called once the stage is measured: returns what to print about the whole. `runMs`: duration of a run. Null: nothing. */
  readonly announce: (runMs: number) => string | null;
  /** Called for each line that is shown: what it says at its end. */
  readonly note?: () => string;
};

/** One line of the terminal; without a terminal it does nothing. */
export type ProgressLine = {
  /** Replaces what it shows. */
  readonly show: (text: string) => void;
  /** Writes a sentence above it, without a terminal too. */
  readonly say: (sentence: string) => void;
  /** Removes the line. Call it before anything else is written. */
  readonly clear: () => void;
};

/** Shows an empty bar at once. */
export function openProgressLine({ terminal, stderr }: Pick<Host, "terminal" | "stderr">): ProgressLine {
  let shown = "";
  const show = (text: string): void => {
    if (!terminal.stderr) return;
    stderr(Buffer.from(`\r${text.padEnd(shown.length)}`));
    shown = text;
  };
  const clear = (): void => {
    if (shown !== "") stderr(Buffer.from(`\r${" ".repeat(shown.length)}\r`));
    shown = "";
  };
  show(barText(0));
  return {
    show,
    say(sentence) {
      const text = shown;
      clear();
      stderr(`quoin: ${sentence}\n`);
      show(text);
    },
    clear,
  };
}

/** Returns a function that takes the share of the stage's runs that is done, 0 to 1. */
export function stageProgress(
  { runs, atOnce, announce, note = () => "" }: Stage,
  line: ProgressLine,
  { clock }: Pick<Host, "clock">,
): (done: number) => void {
  // Runs kept from an earlier call, and the start of threads, do not count as time of the runs.
  let first: { readonly done: number; readonly atMs: number } | null = null;
  let isAnnounced = false;
  return (done) => {
    const atMs = clock.monotonicMs();
    first ??= { done, atMs };
    const [elapsedMs, share] = [atMs - first.atMs, done - first.done];
    if (!isAnnounced && elapsedMs >= STRETCH_MS && share > 0) {
      isAnnounced = true;
      const sentence = announce((elapsedMs * atOnce) / (share * runs));
      if (sentence !== null) line.say(sentence);
    }
    const left = share > 0 && done < 1 ? `, about ${roughText(((1 - done) * elapsedMs) / share)} left` : "";
    line.show(`${barText(done)} of ${countText(runs, "run")}${left}${note()}`);
  };
}

function barText(done: number): string {
  const filled = Math.round(done * BAR_WIDTH);
  return `[${"#".repeat(filled)}${".".repeat(BAR_WIDTH - filled)}] ${(done * 100).toFixed(0)} %`;
}

export type Whole = {
  /** Number of runs on the thread that has most of them. */
  readonly rounds: number;
  readonly threads: number;
  /** Threads of this machine. */
  readonly cores: number;
  /** `--days`, and the share of a run's time that a run of other days takes. Null: a run lasts as long as its recording. */
  readonly length: { readonly days: number; readonly shareOf: (days: number) => number } | null;
};

/** A sentence on how long the whole takes, with a number of days that takes some minutes. Null: it is short. */
export function durationSentence({ rounds, threads, cores, length }: Whole, runMs: number): string | null {
  const wholeMs = rounds * runMs;
  if (wholeMs < LONG_MS) return null;
  const takes = `about ${roughText(wholeMs)} on ${countText(threads, threads > cores ? "thread" : "core")}`;
  const shorter = length === null || wholeMs <= OFFERED_MS ? null : fewerDays(length, wholeMs);
  const instead = shorter === null ? "" : `; --days ${shorter.days} takes about ${roughText(shorter.takesMs)}`;
  return `this takes ${takes}${instead}`;
}

/** From 500 down to 0.001. */
const ROUND_DAYS = [-2, -1, 0, 1, 2, 3].flatMap((power) => [5, 2, 1].map((digit) => digit / 10 ** power));

function fewerDays({ days, shareOf }: NonNullable<Whole["length"]>, wholeMs: number) {
  const fewer = ROUND_DAYS.find((some) => some < days && wholeMs * shareOf(some) <= OFFERED_MS);
  return fewer === undefined ? null : { days: fewer, takesMs: wholeMs * shareOf(fewer) };
}
