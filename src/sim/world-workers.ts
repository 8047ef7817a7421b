// Worlds on threads of their own, since a world keeps a core busy from its first event to its last. The threads run this very file: it
// takes one job at a time and answers with how the world ended.

import { parentPort, Worker } from "node:worker_threads";
import type { RunOfWorld } from "./campaign.ts";
import { type RunEnd, type RunOptions, runWorld } from "./run.ts";

export type WorldWorkers = {
  /** Each runs one world at a time, on its own thread, and takes no `swaps`: they are code. Rejects with what ends the thread. */
  readonly runners: readonly RunOfWorld[];
  /** Ends the threads; worlds under way never end. */
  readonly close: () => Promise<void>;
};

export function startWorldWorkers(count: number): WorldWorkers {
  const workers = Array.from({ length: count }, () => new Worker(new URL(import.meta.url)));
  return {
    runners: workers.map((worker) => (options) => ask(worker, options)),
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function ask(worker: Worker, options: RunOptions): Promise<RunEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<RunEnd>();
  worker.once("message", resolve);
  worker.once("error", reject);
  worker.postMessage(options);
  return promise.finally(() => {
    worker.off("message", resolve);
    worker.off("error", reject);
  });
}

parentPort?.on("message", async (options: RunOptions) => parentPort?.postMessage(await runWorld(options)));
