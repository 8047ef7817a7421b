// Thirty days of one strategy on the crowd's market, from one seed; on threads of their own. The threads run this very file.

import type { Setting } from "../../src/bot/config/setting.ts";
import { type JobWorkers, serveJobs, startWorkers } from "../../src/jobs/job-workers.ts";
import { systemFiles } from "../../src/kernel/yaml/files.ts";
import { loadConfiguration } from "../../src/sim/configuration.ts";
import { runMarket } from "../crowd/market-run.ts";
import { StrategyMaker } from "../crowd/strategy-maker.ts";

export type StrategyJob = {
  /** A bot's configuration that embeds a devnet: the first market of its first account is run. */
  readonly file: string;
  /** What stands for values of the file. */
  readonly settings: readonly Setting[];
  readonly seed: number;
  readonly days: number;
};

export type StrategyRun = {
  /** USDC that each day brought, positions valued at the mark. */
  readonly daily: readonly number[];
  /** Share of the time with an order on both sides. */
  readonly uptime: number;
  readonly fillsPerDay: number;
};

/** A midnight. */
const START_MS = 1_790_035_200_000;
/** Fewer blocks than the configuration's take less time; docs/strategies.md says what that changes. */
const BLOCK_MS = 1000;

async function runStrategy({ file, settings, seed, days }: StrategyJob): Promise<StrategyRun> {
  const { bot, devnet } = await loadConfiguration(file, systemFiles, settings);
  const [account] = bot.accounts;
  const [market] = account?.markets ?? [];
  if (devnet === null || account === undefined || market === undefined)
    throw new RangeError(`${file}: a devnet, an account and a market are needed`);
  const opening = devnet.accounts.find(({ accountId }) => accountId === account.accountId);
  const maker = new StrategyMaker({
    accountId: account.accountId,
    marketId: market.marketId,
    strategy: market.strategy.start(),
    startMs: START_MS,
  });
  const clock = { mode: "manual", startMs: START_MS } as const;
  const config = { ...devnet, seed: BigInt(seed), clock, blockTimeMs: BLOCK_MS };
  // A second more than the days have, so that the last midnight is seen.
  await runMarket(config, days + 1 / 86_400, maker.beside);
  const { equities, fills, ms, twoSidedMs } = maker.record;
  const all = [Number(opening?.collateral ?? 0n) / 1e6, ...equities];
  return {
    daily: equities.map((equity, day) => equity - (all[day] ?? Number.NaN)),
    uptime: twoSidedMs / ms,
    fillsPerDay: fills / days,
  };
}

export const startStrategyWorkers = (count: number): JobWorkers<StrategyJob, StrategyRun> =>
  startWorkers(count, new URL(import.meta.url));

serveJobs(runStrategy);
