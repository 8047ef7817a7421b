// The cost of a print to the model of the next one, in processor time, on an index that averages over eight prints; also that model's error
// on made indices, relative to "no change".

import { noNowcast, observePrint } from "../src/bot/strategy/nowcast.ts";
import { walkForward } from "../src/bot/strategy/walk-forward.ts";
import { averageOf, meanOf, printsOf, randomWalk } from "../test/support/print-series.ts";
import { type Bench, medianOf } from "./measure.ts";

const GOAL_MS = 0.2;
const SEEDS = 20;

export const nextPrint: Bench = {
  name: "next-print",
  async run({ quick }) {
    const prints = printsOf(averageOf(8), 1);
    const value = medianOf(quick ? 3 : 11, () => {
      const before = process.cpuUsage();
      prints.reduce((state, { usd, step }) => observePrint(state, usd, step), noNowcast);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000 / prints.length;
    });
    const seeds = Array.from({ length: quick ? 1 : SEEDS }, (_, at) => at + 1);
    const errorOn = (law: typeof randomWalk): number =>
      meanOf(seeds.map((seed) => walkForward(printsOf(law, seed), 60)?.rmseRatio ?? Number.NaN));
    return {
      name: "next-print",
      value,
      unit: "ms a print",
      reference: "the goal",
      referenceValue: GOAL_MS,
      ratio: GOAL_MS / value,
      beside: {
        "error on a random walk": errorOn(randomWalk),
        ...Object.fromEntries(
          [6, 8, 15, 22].map((days) => [`error on an average of ${days}`, errorOn(averageOf(days))]),
        ),
      },
    };
  },
};
