// Worlds on threads of their own. The threads run this very file.

import { type JobWorkers, serveJobs, startWorkers } from "../jobs/job-workers.ts";
import { type RunEnd, type RunOptions, runWorld } from "./run.ts";

/** Their jobs take no `swaps`: they are code. */
export const startWorldWorkers = (count: number): JobWorkers<RunOptions, RunEnd> =>
  startWorkers(count, new URL(import.meta.url));

serveJobs(runWorld);
