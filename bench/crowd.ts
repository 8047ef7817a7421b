// `npx node bench/crowd.ts`: the crowd's market against stylized facts of real ones: fact, band, ours. Options: `--config FILE` (a devnet;
// its first market is used), `--days N`, `--seeds N`, `--seed K` (the first). Other tables: `--naive N`: earnings of every maker in N runs
// at the informed `--shares`; `--causes`: how long moves of the mid last, later value of the simplest maker's fills, and what past trades
// predict; `--premium`: earnings of `--rules` that see only the premium, `--over` the oracle price or what a contract is worth by the `next`
// expected print or the `path` of them. `--cap`: the simplest maker's largest position, contracts.

import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { halfOf95 } from "../src/backtest/summary.ts";
import type { ChainReads } from "../src/devnet/chain/reads.ts";
import { loadDevnetConfig } from "../src/devnet/config/load.ts";
import { createCrowd } from "../src/devnet/crowd/crowd.ts";
import { indexPathOf } from "../src/devnet/crowd/index-path.ts";
import { indexPathsOf } from "../src/devnet/crowd/prints.ts";
import { feeTierFor } from "../src/domain/fees.ts";
import { usdOf } from "../src/domain/rounding.ts";
import { type AccountId, usdc } from "../src/domain/units.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";
import { flowShare, HORIZONS_SECS, markoutsOf, varianceRatio } from "./crowd/causes.ts";
import { factsOf } from "./crowd/facts.ts";
import { type MarketRun, runMarket, type TakerTrade } from "./crowd/market-run.ts";
import { equityOf, withNaiveMaker } from "./crowd/naive-maker.ts";
import { type PremiumHour, PremiumTrader, sharpeRatio } from "./crowd/premium-rule.ts";
import { type Counted, PrintWorth } from "./crowd/print-worth.ts";
import { deviation, mean, sum } from "./crowd/statistics.ts";

const { values } = parseArgs({
  options: {
    config: { type: "string", default: "config/devnet-daily.yaml" },
    days: { type: "string", default: "3" },
    seeds: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    naive: { type: "string" },
    causes: { type: "boolean", default: false },
    premium: { type: "boolean", default: false },
    cap: { type: "string", default: "2" },
    over: { type: "string", default: "oracle" },
    rules: { type: "string", default: "0.01,0.025,0.1,0.25,1,2.5,10" },
    shares: { type: "string", default: "0,0.05,0.1,0.2" },
  },
});

const START_MS = 1_790_000_000_000;
const loaded = loadDevnetConfig(values.config, systemFiles);
const config = {
  ...loaded,
  markets: loaded.markets.slice(0, 1),
  clock: { mode: "manual", startMs: START_MS } as const,
};

const accounts = createCrowd(config, indexPathsOf(config))?.accounts ?? [];
const accountsNamed = (names: readonly string[]) => {
  const owners = names.map((name) => createHash("sha256").update(`crowd:${name}`).digest("hex"));
  return accounts.filter(({ owner }) => owners.includes(owner)).map(({ accountId }) => accountId);
};
/** The crowd's takers that know the index between prints; outsiders cannot tell. */
const whoKnow = new Set(accountsNamed(["informed", "sniper"]));
const knows = (trade: TakerTrade): boolean => whoKnow.has(trade.taker);

/** Quotes at half the market's median half-spread, one typical order per side; at most four of them held, unless `--cap` changes it. */
const NAIVE = { marketId: 1, halfSpreadBps: 1.3, size: 500_000, cap: Number(values.cap) * 1_000_000 } as const;
const SHARES = values.shares.split(",").map(Number);

function naiveMaker() {
  const [account] = config.accounts;
  if (account === undefined) throw new RangeError("the naive maker needs an account of the configuration");
  return { account, naive: { ...NAIVE, accountId: account.accountId } };
}

/** A row for each share: daily earnings of each maker, USDC; for the naive one also its rebates, and the number of losing runs. */
async function naiveRows(count: number, days: number): Promise<void> {
  const { account, naive } = naiveMaker();
  const rivals = accounts.filter(({ accountId }) => accountsNamed(["maker-0", "maker-1"]).includes(accountId));
  for (const informedShare of SHARES) {
    const earned: { naive: number; rebate: number; rivals: readonly number[] }[] = [];
    for (let at = 0; at < count; at += 1) {
      const flow = { ...config.flow, informedShare };
      const seed = BigInt(values.seed) + BigInt(at);
      const { reads, trades } = await runMarket({ ...config, flow, seed }, days, { beside: withNaiveMaker(naive) });
      const daily = ({ accountId, collateral }: (typeof accounts)[number]) =>
        (equityOf(reads, { ...naive, accountId }) - Number(collateral) / 1e6) / days;
      const rebate = rebateOf(turnoverOf(trades, naive.accountId), reads) / days;
      earned.push({ naive: daily(account), rebate, rivals: rivals.map(daily) });
    }
    const own = earned.map((run) => run.naive);
    const others = rivals.map((_, rank) => {
      const theirs = earned.map((run) => run.rivals[rank] ?? Number.NaN);
      return `${shown(mean(theirs))} (${shown(deviation(theirs))})`;
    });
    console.log(
      `informed ${informedShare}: ${shown(mean(own))} USDC a day (${shown(deviation(own))} over runs), rebate ${shown(mean(earned.map((run) => run.rebate)))}; ${own.filter((gain) => gain < 0).length} of ${count} lost; makers of the crowd ${others.join(", ")}`,
    );
  }
}

