// What a queue costs: a sweep of short runs on two workers of one thread each, on a real PostgreSQL, beside the same sweep on two
// threads of one process. Both in turn, so that whatever else the machine does slows both.

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

export const backtestQueue: Bench = {
  name: "backtest-queue",
  async run({ quick }) {
    const scene = await startQueueScene();
    try {
      await Promise.all([startWorker(scene), startWorker(scene)]);
      const seeds = quick ? 10 : 200;
      // Workers live on from sweep to sweep: the first compiles.
      await timed(scene, 4, "--queue");
      const pairs: { readonly queueMs: number; readonly aloneMs: number }[] = [];
      for (let nth = 0; nth < (quick ? 1 : 3); nth += 1) {
        const queue = await timed(scene, seeds, "--queue");
        const alone = await timed(scene, seeds, "--workers", "2");
        if (queue.runs !== alone.runs) throw new Error("the runs of the two differ");
        pairs.push({ queueMs: queue.tookMs, aloneMs: alone.tookMs });
      }
      const value = median(pairs.map(({ queueMs }) => queueMs));
      const referenceValue = median(pairs.map(({ aloneMs }) => aloneMs));
      const ratios = pairs.map(({ queueMs, aloneMs }) => queueMs / aloneMs);
      return {
        name: "backtest-queue",
        value,
        unit: `ms for ${seeds} runs`,
        reference: "two threads",
        referenceValue,
        ratio: median(ratios),
        beside: { ratioMin: Math.min(...ratios), ratioMax: Math.max(...ratios) },
      };
    } finally {
      await endAll();
      await removeQueueScene(scene);
    }
  },
};

async function timed(scene: QueueScene, seeds: number, ...how: readonly string[]) {
  const startedMs = performance.now();
  const sweep = backtestOf(scene, "--days", "0.0005", "--seeds", `${seeds}`, ...how);
  if ((await sweep.exit) !== 0) throw new Error(sweep.stderr());
  return { tookMs: performance.now() - startedMs, runs: runsIn(sweep.stdout()) };
}
