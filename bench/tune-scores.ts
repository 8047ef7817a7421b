// Makes test/unit/backtest/tune/scores.json: the scores of 16 real settings on equal seeds of the daily market, each run as `quoin tune` runs
// it. Nothing in it depends on the machine. Prints it: `npx node bench/tune-scores.ts`, ten minutes of a core.

import { parseArgs } from "node:util";
import { usualWarmUpDays } from "../src/backtest/backtest.ts";
import { setOf } from "../src/backtest/outcome.ts";
import { runBacktest } from "../src/backtest/run-job.ts";
import { scoreOf } from "../src/backtest/tune/judge.ts";
import { prepareTune } from "../src/backtest/tune/prepare.ts";
import { parseParam } from "../src/backtest/tune/space.ts";
import { ALIKE } from "../src/backtest/tune/tune.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";

const CONFIG = "bench/strategies/glft.yaml";
const SETTINGS = 16;
const params = ["size=0.1..2", "levels=1..4", "maxInventory=2..8", "minHalfSpreadBps=0.5..6"].map((param) =>
  parseParam(`accounts.12.markets.1.params.${param}`),
);

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "21" }, days: { type: "string", default: "0.04" } },
});
const days = Number(values.days);
const { present, others } = await prepareTune(CONFIG, params, systemFiles);
const settings = [[], ...(await others(SETTINGS - 1))];
const sets = settings.map((of) => setOf({ name: null, settings: of }));
process.stdout.write(`{"days":${days},"sets":${JSON.stringify(sets)},"scores":[`);
for (let seed = 1n; seed <= BigInt(values.seeds); seed += 1n) {
  const scores: number[] = [];
  for (const of of settings) {
    const job = { ...present, ...ALIKE, settings: of, seed, days, warmUpDays: usualWarmUpDays(days) };
    scores.push(Number(scoreOf(await runBacktest(job)).toFixed(4)));
  }
  process.stdout.write(`${seed === 1n ? "" : ","}\n${JSON.stringify(scores)}`);
}
process.stdout.write("\n]}\n");
