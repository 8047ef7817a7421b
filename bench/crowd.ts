// `node bench/crowd.ts`: the crowd's market beside the stylized facts of real ones; one table: fact, band, ours. Options: `--config FILE`
// (a devnet with one market or more, the first counts), `--days N`, `--seeds N`, `--seed K` (the first).

import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { loadDevnetConfig } from "../src/devnet/config/load.ts";
import { createCrowd } from "../src/devnet/crowd/crowd.ts";
import { indexPathsOf } from "../src/devnet/crowd/prints.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";
import { factsOf } from "./crowd/facts.ts";
import { type MarketRun, runMarket, type TakerTrade } from "./crowd/market-run.ts";

const { values } = parseArgs({
  options: {
    config: { type: "string", default: "config/devnet-daily.yaml" },
    days: { type: "string", default: "3" },
    seeds: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
  },
});

const START_MS = 1_790_000_000_000;
const loaded = loadDevnetConfig(values.config, systemFiles);
const config = {
  ...loaded,
  markets: loaded.markets.slice(0, 1),
  clock: { mode: "manual", startMs: START_MS } as const,
};

/** The crowd's takers who know the index between prints; nobody outside can tell. */
const ownersWhoKnow = ["informed", "sniper"].map((name) => createHash("sha256").update(`crowd:${name}`).digest("hex"));
const accounts = createCrowd(config, indexPathsOf(config))?.accounts ?? [];
const whoKnow = new Set(
  accounts.filter(({ owner }) => ownersWhoKnow.includes(owner)).map(({ accountId }) => accountId),
);
const knows = (trade: TakerTrade): boolean => whoKnow.has(trade.taker);

const runs: MarketRun[] = [];
for (let at = 0; at < Number(values.seeds); at += 1) {
  runs.push(await runMarket({ ...config, seed: BigInt(values.seed) + BigInt(at) }, Number(values.days)));
}
const shown = (value: number) => (Number.isFinite(value) ? `${Number(value.toPrecision(3))}` : "-");
for (const { name, band, measure } of factsOf(knows)) {
  const ours = measure(runs);
  const mark = ours >= band[0] && ours <= band[1] ? " " : "x";
  console.log(`${mark} ${name.padEnd(52)} ${`${band[0]} to ${band[1]}`.padEnd(16)} ${shown(ours)}`);
}
const times =
  runs.reduce((total, run) => total + run.seconds * 1000, 0) / runs.reduce((total, run) => total + run.elapsedMs, 0);
console.log(`${Math.round(times)} x real time`);
