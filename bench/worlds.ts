// A process that runs worlds on a given number of threads; `simulation` forks it. Each message is a campaign, which every thread runs
// completely; the answer is their total speed as a multiple of real time.

import { startWorldWorkers } from "../src/sim/world-workers.ts";

export type Campaign = { readonly worlds: number; readonly minutes: number };

const { runners } = startWorldWorkers(Number(process.argv[2]));
process.on("disconnect", () => process.exit());
process.on("message", async ({ worlds, minutes }: Campaign) => {
  let simulatedMs = 0;
  const startedMs = performance.now();
  const lanes = runners.map(async (run) => {
    for (let seed = 1n; seed <= BigInt(worlds); seed += 1n) {
      const end = await run({ seed, minutes });
      simulatedMs += end.simulatedMs;
    }
  });
  await Promise.all(lanes);
  process.send?.(simulatedMs / (performance.now() - startedMs));
});
