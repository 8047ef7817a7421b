// The cost of a print to the model of the next one, in processor time, on an index that averages over eight prints.

import { noNowcast, observePrint } from "../src/bot/strategy/nowcast.ts";
import { averageOf, printsOf } from "../test/support/print-series.ts";
import { type Bench, medianOf } from "./measure.ts";

const GOAL_MS = 0.2;

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
    return {
      name: "next-print",
      value,
      unit: "ms a print",
      reference: "the goal",
      referenceValue: GOAL_MS,
      ratio: GOAL_MS / value,
    };
  },
};
