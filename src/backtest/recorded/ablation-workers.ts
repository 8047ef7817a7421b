// Runs ablations on threads of their own. The threads run this same file.

import { type JobWorkers, serveJobs, startWorkers } from "../../jobs/job-workers.ts";
import { type AblationEnd, type AblationJob, runAblation } from "./ablate.ts";

export const startAblationWorkers = (count: number): JobWorkers<AblationJob, AblationEnd> =>
  startWorkers(count, new URL(import.meta.url));

serveJobs(runAblation);