/** USDC that a maker bought and sold. */
function turnoverOf(trades: readonly TakerTrade[], maker: AccountId): number {
  const fills = trades.flatMap((trade) => trade.makers.filter(({ account }) => account === maker));
  return fills.reduce((total, { price, size }) => total + size * Math.exp(price / 10_000), 0);
}

/** Rebate for a maker without volume, USDC; negative if makers pay. */
const rebateOf = (turnover: number, reads: ChainReads): number => (turnover * rebateBps(reads)) / 10_000;

function rebateBps(reads: ChainReads): number {
  const assetClass = reads.market(NAIVE.marketId)?.assetClass;
  const tier = assetClass === undefined ? undefined : feeTierFor(reads.feeTiers(), assetClass, usdc(0n));
  return -(tier?.makerFeeBps ?? 0);
}

const shown = (value: number) => (Number.isFinite(value) ? `${Number(value.toPrecision(3))}` : "-");

/**
 * The unprotected maker is the simplest one without a cap, with orders of a twentieth of a contract, which hardly move the market that
 * judges it: it takes whatever comes in the guard window. The premium rule is the middle one of PREMIUM_RULES.
 */
async function factRows(): Promise<void> {
  const { naive } = naiveMaker();
  const withUnprotected = withNaiveMaker({ ...naive, size: 50_000, cap: Number.POSITIVE_INFINITY });
  const runs: MarketRun[] = [];
  const unprotected: MarketRun[] = [];
  const premium: PremiumHour[] = [];
  for (let at = 0; at < Number(values.seeds); at += 1) {
    const seeded = { ...config, seed: BigInt(values.seed) + BigInt(at) };
    runs.push(await runMarket(seeded, Number(values.days)));
    unprotected.push(await runMarket(seeded, Number(values.days), { beside: withUnprotected }));
    premium.push(...(await premiumHours(seeded, FACT_RULE)));
  }
  for (const { name, band, measure } of factsOf(knows)) {
    const ours = measure(runs, { unprotected, maker: naive, premium });
    const mark = ours >= band[0] && ours <= band[1] ? " " : "x";
    console.log(`${mark} ${name.padEnd(64)} ${`${band[0]} to ${band[1]}`.padEnd(16)} ${shown(ours)}`);
  }
  const times =
    runs.reduce((total, run) => total + run.seconds * 1000, 0) / runs.reduce((total, run) => total + run.elapsedMs, 0);
  console.log(`a minute here is ${runs[0]?.minute} s; ${Math.round(times)} x real time`);
}

/** For each seed: the naive maker's earnings, how long moves last, the value of its fills by taker, and what past trades predict. */
async function causeRows(days: number): Promise<void> {
  const { flow } = config;
  if (!flow.enabled) throw new RangeError("flow is off");
  const { account, naive } = naiveMaker();
  const names = ["noise", "informed", "sniper", "basis", "trend", "manipulator", "leveraged-0", "leveraged-1"];
  const kinds = new Map(names.flatMap((name) => accountsNamed([name]).map((taker) => [taker, name] as const)));
  for (let at = 0; at < Number(values.seeds); at += 1) {
    const run = await runMarket({ ...config, seed: BigInt(values.seed) + BigInt(at) }, days, {
      beside: withNaiveMaker(naive),
    });
    const earned = (equityOf(run.reads, naive) - Number(account.collateral) / 1e6) / days;
    const rebate = rebateOf(turnoverOf(run.trades, naive.accountId), run.reads) / days;
    const paid = run.payments.filter((payment) => payment.account === naive.accountId);
    const funding = sum(paid.map(({ usdc }) => usdc)) / days;
    console.log(
      `seed ${BigInt(values.seed) + BigInt(at)}: ${shown(earned)} USDC a day, of it rebate ${shown(rebate)}, funding ${shown(funding)}`,
    );
    const ratios = HORIZONS_SECS.slice(2).map((secs) => `${secs / 60} min ${shown(varianceRatio(run, secs))}`);
    console.log(`  variance of a random walk's: ${ratios.join(", ")}`);
    for (const { taker, fills, edge, after } of markoutsOf(run, naive.accountId, (id) => kinds.get(id) ?? "others")) {
      const later = after.map((markout, rank) => `${HORIZONS_SECS[rank]} s ${shown(markout)}`);
      console.log(`  ${taker}: ${shown(fills / days)} fills a day, bps: edge ${shown(edge)}, ${later.join(", ")}`);
    }
    const { share, rSquared } = flowShare(run, Number(flow.takerSize) / 1_000_000);
    console.log(`  flow tells its next: ${shown(share)} of the memory of it, R2 ${shown(rSquared)}`);
  }
}

