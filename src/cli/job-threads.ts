// Threads that run the queue's jobs of every kind. The threads run this file.

import { BACKTEST, readBacktestJob } from "../backtest/job-text.ts";
import { runBacktest } from "../backtest/run-job.ts";
import { type JobWorkers, serveJobs, startWorkers } from "../jobs/job-workers.ts";
import type { QueuedJob } from "../jobs/written-job.ts";
import { runWorld } from "../sim/run.ts";
import { readWorldJob, WORLD, worldEndText } from "../sim/world-text.ts";

/** How each kind of job is run; the result is text. */
const kinds: ReadonlyMap<string, (job: QueuedJob) => Promise<string>> = new Map([
  [BACKTEST, async ({ text, texts }) => JSON.stringify(await runBacktest(readBacktestJob(text, texts)))],
  [WORLD, async ({ text }) => worldEndText(await runWorld(readWorldJob(text)))],
]);

export const startJobThread = (): JobWorkers<QueuedJob, string> => startWorkers(1, new URL(import.meta.url));

serveJobs(async (job: QueuedJob) => {
  const run = kinds.get(job.kind);
  if (run === undefined) throw new RangeError(`a job of an unknown kind: ${job.kind}`);
  return await run(job);
});
