// `npx node bench/why-not-quoting.ts`: why a bot does not quote, as share of the time of both sides, by the first reason, and what the
// guard denied: the whole bot with guard and latency, with the crowd. Source of the collar's figures in docs/risk-controls.md. Options:
// `--config FILE` (a bot's, with an embedded devnet), `--days N`, `--seeds N`, `--seed K` (the first).

import { parseArgs } from "node:util";
import { runConfigured } from "../src/backtest/run.ts";
import { createMetrics } from "../src/bot/telemetry/metrics.ts";
import { loadConfiguration } from "../src/configuration.ts";
import { sides } from "../src/domain/units.ts";
import { DAY_MS } from "../src/kernel/clock.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";

const { values } = parseArgs({
  options: {
    config: { type: "string", default: "config/demo.yaml" },
    days: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
  },
});
const file = values.config;
const days = Number(values.days);

/** By market and reason, over all seeds. */
const shares = new Map<string, number>();
const denials = new Map<string, number>();
for (let at = 0; at < Number(values.seeds); at += 1) {
  const seed = BigInt(values.seed) + BigInt(at);
  const metrics = createMetrics();
  const configuration = await loadConfiguration(file, systemFiles, []);
  const job = {
    file,
    name: null,
    keepsFills: false,
    settings: [],
    seed,
    days,
    warmUpDays: 0,
    world: "fixed",
    shortcuts: true,
  } as const;
  const { line } = await runConfigured(configuration, job, () => {}, metrics);
  for (const [, market = "", reason = "", seconds] of metrics.notQuoting
    .text()
    .matchAll(/market="(\d+)".*reason="(\w+)"\} (\S+)/g)) {
    const share = Number(seconds) / (sides.length * Number(values.seeds) * ((days * DAY_MS) / 1000));
    shares.set(`${market} ${reason}`, (shares.get(`${market} ${reason}`) ?? 0) + share);
  }
  for (const [, market = "", reason = "", count] of metrics.denials
    .text()
    .matchAll(/market="(\d+)".*reason="(\w+)"\} (\S+)/g))
    denials.set(`${market} ${reason}`, (denials.get(`${market} ${reason}`) ?? 0) + Number(count));
  for (const { marketId, quoteUptime, pnl } of line.markets)
    console.error(`seed ${seed}, market ${marketId}: both sides ${(100 * quoteUptime).toFixed(1)} %, PnL ${pnl.total}`);
}
for (const [name, share] of [...shares].sort(([, a], [, b]) => b - a))
  console.log(`market ${name}: ${(100 * share).toFixed(3)} %`);
for (const [name, count] of denials) if (count > 0) console.log(`market ${name}: denied ${count} times`);
