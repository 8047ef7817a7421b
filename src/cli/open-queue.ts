// The queue of backtests that a configuration names, apart from what else goes to its database: a fleet's nodes do not load it.

import { type JobQueue, openJobQueue } from "../backtest/queue/job-queue.ts";
import type { BotConfig } from "../bot/config/config.ts";
import type { Database } from "../bot/fleet/database.ts";
import { fleetDatabase, fleetExit } from "./fleet-database.ts";
import type { Host } from "./host.ts";

/** A statement for a queue is answered later than one for a lease may be; making its tables takes longest. */
const QUEUE_MS_MAX = 10_000;

export type OpenQueue = {
  readonly queue: JobQueue;
  /** Closes both. */
  readonly close: () => Promise<void>;
};

/** The queue of this program's runs. Undefined where there is none to be had: why is on stderr. */
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
