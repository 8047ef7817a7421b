// Order size that the crowd's market can carry by `sizeAdvice`, for each hour of a run without a bot.

import { type SizeAdvice, sizeAdvice } from "../../src/bot/risk/size-advice.ts";
import { noNowcast } from "../../src/bot/strategy/nowcast.ts";
import { tailMoveBps } from "../../src/bot/strategy/tail-move.ts";
import { loadConfiguration } from "../../src/configuration.ts";
import type { Chain } from "../../src/devnet/chain/chain.ts";
import type { Trade } from "../../src/domain/fill.ts";
import { usdc } from "../../src/domain/units.ts";
import { systemFiles } from "../../src/kernel/yaml/files.ts";
import { runMarket } from "../crowd/market-run.ts";
import { BLOCK_MS, START_MS } from "./run.ts";

const BLOCKS_PER_HOUR = 3_600_000 / BLOCK_MS;
/** As many as the exchange lists. */
const TRADES_LISTED = 100;
const EQUITY = usdc(100_000_000_000n);

/** In the order of the hours. */
export async function carriedSizes(file: string, seed: number, days: number): Promise<readonly SizeAdvice[]> {
  const { devnet } = await loadConfiguration(file, systemFiles, []);
  const [market] = devnet?.markets ?? [];
  if (devnet === null || market === undefined) throw new RangeError(`${file}: a devnet with a market is needed`);
  const { marketId } = market;
  const found: SizeAdvice[] = [];
  let trades: Trade[] = [];
  let blocks = 0;
  const watch = (chain: Chain): void => {
    chain.onEvents(({ events }) => {
      for (const event of events)
        if (event.type === "Fill") trades = [...trades, event.execution].slice(-TRADES_LISTED);
    });
    chain.onBlock(() => {
      blocks += 1;
      const [book, oracle] = [chain.reads.book(marketId), chain.reads.oracle(marketId)];
      if (blocks % BLOCKS_PER_HOUR !== 0 || book === undefined || oracle === undefined) return;
      const known = { book, own: [], trades, equity: EQUITY, price: oracle.price };
      found.push(sizeAdvice({ ...known, tailMoveBps: tailMoveBps(noNowcast) }));
    });
  };
  const clock = { mode: "manual", startMs: START_MS } as const;
  await runMarket({ ...devnet, seed: BigInt(seed), clock, blockTimeMs: BLOCK_MS }, days, { watch });
  return found;
}
