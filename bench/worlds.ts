// A process that runs worlds on as many threads as it was started with: `simulation` forks it. Each message is a campaign, and is answered
// with how much faster than life it ran.

import { isSpread } from "../src/jobs/job-workers.ts";
import type { RunOfWorld } from "../src/sim/campaign.ts";
import { startWorldWorkers } from "../src/sim/world-workers.ts";

export type Campaign = { readonly worlds: number; readonly minutes: number };

const { runners } = startWorldWorkers(Number(process.argv[2]));
process.on("disconnect", () => process.exit());
process.on("message", async ({ worlds, minutes }: Campaign) => {
  const seeds = Array.from({ length: worlds }, (_, nth) => BigInt(nth + 1));
  let simulatedMs = 0;
  const work = async (seed: bigint, run: RunOfWorld): Promise<void> => {
    simulatedMs += (await run({ seed, minutes })).simulatedMs;
  };
  const startedMs = performance.now();
  await isSpread(seeds, work, runners, new Promise(() => {}));
  process.send?.(simulatedMs / (performance.now() - startedMs));
});
