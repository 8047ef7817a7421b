// Thirty days of one strategy on the crowd's market, from one seed.

import type { PnlComponent } from "../../src/backtest/outcome.ts";
import { Recorder } from "../../src/backtest/recorder.ts";
import { worldOf } from "../../src/backtest/world.ts";
import type { Setting } from "../../src/bot/config/setting.ts";
import { loadConfiguration } from "../../src/configuration.ts";
import type { Chain } from "../../src/devnet/chain/chain.ts";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { systemFiles } from "../../src/kernel/yaml/files.ts";
import { runMarket } from "../crowd/market-run.ts";
import { StrategyMaker } from "../crowd/strategy-maker.ts";

export type StrategyJob = {
  /** A bot's configuration that embeds a devnet: uses the first market of its first account. */
  readonly file: string;
  /** Replacements for values of the file. */
  readonly settings: readonly Setting[];
  readonly seed: number;
  readonly days: number;
  /** Uncounted days before, for estimates to settle. Default none. */
  readonly warmUpDays?: number;
  /** Whether the skew is scaled by `skewScale`, as in the bot, or is the formula's. Default true. */
  readonly scalesSkew?: boolean;
};

export type StrategyRun = {
  /** USDC earned per day, positions valued at the others' mid. */
  readonly daily: readonly number[];
  /** USDC by source, as docs/backtest.md defines it. */
  readonly pnl: Readonly<Record<PnlComponent, number>>;
  /** USDC that the sources do not explain. */
  readonly residual: number;
  /** Share of the time with an order on both sides. */
  readonly uptime: number;
  readonly fills: number;
  /** Actions of all kinds. */
  readonly actions: number;
  /** Standard deviation of the position over time, contracts. */
  readonly positionStd: number;
  /** The exchange's state root at the end. */
  readonly stateRoot: string;
};

/** A midnight. */
export const START_MS = 1_790_035_200_000;
/** Longer blocks than the configuration's take less time; docs/strategies.md says what that changes. */
export const BLOCK_MS = 1000;

export async function runStrategy(job: StrategyJob): Promise<StrategyRun> {
  const { file, settings, seed, days, warmUpDays = 0, scalesSkew = true } = job;
  const { bot, devnet } = await loadConfiguration(file, systemFiles, settings);
  const [account] = bot.accounts;
  const [market] = account?.markets ?? [];
  if (devnet === null || account === undefined || market === undefined)
    throw new RangeError(`${file}: a devnet, an account and a market are needed`);
  const startMs = START_MS - warmUpDays * DAY_MS;
  const { beside } = new StrategyMaker({
    accountId: account.accountId,
    marketId: market.marketId,
    strategy: market.strategy.start(),
    requoting: market,
    scalesSkew,
    startMs,
  });
  const clock = { mode: "manual", startMs } as const;
  const config = { ...devnet, seed: BigInt(seed), clock, blockTimeMs: BLOCK_MS };
  let recorder: Recorder | undefined;
  const accounts = [{ ...account, markets: [market] }];
  const watch = (chain: Chain) => {
    recorder = new Recorder({ accounts }, chain, { startMs: START_MS });
  };
  await runMarket(config, warmUpDays + days, { beside, watch });
  const outcome = recorder?.end(
    { name: null, seed: BigInt(seed), settings, days, warmUpDays },
    worldOf(devnet, false, createPrng(0n)).line,
  );
  const [line] = outcome?.line.markets ?? [];
  if (outcome === undefined || line === undefined) throw new RangeError(`${file}: nothing was recorded`);
  const pnl = Object.entries(line.pnl).map(([component, amount]) => [component, Number(amount)]);
  return {
    daily: outcome.curves.days,
    pnl: Object.fromEntries(pnl) as StrategyRun["pnl"],
    residual: Number(outcome.line.residual),
    uptime: line.quoteUptime,
    fills: line.fills,
    actions: line.actions.place + line.actions.modify + line.actions.cancel,
    positionStd: line.positionStd,
    stateRoot: outcome.line.stateRoot,
  };
}
