// Many runs: every cell of the grid with every seed, on all workers. Each finished run is reported at once; a run that an earlier call
// finished is not repeated.

import { isSpread, type RunJob } from "../jobs/job-workers.ts";
import type { Cell } from "./grid.ts";
import type { BacktestJob, Outcome } from "./outcome.ts";

export type BacktestPlan = {
  readonly cells: readonly Cell[];
  readonly firstSeed: bigint;
  readonly seeds: number;
  readonly days: number;
  readonly warmUpDays: number;
  readonly world: BacktestJob["world"];
  readonly shortcuts: boolean;
  readonly keepsFills: boolean;
  readonly recording?: string;
};

export type BacktestModules = {
  /** Each carries out one run at a time. */
  readonly runners: readonly RunJob<BacktestJob, Outcome>[];
  /** From then on no run is begun, and those under way are given up. */
  readonly stopped: Promise<unknown>;
  /** What an earlier call has finished; undefined: nothing. */
  readonly finished: (job: BacktestJob) => Outcome | undefined;
  readonly onFinished: (job: BacktestJob, outcome: Outcome) => void;
  /** Called with the share of all runs that is done, 0 to 1. */
  readonly onProgress: (done: number) => void;
};

/** The longest warm-up that is taken unless another is asked for: the crowd's premium has forgotten where it began, estimates weigh data. */
const WARM_UP_DAYS_MAX = 0.25;

/** A quarter of what is counted, so that a short run stays short. */
export const usualWarmUpDays = (days: number): number => Math.min(days / 4, WARM_UP_DAYS_MAX);

/** The runs of a plan: by cell, then by seed. */
export const jobsOf = ({ cells, firstSeed, seeds, ...same }: BacktestPlan): readonly BacktestJob[] =>
  cells.flatMap((cell) =>
    Array.from({ length: seeds }, (_, nth) => ({ ...same, ...cell, seed: firstSeed + BigInt(nth) })),
  );

/**
 * Resolves with the outcomes by cell, then by seed; once it is stopped, with those there are. Rejects with what a runner throws.
 */
export async function runBacktests(
  jobs: readonly BacktestJob[],
  modules: BacktestModules,
): Promise<readonly Outcome[]> {
  const { runners, stopped, finished, onFinished, onProgress } = modules;
  const outcomes = jobs.map(finished);
  const shares = outcomes.map((outcome): number => (outcome === undefined ? 0 : 1));
  const share = (nth: number, part: number): void => {
    shares[nth] = part;
    onProgress(shares.reduce((sum, each) => sum + each, 0) / jobs.length);
  };
  const left = jobs.flatMap((job, nth) => (outcomes[nth] === undefined ? [{ job, nth }] : []));
  await isSpread(
    left,
    async ({ job, nth }, run: RunJob<BacktestJob, Outcome>) => {
      const outcome = await run(job, (part) => share(nth, part));
      outcomes[nth] = outcome;
      onFinished(job, outcome);
      share(nth, 1);
    },
    runners,
    stopped,
  );
  return outcomes.filter((outcome) => outcome !== undefined);
}
