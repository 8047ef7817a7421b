// Speed of a backtest on one core, as a multiple of real time: bot, exchange and crowd of one market in one process. `backtest` is the
// demo's first market, `backtest-daily` the thin one with one print per day, quoted by `glft`.

import { runConfigured } from "../src/backtest/run.ts";
import { DEMO, demoMarket } from "../test/support/demo-market.ts";
import { type Bench, median } from "./measure.ts";

const HOUR = 1 / 24;
/** They include compilation; the later runs do not. */
const WARM_UPS = 3;
const RUNS = 5;

const backtestOf = (name: string, which: Parameters<typeof demoMarket>[0], goal: number): Bench => ({
  name,
  async run({ quick }) {
    const configuration = await demoMarket(which);
    const days = quick ? HOUR / 6 : HOUR;
    const [warmUps, runs] = quick ? [1, 1] : [WARM_UPS, RUNS];
    const byWall: number[] = [];
    const byProcessor: number[] = [];
    for (let seed = 0; seed < warmUps + runs; seed += 1) {
      const startedMs = performance.now();
      const before = process.cpuUsage();
      const job = {
        file: DEMO,
        name: null,
        keepsFills: false,
        settings: [],
        seed: BigInt(seed),
        days,
        warmUpDays: 0,
        world: "fixed" as const,
        shortcuts: true,
      };
      const { simulatedMs } = await runConfigured(configuration, job);
      const { user, system } = process.cpuUsage(before);
      if (seed < warmUps) continue;
      byWall.push(simulatedMs / (performance.now() - startedMs));
      byProcessor.push(simulatedMs / ((user + system) / 1000));
    }
    const value = median(byWall);
    return {
      name,
      value,
      unit: "x real time",
      reference: "real time",
      referenceValue: 1,
      ratio: value,
      goal: { goal, wanted: "atLeast" },
      // On a busy machine, processor time is closer to the time on an idle core.
      beside: { byProcessorTime: median(byProcessor), slowest: Math.min(...byWall), fastest: Math.max(...byWall) },
    };
  },
});

export const backtest = backtestOf("backtest", "demo", 2000);
export const backtestDaily = backtestOf("backtest-daily", "daily", 6000);
