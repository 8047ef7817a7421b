// The facts of both shipped markets on short runs, in blocks of a second: what those who know take from a maker, what a rule on the premium
// earns, and those that need few trades. `bench/crowd.ts` measures all of them on long ones.

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Beside, factsOf } from "../../../../bench/crowd/facts.ts";
import { type MarketRun, runMarket, type TakerTrade } from "../../../../bench/crowd/market-run.ts";
import { equityOf, withNaiveMaker } from "../../../../bench/crowd/naive-maker.ts";
import { PremiumTrader } from "../../../../bench/crowd/premium-rule.ts";
import { loadDevnetConfig } from "../../../../src/devnet/config/load.ts";
import { createCrowd } from "../../../../src/devnet/crowd/crowd.ts";
import { indexPathsOf } from "../../../../src/devnet/crowd/prints.ts";
import { accountId } from "../../../../src/domain/units.ts";
import { systemFiles } from "../../../../src/kernel/yaml/files.ts";

const clock = { mode: "manual", startMs: 1_790_000_000_000 } as const;
const MAKER = { accountId: accountId(12n), marketId: 1, halfSpreadBps: 1.3 };
const COLLATERAL = 100_000;

const devnetOf = (name: string, informedShare = 0.1) => {
  const loaded = loadDevnetConfig(`config/${name}.yaml`, systemFiles);
  const flow = { ...loaded.flow, informedShare };
  return { ...loaded, blockTimeMs: 1000, clock, markets: loaded.markets.slice(0, 1), flow, seed: 2n };
};

/** Spreads, flow and its impact, makers' markouts, who trades, what a premium pays: as many as a short run can tell. */
const TOLD = [
  "spread, median, bps",
  "autocorrelation of trade signs, lag 1",
  "order-flow imbalance, R squared",
  "impact exponent in size",
  "fill curve, R squared",
  "maker markout at 1 s, half-spreads",
  "fixed-spread maker, markout at 5 min, its half-spreads",
  "a rule on the premium, Sharpe ratio of a day",
  "trades of those who know, %",
];

async function factsIn(name: string, days: number): Promise<ReadonlyMap<string, readonly [number, number, number]>> {
  const config = devnetOf(name);
  const owners = ["informed", "sniper"].map((kind) => createHash("sha256").update(`crowd:${kind}`).digest("hex"));
  const accounts = createCrowd(config, indexPathsOf(config))?.accounts ?? [];
  const informed = new Set(accounts.filter(({ owner }) => owners.includes(owner)).map((account) => account.accountId));
  const knows = ({ taker }: TakerTrade) => informed.has(taker);
  const alone: MarketRun = await runMarket(config, days);
  const maker = { ...MAKER, size: 50_000, cap: Number.POSITIVE_INFINITY };
  const unprotected = await runMarket(config, days, { beside: withNaiveMaker(maker) });
  const trader = new PremiumTrader({ ...MAKER, perBp: 0.25 });
  const premium = trader.hours(await runMarket(config, days, { beside: trader.beside }), 1);
  const beside: Beside = { unprotected: [unprotected], maker, premium };
  return new Map(
    factsOf(knows).map(({ name: fact, band, measure }) => [fact, [measure([alone], beside), ...band] as const]),
  );
}

describe.each([
  ["devnet-daily", 2],
  ["devnet", 1 / 4],
] as const)("the facts of %s", (name, days) => {
  it("lie in their bands", async () => {
    const facts = await factsIn(name, days);
    for (const fact of TOLD) {
      const [ours, low, high] = facts.get(fact) ?? [Number.NaN, 0, 0];
      expect(ours, fact).toBeGreaterThanOrEqual(low);
      expect(ours, fact).toBeLessThanOrEqual(high);
    }
  });
});

it("of every five trades one that knows: the simplest maker of the demo earns less than half of what noise alone would bring", async () => {
  const maker = { ...MAKER, size: 500_000, cap: 2_000_000 };
  const [noise, known] = await Promise.all(
    [0, 0.2].map(async (share) => {
      const { reads } = await runMarket(devnetOf("devnet", share), 1 / 6, { beside: withNaiveMaker(maker) });
      return equityOf(reads, maker) - COLLATERAL;
    }),
  );
  expect(noise).toBeGreaterThan(0);
  expect(known).toBeLessThan((noise ?? 0) / 2);
});
