// How much faster than life the simulation runs on one core: worlds of ten minutes with bot, exchange, network, disk, faults and laws.
// Real signatures are left out: they measure the machine's arithmetic.

import { createPrng } from "../src/kernel/prng.ts";
import { runWorld } from "../src/sim/run.ts";
import { drawWorldConfig } from "../src/sim/world-config.ts";
import { type Bench, median } from "./measure.ts";

const GOAL = 1000;
const MINUTES = 10;

export const simulation: Bench = {
  name: "simulation",
  async run({ quick }) {
    const ratios: number[] = [];
    for (let seed = 0n; ratios.length < (quick ? 3 : 25); seed += 1n) {
      const worldConfig = await drawWorldConfig(createPrng(seed).fork("scenery"));
      if (worldConfig.signing !== "keyedHash") continue;
      const startedMs = performance.now();
      const { simulatedMs, violation } = await runWorld({ seed, minutes: MINUTES });
      // The first world pays for compiling all the others; one that breaks a law ends early, and is for the tests to tell.
      if (seed > 0n && violation === null) ratios.push(simulatedMs / (performance.now() - startedMs));
    }
    const value = median(ratios);
    return {
      name: "simulation",
      value,
      unit: "x real time",
      reference: "the goal",
      referenceValue: GOAL,
      ratio: value / GOAL,
      beside: { slowest: Math.min(...ratios), fastest: Math.max(...ratios) },
    };
  },
};
