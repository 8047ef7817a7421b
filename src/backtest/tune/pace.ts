// How long a run takes, measured before a search whose number of runs a time limit chooses.

import type { RunJob } from "../../jobs/job-workers.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { BacktestJob, Outcome } from "../outcome.ts";
import type { Journal } from "../run-files.ts";
import { sumOf } from "../summary.ts";

/** A thread's first runs go to its start and to compilation, so each thread makes so many, for so long. */
const TIMED_RUNS = 4;
const TIMED_MS = 10_000;
/** The share of a time limit that may pass until the last of these begins. Longer runs hardly notice a start. */
const TIMED_SHARE = 0.1;

export type PaceModules = {
  readonly runners: readonly RunJob<BacktestJob, Outcome>[];
  readonly stopped: Promise<unknown>;
  /** Keeps these runs, so that the search does not repeat them. */
  readonly journal: Pick<Journal, "finished" | "add">;
  readonly clock: Pick<Clock, "monotonicMs">;
};

/**
 * Resolves with how many runs like `jobs` all threads finish in what timing them leaves of `limitMs`; null: it was stopped. The threads run at the
 * same time, as in the search, and the first half of each thread's runs does not count. Rejects with what a run throws.
 */
export async function runsWithin(
  limitMs: number,
  jobs: readonly BacktestJob[],
  { runners, stopped, journal, clock }: PaceModules,
): Promise<number | null> {
  const startedMs = clock.monotonicMs();
  const elapsedMs = (): number => clock.monotonicMs() - startedMs;
  const isTimed = (runs: number): boolean =>
    (runs >= TIMED_RUNS && elapsedMs() >= TIMED_MS) || elapsedMs() >= TIMED_SHARE * limitMs;
  const turns = forever(jobs);
  const lanes = runners.map(async (run) => {
    const timed: Timed[] = [];
    for (const job of turns) {
      const fromMs = elapsedMs();
      const outcome = await run(job);
      timed.push({ days: job.days, ms: elapsedMs() - fromMs });
      if (journal.finished(job) === undefined) journal.add(job, outcome);
      if (isTimed(timed.length)) break;
    }
    return timed.slice(Math.floor(timed.length / 2));
  });
  const timed = await Promise.race([Promise.all(lanes), stopped.then(() => null)]);
  if (timed === null) return null;
  const counted = timed.flat();
  const days = sumOf(jobs, (job) => job.days) / jobs.length;
  const runMs = (days * sumOf(counted, ({ ms }) => ms)) / sumOf(counted, (one) => one.days);
  return Math.floor((Math.max(0, limitMs - elapsedMs()) * runners.length) / Math.max(1, runMs));
}

type Timed = { readonly days: number; readonly ms: number };

function* forever<Item>(items: readonly Item[]): Generator<Item> {
  for (;;) yield* items;
}
