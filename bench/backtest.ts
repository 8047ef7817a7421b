// How much faster than life a backtest runs on one core: the demo's first market with its crowd, bot and exchange in one process.

import { fileURLToPath } from "node:url";
import { runConfigured } from "../src/backtest/run.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";
import { type Configuration, loadConfiguration } from "../src/sim/configuration.ts";
import { type Bench, median } from "./measure.ts";

const GOAL = 5000;
const DEMO = fileURLToPath(new URL("../config/demo.yaml", import.meta.url));
const MARKET = 1;
const HOUR = 1 / 24;

export const backtest: Bench = {
  name: "backtest",
  async run({ quick }) {
    const configuration = oneMarket(await loadConfiguration(DEMO, systemFiles));
    const days = quick ? HOUR / 6 : HOUR;
    const ratios: number[] = [];
    const byProcessor: number[] = [];
    // The first run pays for compiling all the others.
    for (let seed = 0n; seed < (quick ? 2n : 6n); seed += 1n) {
      const startedMs = performance.now();
      const before = process.cpuUsage();
      const { simulatedMs } = await runConfigured(configuration, { file: DEMO, settings: [], seed, days });
      const { user, system } = process.cpuUsage(before);
      if (seed === 0n) continue;
      ratios.push(simulatedMs / (performance.now() - startedMs));
      byProcessor.push(simulatedMs / ((user + system) / 1000));
    }
    const value = median(ratios);
    return {
      name: "backtest",
      value,
      unit: "x real time",
      reference: "the goal",
      referenceValue: GOAL,
      ratio: value / GOAL,
      // On a busy machine processor time is nearer to what a core of one's own would take.
      beside: { byProcessorTime: median(byProcessor), slowest: Math.min(...ratios), fastest: Math.max(...ratios) },
    };
  },
};

function oneMarket({ bot, devnet }: Configuration): Configuration {
  const only = <Market extends { readonly marketId: number }>(markets: readonly Market[]): readonly Market[] =>
    markets.filter(({ marketId }) => marketId === MARKET);
  return {
    bot: { ...bot, accounts: bot.accounts.map((account) => ({ ...account, markets: only(account.markets) })) },
    devnet: devnet && { ...devnet, markets: only(devnet.markets) },
  };
}
