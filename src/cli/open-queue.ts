// Opens the job queue in the fleet's database, and runners for its jobs. A fleet's nodes do not load this.

import type { BotConfig } from "../bot/config/config.ts";
import type { Database } from "../bot/fleet/database.ts";
import { fleetDatabase, fleetExit } from "../daemon/fleet/database.ts";
import type { Host } from "../host/host.ts";
import { type JobQueue, openJobQueue } from "../jobs/job-queue.ts";
import type { JobWorkers } from "../jobs/job-workers.ts";
import { startQueueRunners } from "../jobs/queue-runners.ts";
import type { JobKind } from "../jobs/written-job.ts";
import { readConfig } from "./read-config.ts";

/** A statement for the queue may take longer than one for a lease; making the tables takes longest. */
const QUEUE_MS_MAX = 10_000;

export type OpenQueue = {
  readonly queue: JobQueue;
  /** Closes the queue and its database. */
  readonly close: () => Promise<void>;
};

/** The queue for jobs of this version of the program. Undefined: it cannot be opened, and stderr says why. */
export async function openQueue(
  config: Pick<BotConfig, "file" | "fleet">,
  host: Pick<Host, "clock" | "sourceHash" | "stderr">,
): Promise<OpenQueue | undefined> {
  let database: Database | undefined;
  try {
    const opened = fleetDatabase(config, QUEUE_MS_MAX, host).database;
    database = opened;
    const queue = await openJobQueue(opened, host.sourceHash());
    const close = () => queue.close().finally(opened.close);
    return { queue, close };
  } catch (error) {
    await database?.close();
    fleetExit(error, host);
    return undefined;
  }
}

/** Runs jobs on all workers of the fleet. `jobs`: how many there will be. Undefined: no queue, and stderr says why. */
export async function openRunners<Job, End>(
  file: string,
  kind: JobKind<Job, End>,
  jobs: number,
  host: Host,
): Promise<JobWorkers<Job, End> | undefined> {
  const config = await readConfig(file, host);
  const opened = config && (await openQueue(config, host));
  if (opened === undefined) return undefined;
  const { clock, entropy, stderr } = host;
  const say = (sentence: string): void => stderr(`quoin: ${sentence}\n`);
  const { runners, close } = startQueueRunners(opened.queue, kind, jobs, { clock, entropy, say });
  return { runners, close: () => close().finally(opened.close) };
}
