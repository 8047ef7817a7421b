// A shipped strategy beside the crowd: it rests on both sides, is filled by the crowd, and what it is said to have earned is what the
// exchange has on its account.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runMarket } from "../../../../bench/crowd/market-run.ts";
import { StrategyMaker } from "../../../../bench/crowd/strategy-maker.ts";
import { systemFiles } from "../../../../src/kernel/yaml/files.ts";
import { loadConfiguration } from "../../../../src/sim/configuration.ts";

const START_MS = 1_790_035_200_000;
const HOUR = 1 / 24;

async function run(name: string, seed: bigint) {
  const file = fileURLToPath(new URL(`../../../../bench/strategies/${name}.yaml`, import.meta.url));
  const { bot, devnet } = await loadConfiguration(file, systemFiles);
  const [account] = bot.accounts;
  const [market] = account?.markets ?? [];
  if (devnet === null || account === undefined || market === undefined) throw new Error("a devnet and a market");
  const { accountId } = account;
  const maker = new StrategyMaker({
    accountId,
    marketId: market.marketId,
    strategy: market.strategy.start(),
    startMs: START_MS,
  });
  const clock = { mode: "manual", startMs: START_MS } as const;
  const played = await runMarket({ ...devnet, seed, clock, blockTimeMs: 1000 }, HOUR, maker.beside);
  return { accountId, record: maker.record, ...played };
}

describe.each(["fixed-spread", "print-aware"])("%s beside the crowd", (name) => {
  test("rests on both sides, and its fills are those that the exchange has", async () => {
    const { accountId, record, trades, reads } = await run(name, 3n);
    expect(record.twoSidedMs / record.ms).toBeGreaterThan(0.5);
    const fills = trades.flatMap(({ makers }) => makers.filter(({ account }) => account === accountId));
    expect(fills.length).toBeGreaterThan(5);
    // The last look may be some seconds before the end.
    expect(fills.length - record.fills).toBeLessThanOrEqual(1);
    const { openOrders = [] } = reads.account(accountId) ?? {};
    expect(openOrders.length).toBeGreaterThan(0);
  });

  test("does the same again from the same seed, and other things from another", async () => {
    const [first, second, other] = [await run(name, 3n), await run(name, 3n), await run(name, 4n)];
    expect(second.stateRoot).toBe(first.stateRoot);
    expect(second.record).toEqual(first.record);
    expect(other.stateRoot).not.toBe(first.stateRoot);
  });
});
