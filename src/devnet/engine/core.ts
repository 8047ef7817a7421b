// Creates a new exchange: markets from their configuration, no accounts except the backstops, no trades.

import { withDeductions } from "../../domain/margin.ts";
import type { FeeTier, MarginTier } from "../../domain/market.ts";
import { price, usdc } from "../../domain/units.ts";
import { assert } from "../../kernel/assert.ts";
import { openAccount } from "./accounts/accounts.ts";
import { emptyLedgers } from "./accounts/postings.ts";
import { MatchPlan } from "./book/match-plan.ts";
import { OrderBook } from "./book/order-book.ts";
import type { EngineConfig, MarketSpec } from "./calls.ts";
import { rateAt } from "./exact.ts";
import { ChangeLog } from "./persistence/change-log.ts";
import { keyOf, type MarketState } from "./records.ts";
import type { Core } from "./state.ts";

/** The core of a new exchange. */
export function newCore(options: EngineConfig): Core {
  const core = makeCore(options);
  const genesis = { height: 0, timeMs: 0, emittedMs: 0, txHash: "" };
  for (const market of core.markets.values()) {
    const { backstopAccountId } = market.spec;
    if (core.accounts.has(keyOf(backstopAccountId))) continue;
    openAccount(core, { accountId: backstopAccountId, masterAccountId: null }, genesis);
  }
  return core;
}

/** A core with markets but no accounts, for a new or a resumed exchange. */
export function makeCore(options: EngineConfig): Core {
  const feeTiers: readonly FeeTier[] = options.feeTiers;
  const markets = options.markets.map((spec) => makeMarket(spec, feeTiers));
  return {
    markets: new Map(markets.map((market) => [market.id, market])),
    accounts: new Map(),
    families: new Map(),
    orders: new Map(),
    ledgers: emptyLedgers(),
    feeTiers,
    openOrderCap: options.openOrderCap,
    watched: new Set(),
    log: new ChangeLog(options.record),
    plan: new MatchPlan(),
    lastOrderId: options.lastOrderId ?? 0,
    nowMs: 0,
    insuranceDeposited: 0n,
  };
}

function makeMarket(spec: MarketSpec, feeTiers: readonly FeeTier[]): MarketState {
  const ofClass = feeTiers.filter((tier) => tier.assetClass === spec.assetClass);
  assert(
    ofClass.some((tier) => tier.minVolume30d === 0n),
    `the fee schedule has a row for ${spec.assetClass} from volume 0`,
  );
  assert(spec.maxOpenInterest <= BigInt(Number.MAX_SAFE_INTEGER), "open interest can be counted exactly");
  return {
    id: spec.marketId,
    spec,
    tickSize: spec.tickSize,
    tickRate: rateAt(spec.tickSize),
    initialMarginRatioBps: spec.initialMarginRatioBps,
    interestRateMicroBps: spec.interestRateMicroBps,
    depthThreshold: spec.depthThreshold,
    maxFundingRateBps: spec.maxFundingRateBps,
    marginTiers: tiersOf(spec),
    feeTiers: ofClass.sort((a, b) => Number(b.minVolume30d - a.minVolume30d)),
    book: new OrderBook(),
    accounts: [],
    untriggered: new Set(),
    status: spec.status,
    oraclePrice: price(0n),
    markMemo: { version: -1, oraclePrice: price(0n), price: price(0n) },
    lastOraclePrice: price(0n),
    oracleStatus: "Stale",
    lastPrintMs: 0,
    validUntilMs: 0,
    prints: [],
    risk: rateAt(price(0n)),
    triggersDue: false,
    healthDue: false,
    bandLow: 0,
    bandHigh: 0,
    openInterest: 0,
    funding: {
      cumulative: 0n,
      rate: 0n,
      lastSettledMs: 0,
      lastSampleMs: 0,
      premiumSum: 0n,
      premiumCount: 0,
    },
  };
}

/** The configured margin tiers; if there are none, one tier with the market's own ratios. */
function tiersOf(spec: MarketSpec): readonly MarginTier[] {
  if (spec.marginTiers.length > 0) return withDeductions(spec.marginTiers);
  const maxLeverage = Math.floor(10_000 / spec.initialMarginRatioBps);
  const { maintenanceMarginRatioBps } = spec;
  return withDeductions([{ notionalFloor: usdc(0n), maxLeverage, maintenanceMarginRatioBps }]);
}
