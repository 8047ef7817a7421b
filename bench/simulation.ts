// Speed of `quoin simulate` as a multiple of real time: worlds with bot, exchange, network, disk, faults and laws, as a campaign draws
// them, on one core; and on two, as two threads of one process and as two processes, which share nothing but the machine. The same worlds
// run several times; the first round is a warm-up.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { runWorld } from "../src/sim/run.ts";
import { type Bench, median } from "./measure.ts";
import type { Campaign } from "./worlds.ts";

const GOAL = 1000;
const TWO_CORES_GOAL = 1.8;
const WORLDS = resolve(import.meta.dirname, "worlds.ts");

export const simulation: Bench = {
  name: "simulation",
  async run({ quick }) {
    const [campaign, rounds] = quick ? [{ worlds: 2, minutes: 2 }, 1] : [{ worlds: 24, minutes: 2 }, 3];
    await speedOf(campaign);
    const speeds: number[] = [];
    for (let round = 0; round < rounds; round += 1) speeds.push(await speedOf(campaign));
    const value = median(speeds);
    // Four more processes, each cold at first: too slow for a quick run.
    const onTwo = quick ? null : await onTwoCores(campaign, rounds);
    return {
      name: "simulation",
      value,
      unit: "x real time",
      reference: "real time",
      referenceValue: 1,
      ratio: value,
      goal: { goal: GOAL, wanted: "atLeast" },
      goals: Object.entries(onTwo ?? {}).map(([figure, value]) => ({
        figure,
        value,
        unit: "x one thread",
        goal: TWO_CORES_GOAL,
        wanted: "atLeast",
      })),
      beside: { slowest: Math.min(...speeds), fastest: Math.max(...speeds) },
    };
  },
};

/** Simulated time of the first seeds as a multiple of the elapsed time. */
async function speedOf({ worlds, minutes }: Campaign): Promise<number> {
  const startedMs = performance.now();
  let simulatedMs = 0;
  for (let seed = 1n; seed <= BigInt(worlds); seed += 1n)
    simulatedMs += (await runWorld({ seed, minutes })).simulatedMs;
  return simulatedMs / (performance.now() - startedMs);
}

/** Speed of two threads, and of two processes with one thread each, relative to one thread. All are equally warm. */
async function onTwoCores(campaign: Campaign, rounds: number) {
  const forked = [1, 2, 1, 1].map((threads) => fork(WORLDS, [`${threads}`]));
  const speedIn = async (process: ChildProcess): Promise<number> => {
    process.send(campaign);
    return (await once(process, "message"))[0] as number;
  };
  const sumOf = async (...processes: readonly ChildProcess[]): Promise<number> =>
    (await Promise.all(processes.map(speedIn))).reduce((sum, speed) => sum + speed, 0);
  const [alone, twice, ...apart] = forked as [ChildProcess, ChildProcess, ...ChildProcess[]];
  const ratios: { twoThreads: number; twoProcesses: number }[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const one = await sumOf(alone);
      const [threads, processes] = [await sumOf(twice), await sumOf(...apart)];
      if (round > 0) ratios.push({ twoThreads: threads / one, twoProcesses: processes / one });
    }
  } finally {
    for (const process of forked) process.disconnect();
  }
  return {
    twoThreads: median(ratios.map(({ twoThreads }) => twoThreads)),
    twoProcesses: median(ratios.map(({ twoProcesses }) => twoProcesses)),
  };
}