/**
 * Contracts that a premium rule holds against one basis point of premium: 0.5, 5 and 50 contracts against 5, 20 and 50 bps; two of these
 * pairs give the same rule.
 */
const PREMIUM_RULES = values.rules.split(",").map(Number);

const FACT_RULE = 0.25;

type SeededConfig = typeof config & { readonly seed: bigint };
/** Prints from which a forecast has learned before a run, and how far their seed is from the run's. */
const [HISTORY, HISTORY_SEED] = [400, 1_000_000n] as const;

type Over = "oracle" | Counted;

function overOf(name: string): Over {
  if (name === "oracle" || name === "next" || name === "path") return name;
  throw new RangeError(`--over ${name}: it is oracle, next or path`);
}

async function premiumHours(
  seeded: SeededConfig,
  perBp: number,
  over: Over = "oracle",
): Promise<readonly PremiumHour[]> {
  const worth = over === "oracle" ? {} : { worth: printWorth(seeded, over) };
  const trader = new PremiumTrader({ ...naiveMaker().naive, perBp, ...worth });
  const run = await runMarket(seeded, Number(values.days), { beside: trader.beside });
  return trader.hours(run, rebateBps(run.reads));
}

/** Its forecast has learned from prints of the same law, drawn from another seed. */
function printWorth({ seed, markets: [market] }: SeededConfig, counted: Counted): PrintWorth {
  if (market?.oracle.source !== "synthetic") throw new RangeError("--over needs a synthetic index");
  const { oracle, marketId, fundingIntervalSecs, premiumPeriodSecs } = market;
  const path = indexPathOf(oracle, seed + HISTORY_SEED, marketId);
  const history = Array.from({ length: HISTORY }, (_, k) => usdOf(path.printAt(k) ?? oracle.price));
  const { printEverySecs } = oracle;
  return new PrintWorth(counted, { printEverySecs, fundingIntervalSecs, premiumPeriodSecs }, history);
}

const FIGURES = ["held", "atMid", "total"] as const;

/**
 * Earnings of each premium rule: daily mean, USDC, and daily Sharpe ratio from the hourly one; over all seeds, in blocks of one second. Of two
 * things that the premium is over, also what the second brings less the first.
 */
async function premiumRows(): Promise<void> {
  const days = Number(values.days) * Number(values.seeds);
  const overs = values.over.split(",").map(overOf);
  let best = Number.NEGATIVE_INFINITY;
  for (const perBp of PREMIUM_RULES) {
    /** A row for each thing that the premium is over, a column per seed. */
    const runs: (readonly PremiumHour[])[][] = overs.map(() => []);
    for (let at = 0; at < Number(values.seeds); at += 1) {
      const seeded = { ...config, blockTimeMs: 1000, seed: BigInt(values.seed) + BigInt(at) };
      for (const [nth, over] of overs.entries()) runs[nth]?.push(await premiumHours(seeded, perBp, over));
    }
    for (const [nth, over] of overs.entries()) {
      const hours = runs[nth]?.flat() ?? [];
      const figures = FIGURES.map((of) => `${of} ${shown(daily(hours, of))} (${shown(sharpeRatio(hours, of))})`);
      best = Math.max(best, sharpeRatio(hours, "held"));
      console.log(`  ${perBp} contracts a bp over ${over}: ${figures.join(", ")}`);
    }
    const [first = [], second] = runs;
    if (second === undefined) continue;
    const less = FIGURES.map((of) => {
      const each = second.map((hours, seed) => daily(hours, of) - daily(first[seed] ?? [], of));
      return `${of} ${shown(mean(each))} ± ${shown(halfOf95(each) ?? Number.NaN)}`;
    });
    console.log(`  ${perBp} contracts a bp, ${overs[1]} less ${overs[0]}, seed by seed: ${less.join(", ")}`);
  }
  const mark = best < 0.3 ? " " : "x";
  console.log(
    `${mark} premium, best rule, Sharpe ratio of a day below 0.3: ${shown(best)} ± ${shown(1 / Math.sqrt(days))}`,
  );
}

const daily = (hours: readonly PremiumHour[], of: keyof PremiumHour): number =>
  24 * mean(hours.map((hour) => hour[of]));

if (values.premium) await premiumRows();
else if (values.causes) await causeRows(Number(values.days));
else if (values.naive === undefined) await factRows();
else await naiveRows(Number(values.naive), Number(values.days));
