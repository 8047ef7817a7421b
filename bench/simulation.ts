// How much faster than life `quoin simulate` runs on one core: worlds of ten minutes with bot, exchange, network, disk, faults and laws,
// one after another as a campaign draws them. The same worlds are run several times; the first time only warms up.

import { runWorld } from "../src/sim/run.ts";
import { type Bench, median } from "./measure.ts";

const GOAL = 1000;
const MINUTES = 10;

export const simulation: Bench = {
  name: "simulation",
  async run({ quick }) {
    const [worlds, rounds] = quick ? [2, 1] : [25, 5];
    await speedOf(worlds);
    const speeds: number[] = [];
    for (let round = 0; round < rounds; round += 1) speeds.push(await speedOf(worlds));
    const value = median(speeds);
    return {
      name: "simulation",
      value,
      unit: "x real time",
      reference: "the goal",
      referenceValue: GOAL,
      ratio: value / GOAL,
      beside: { slowest: Math.min(...speeds), fastest: Math.max(...speeds) },
    };
  },
};

/** Simulated time of the first `worlds` seeds as a multiple of the time that they take. */
async function speedOf(worlds: number): Promise<number> {
  const startedMs = performance.now();
  let simulatedMs = 0;
  for (let seed = 1n; seed <= BigInt(worlds); seed += 1n)
    simulatedMs += (await runWorld({ seed, minutes: MINUTES })).simulatedMs;
  return simulatedMs / (performance.now() - startedMs);
}
