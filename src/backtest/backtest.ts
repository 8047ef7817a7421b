// Runs a backtest: every cell of the grid with every seed, on all workers. Each finished run is reported at once; a run that an earlier
// call finished is not repeated.

import { isSpread, type RunJob } from "../jobs/job-workers.ts";
import type { Cell } from "./grid.ts";
import type { BacktestJob, Outcome } from "./outcome.ts";

export type BacktestPlan = {
  readonly cells: readonly Cell[];
  readonly firstSeed: bigint;
  readonly seeds: number;
  /** One for the devnet, or one per recording. */
  readonly markets: readonly MarketSpan[];
  readonly world: BacktestJob["world"];
  readonly shortcuts: boolean;
  readonly keepsFills: boolean;
  readonly approximate?: NonNullable<BacktestJob["approximate"]>;
};

/** A market in which every cell runs with every seed, and for how long. */
export type MarketSpan = Pick<BacktestJob, "days" | "warmUpDays" | "recording">;

export type BacktestModules = {
  /** Each runs one job at a time. */
  readonly runners: readonly RunJob<BacktestJob, Outcome>[];
  /** After it resolves, no run is started, and running ones are given up. */
  readonly stopped: Promise<unknown>;
  /** The outcome of an earlier call; undefined: none. */
  readonly finished: (job: BacktestJob) => Outcome | undefined;
  readonly onFinished: (job: BacktestJob, outcome: Outcome) => void;
  /** Called with the finished share of all runs, 0 to 1. */
  readonly onProgress: (done: number) => void;
};

/** Longest default warm-up: long enough for the crowd's premium to forget its start and for estimates to have data. */
const WARM_UP_DAYS_MAX = 0.25;

/** A quarter of the counted days, so that a short run stays short. */
export const usualWarmUpDays = (days: number): number => Math.min(days / 4, WARM_UP_DAYS_MAX);

/** The runs of a plan: by cell, then by market, then by seed. */
export const jobsOf = ({ cells, firstSeed, seeds, markets, ...same }: BacktestPlan): readonly BacktestJob[] =>
  cells.flatMap((cell) =>
    markets.flatMap((market) =>
      Array.from({ length: seeds }, (_, nth) => ({ ...same, ...market, ...cell, seed: firstSeed + BigInt(nth) })),
    ),
  );

/** Resolves with the outcomes by cell, then by seed; if stopped, with those finished. Rejects with what a runner throws. */
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
