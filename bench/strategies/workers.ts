// Runs strategies on threads of their own. The threads run this same file.

import { type JobWorkers, serveJobs, startWorkers } from "../../src/jobs/job-workers.ts";
import { runStrategy, type StrategyJob, type StrategyRun } from "./run.ts";

export const startStrategyWorkers = (count: number): JobWorkers<StrategyJob, StrategyRun> =>
  startWorkers(count, new URL(import.meta.url));

serveJobs(runStrategy);
