// Cost of a queue: a sweep of short runs on two workers with one thread each, on a real PostgreSQL, against the same sweep on two threads
// of one process. They alternate, so that other load on the machine slows both.

import {
  backtestOf,
  type QueueScene,
  removeQueueScene,
  runsIn,
  startQueueScene,
  startWorker,
} from "../test/scenario/queue-scene.ts";
import { endAll } from "../test/support/quoin.ts";
import { type Bench, median } from "./measure.ts";
import { endedMs, treeMs } from "./processor-time.ts";

export const backtestQueue: Bench = {
  name: "backtest-queue",
  async run({ quick }) {
    const scene = await startQueueScene();
    try {
      await Promise.all([startWorker(scene), startWorker(scene)]);
      const seeds = quick ? 2 : 200;
      // Workers keep running between sweeps: the first one compiles.
      if (!quick) await timed(scene, 20, treeMs, "--queue");
      const pairs: (readonly [queue: Sweep, alone: Sweep])[] = [];
      for (let nth = 0; nth < (quick ? 1 : 3); nth += 1) {
        const queue = await timed(scene, seeds, treeMs, "--queue");
        const alone = await timed(scene, seeds, endedMs, "--workers", "2");
        if (queue.runs !== alone.runs) throw new Error("the runs of the two differ");
        pairs.push([queue, alone]);
      }
      const ratios = pairs.map(([queue, alone]) => queue.tookMs / alone.tookMs);
      return {
        name: "backtest-queue",
        value: median(pairs.map(([queue]) => queue.tookMs)),
        unit: `ms for ${seeds} runs`,
        reference: "two threads",
        referenceValue: median(pairs.map(([, alone]) => alone.tookMs)),
        ratio: median(ratios),
        beside: {
          percentMin: 100 * Math.min(...ratios),
          percentMax: 100 * Math.max(...ratios),
          percentOfProcessorTime: 100 * median(pairs.map(([queue, alone]) => queue.processorMs / alone.processorMs)),
        },
      };
    } finally {
      await endAll();
      await removeQueueScene(scene);
    }
  },
};

type Sweep = { readonly tookMs: number; readonly processorMs: number; readonly runs: string };

/** `processorTime`: processor time used so far by the processes that make the runs. */
async function timed(
  scene: QueueScene,
  seeds: number,
  processorTime: () => number,
  ...how: readonly string[]
): Promise<Sweep> {
  const [startedMs, beforeMs] = [performance.now(), processorTime()];
  const sweep = backtestOf(scene, "--days", "0.0005", "--seeds", `${seeds}`, ...how);
  if ((await sweep.exit) !== 0) throw new Error(sweep.stderr());
  return {
    tookMs: performance.now() - startedMs,
    processorMs: processorTime() - beforeMs,
    runs: runsIn(sweep.stdout()),
  };
}
