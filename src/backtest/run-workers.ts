// Runs backtests on threads of their own. The threads run this same file.

import { type JobWorkers, serveJobs, startWorkers } from "../jobs/job-workers.ts";
import type { BacktestJob, Outcome } from "./outcome.ts";
import { runBacktest } from "./run-job.ts";

export const startRunWorkers = (count: number): JobWorkers<BacktestJob, Outcome> =>
  startWorkers(count, new URL(import.meta.url));

serveJobs(runBacktest);
