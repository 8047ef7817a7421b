// `node bench/crowd.ts`: the crowd's market beside the stylized facts of real ones; one table: fact, band, ours. Options: `--config FILE`
// (a devnet with one market or more, the first counts), `--days N`, `--seeds N`, `--seed K` (the first). With `--naive N` instead what the simplest maker earns in N runs of so many
// days, at several shares of those who know.

import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { loadDevnetConfig } from "../src/devnet/config/load.ts";
import { createCrowd } from "../src/devnet/crowd/crowd.ts";
import { indexPathsOf } from "../src/devnet/crowd/prints.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";
import { factsOf } from "./crowd/facts.ts";
import { type MarketRun, runMarket, type TakerTrade } from "./crowd/market-run.ts";
import { equityOf, withNaiveMaker } from "./crowd/naive-maker.ts";
import { deviation, mean } from "./crowd/statistics.ts";

const { values } = parseArgs({
  options: {
    config: { type: "string", default: "config/devnet-daily.yaml" },
    days: { type: "string", default: "3" },
    seeds: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    naive: { type: "string" },
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

/** Half of half the market's median spread, one typical order a side, four of them held at most. */
const NAIVE = { marketId: 1, halfSpreadBps: 2.1, size: 500_000, cap: 2_000_000 } as const;
const SHARES = [0.05, 0.1, 0.2, 0.4];

/** A row for each share: USDC a day, its standard deviation over runs, runs that lost. */
async function naiveRows(count: number, days: number): Promise<void> {
  const [account] = config.accounts;
  if (account === undefined) throw new RangeError("the naive maker needs an account of the configuration");
  const naive = { ...NAIVE, accountId: account.accountId };
  for (const informedShare of SHARES) {
    const earned: number[] = [];
    for (let at = 0; at < count; at += 1) {
      const flow = { ...config.flow, informedShare };
      const seed = BigInt(values.seed) + BigInt(at);
      const { reads } = await runMarket({ ...config, flow, seed }, days, withNaiveMaker(naive));
      earned.push(equityOf(reads, naive) - Number(account.collateral) / 1e6);
    }
    const lost = earned.filter((usdc) => usdc < 0).length;
    const daily = earned.map((usdc) => usdc / days);
    console.log(
      `informed ${informedShare}: ${shown(mean(daily))} USDC a day, ${shown(deviation(daily))} over runs; ${lost} of ${count} lost`,
    );
  }
}

const shown = (value: number) => (Number.isFinite(value) ? `${Number(value.toPrecision(3))}` : "-");

async function factRows(): Promise<void> {
  const runs: MarketRun[] = [];
  for (let at = 0; at < Number(values.seeds); at += 1) {
    runs.push(await runMarket({ ...config, seed: BigInt(values.seed) + BigInt(at) }, Number(values.days)));
  }
  for (const { name, band, measure } of factsOf(knows)) {
    const ours = measure(runs);
    const mark = ours >= band[0] && ours <= band[1] ? " " : "x";
    console.log(`${mark} ${name.padEnd(58)} ${`${band[0]} to ${band[1]}`.padEnd(16)} ${shown(ours)}`);
  }
  const times =
    runs.reduce((total, run) => total + run.seconds * 1000, 0) / runs.reduce((total, run) => total + run.elapsedMs, 0);
  console.log(`${Math.round(times)} x real time`);
}

await (values.naive === undefined ? factRows() : naiveRows(Number(values.naive), Number(values.days)));
