// The queue that a configuration names, and runners of its jobs, apart from what else goes to its database: a fleet's nodes do not load it.

import type { BotConfig } from "../bot/config/config.ts";
import type { Database } from "../bot/fleet/database.ts";
import { fleetDatabase, fleetExit } from "../daemon/fleet/database.ts";
import type { Host } from "../host/host.ts";
import { type JobQueue, openJobQueue } from "../jobs/job-queue.ts";
import type { JobWorkers } from "../jobs/job-workers.ts";
import { startQueueRunners } from "../jobs/queue-runners.ts";
import type { JobKind } from "../jobs/written-job.ts";
import { readConfig } from "./read-config.ts";

/** A statement for a queue is answered later than one for a lease may be; making its tables takes longest. */
const QUEUE_MS_MAX = 10_000;

export type OpenQueue = {
  readonly queue: JobQueue;
  /** Closes both. */
  readonly close: () => Promise<void>;
};

/** The queue of this program's jobs. Undefined where there is none to be had: why is on stderr. */
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

/** All workers of the fleet that the configuration names. `jobs`: how many there will be. Undefined: why is on stderr. */
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
