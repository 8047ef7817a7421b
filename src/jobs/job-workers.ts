// Runs jobs on threads of their own, because a simulated world keeps a core busy from start to end: each thread runs a file that takes one
// job at a time and returns its result. Also spreads many jobs over few threads.

import { parentPort, Worker } from "node:worker_threads";

/** Runs one job. `tell` may be called with the finished share, 0 to 1. Rejects if the thread ends. */
export type RunJob<Job, End> = (job: Job, tell?: (share: number) => void) => Promise<End>;

export type JobWorkers<Job, End> = {
  /** Each runs one job at a time, on its own thread. A job must be plain data. */
  readonly runners: readonly RunJob<Job, End>[];
  /** Ends the threads; running jobs never finish. */
  readonly close: () => Promise<void>;
};

type Message<End> =
  | { readonly kind: "share"; readonly share: number }
  | { readonly kind: "end"; readonly end: End }
  | { readonly kind: "failed"; readonly error: unknown };

/** `file` must call `serveJobs`. */
export function startWorkers<Job, End>(count: number, file: URL): JobWorkers<Job, End> {
  const workers = Array.from({ length: count }, () => new Worker(file));
  return {
    runners: workers.map((worker) => (job, tell) => ask<Job, End>(worker, job, tell)),
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function ask<Job, End>(worker: Worker, job: Job, tell: (share: number) => void = () => {}): Promise<End> {
  const { promise, resolve, reject } = Promise.withResolvers<End>();
  const onMessage = (message: Message<End>): void => {
    if (message.kind === "share") tell(message.share);
    else if (message.kind === "end") resolve(message.end);
    else reject(message.error);
  };
  worker.on("message", onMessage);
  worker.once("error", reject);
  worker.postMessage(job);
  return promise.finally(() => {
    worker.off("message", onMessage);
    worker.off("error", reject);
  });
}

/** In a worker thread: runs the jobs of `startWorkers`. Elsewhere it does nothing. */
export function serveJobs<Job, End>(run: RunJob<Job, End>): void {
  const port = parentPort;
  const post = (message: Message<End>): void => port?.postMessage(message);
  port?.on("message", (job: Job) =>
    run(job, (share) => post({ kind: "share", share })).then(
      (end) => post({ kind: "end", end }),
      (error: unknown) => post({ kind: "failed", error }),
    ),
  );
}

/** Gives each runner the next item until none is left, then resolves to true; false if stopped before. Rejects with what `work` throws. */
export async function isSpread<Item, Runner>(
  items: readonly Item[],
  work: (item: Item, run: Runner) => Promise<void>,
  runners: readonly Runner[],
  stopped: Promise<unknown>,
): Promise<boolean> {
  const left = items.values();
  let isStopped = false;
  const halt = stopped.then(() => {
    isStopped = true;
  });
  const lanes = runners.map(async (run) => {
    for (const item of left) {
      await work(item, run);
      if (isStopped) return;
    }
  });
  await Promise.race([Promise.all(lanes), halt]);
  return !isStopped;
}
