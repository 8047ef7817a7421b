// A world as a job of the queue, and its result, as text for another machine.

import type { JobKind } from "../jobs/written-job.ts";
import { type CoverageRecord, coverageOf, coverageRecord } from "./coverage.ts";
import type { RunEnd, WorldJob } from "./run.ts";

export const WORLD = "world";

export const worldJobs: JobKind<WorldJob, RunEnd> = {
  name: WORLD,
  write: (job) => ({ text: JSON.stringify({ ...job, seed: `${job.seed}` }), reads: [] }),
  readEnd(text) {
    const { seed, coverage, ...end } = JSON.parse(text) as WrittenEnd;
    return { ...end, seed: BigInt(seed), coverage: coverageOf(coverage) };
  },
};

type WrittenEnd = Omit<RunEnd, "seed" | "coverage"> & { readonly seed: string; readonly coverage: CoverageRecord };

/** Reads what `worldJobs` wrote. */
export function readWorldJob(text: string): WorldJob {
  const { seed, ...job } = JSON.parse(text) as Omit<WorldJob, "seed"> & { readonly seed: string };
  return { ...job, seed: BigInt(seed) };
}

/** The result as text, for `worldJobs` to read. */
export function worldEndText({ seed, coverage, ...end }: RunEnd): string {
  const written: WrittenEnd = { ...end, seed: `${seed}`, coverage: coverageRecord(coverage) };
  return JSON.stringify(written);
}
