// Runs worlds on threads of their own. The threads run this same file.

import { type JobWorkers, serveJobs, startWorkers } from "../jobs/job-workers.ts";
import { type RunEnd, runWorld, type WorldJob } from "./run.ts";

export const startWorldWorkers = (count: number): JobWorkers<WorldJob, RunEnd> =>
  startWorkers(count, new URL(import.meta.url));

serveJobs(runWorld);
