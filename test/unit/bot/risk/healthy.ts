// A market and an account in full health, and the commands and orders of one: each test breaks the one thing that it is about.

import { accountLimitsSchema, type Limits, marketLimitsSchema } from "../../../../src/bot/risk/limits/limits.ts";
import type { Prints } from "../../../../src/bot/risk/prints.ts";
import { noStandstill, type RiskState } from "../../../../src/bot/risk/risk-state.ts";
import { newWatch } from "../../../../src/bot/risk/watch.ts";
import type { CancelCommand, ModifyCommand, PlaceCommand } from "../../../../src/domain/command.ts";
import type { Market, Oracle } from "../../../../src/domain/market.ts";
import type { TrackedOrder } from "../../../../src/domain/order.ts";
import {
  accountId,
  nonce,
  orderId,
  type Price,
  price,
  type Side,
  type Size,
  size,
  usdc,
} from "../../../../src/domain/units.ts";
import type { Fact, View } from "../../../../src/domain/view.ts";
import { plainHeld, plainPlace } from "../../../support/plain-bot.ts";

export const usd = (dollars: number): Price => price(BigInt(Math.round(dollars * 1e8)));
export const lots = (contracts: number): Size => size(BigInt(Math.round(contracts * 1e6)));
export const now = <T>(value: T): Fact<T> => ({ state: "fresh", value, ageMs: 10 });
export const old = <T>(value: T): Fact<T> => ({ state: "stale", value, ageMs: 60_000 });

export const account = accountId(12n);
export const chainTimeMs = 1_790_000_000_000;

export const market: Market = {
  marketId: 1,
  name: "USA-HPI",
  status: "Active",
  markPrice: usd(200),
  bestBid: usd(199.9),
  bestAsk: usd(200.1),
  oraclePrice: usd(200),
  lastOraclePrice: usd(200),
  oracleStatus: "Active",
  fundingRate: 0n,
  openInterestLong: lots(0),
  openInterestShort: lots(0),
  maxOpenInterest: lots(1_000_000),
  initialMarginRatioBps: 500,
  maintenanceMarginRatioBps: 250,
  backstopAccountId: accountId(1n),
  feeTiersEndpoint: "/v1/fee-tiers",
  lastOracleTimestampMs: chainTimeMs - 1000,
  oracleValidUntilSec: chainTimeMs / 1000 + 86_400,
  tickSize: usd(0.01),
  lastFundingTimestampSec: chainTimeMs / 1000 - 60,
  fundingIntervalSecs: 3600,
  assetClass: "RealEstate",
  priceBandBps: 1000,
  interestRateMicroBps: 0,
  depthThresholdLamports: 0n,
  marginTiers: [
    { notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250, maintenanceDeduction: usdc(0n) },
    {
      notionalFloor: usdc(10_000_000_000n),
      maxLeverage: 10,
      maintenanceMarginRatioBps: 500,
      maintenanceDeduction: usdc(250_000_000n),
    },
  ],
};

export const oracle: Oracle = {
  marketId: 1,
  price: usd(200),
  lastUpdateTimestampMs: chainTimeMs - 1000,
  lastUpdateDate: 20_260_921,
  status: "Active",
  validUntilSec: chainTimeMs / 1000 + 86_400,
};

/** Prints of the past, the newest of them at this price and trusted; a day apart. */
export const trusting = (at: number): Prints => ({
  trusted: { price: usd(at), publishedMs: oracle.lastUpdateTimestampMs },
  doubtful: null,
  newestMs: oracle.lastUpdateTimestampMs,
  intervalsMs: [86_400_000],
});

export const healthyView: View = {
  nowMs: 1_000_000,
  accountId: account,
  marketId: 1,
  market: now(market),
  oracle: now(oracle),
  book: now({
    marketId: 1,
    bids: [{ price: usd(199.9), size: lots(5), orderCount: 2 }],
    asks: [{ price: usd(200.1), size: lots(5), orderCount: 2 }],
  }),
  funding: now({
    marketId: 1,
    fundingRate: 0n,
    cumulativeFunding: 0n,
    lastFundingTimestampSec: chainTimeMs / 1000 - 60,
    fundingIntervalSecs: 3600,
    maxFundingRateBps: 400,
  }),
  chain: now({ height: 100, timeMs: chainTimeMs, offsetMs: 20, blockMs: 500 }),
  stream: now(1),
  position: now(plainHeld(lots(0), usd(0))),
  funds: now({
    collateral: usdc(100_000_000_000n),
    availableCollateral: usdc(100_000_000_000n),
    equity: usdc(100_000_000_000n),
    maintenanceMargin: usdc(0n),
    initialMarginElsewhere: usdc(0n),
    feeTierVolume30d: usdc(0n),
  }),
  reconciled: now(3),
  agent: now({ pubkey: "ab".repeat(32), name: "bot", expiresAtSec: null }),
  feeTier: now({ assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: -1, takerFeeBps: 5 }),
  openOrderCap: now(200),
  orders: [],
  vacated: [],
  accountOrderCount: 0,
  signals: {
    volatilityBps: 0.5,
    dayVolatilityBps: 0.5,
    intensityA: 0.2,
    intensityK: 5,
    adverseBps: 0,
    markoutBps: 0,
    nowcastUsd: 200,
    nowcastErrorBps: 40,
    printDeviationBps: 83.3,
    nextPrint: { atMs: chainTimeMs - 1000 + 86_400_000, everyMs: 86_400_000 },
  },
  guidance: { extraInventory: 0, fairValueUsd: null },
};

export const healthyLimits: Limits = {
  market: marketLimitsSchema.parse({ maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }),
  account: accountLimitsSchema.parse({}),
};

export const healthyState: RiskState = {
  latches: [],
  journal: now("healthy"),
  ledgerSpace: now("free"),
  nonceRefusal: now(null),
  eventLoopLagMs: now(5),
  budgetRemaining: now(null),
  marketDailyPnl: now({ pnl: usdc(0n), best: usdc(0n) }),
  accountDailyPnl: now({ pnl: usdc(0n), best: usdc(0n) }),
  grossNotionalElsewhere: now(usdc(0n)),
  fairValueUsd: 200,
  isAccountInDoubt: false,
  watch: { ...newWatch, prints: trusting(200) },
  standstills: noStandstill,
  rejections: null,
};

export function place(side: Side, at: number, contracts: number, changes: Partial<PlaceCommand> = {}): PlaceCommand {
  return plainPlace({ accountId: account, side, price: usd(at), size: lots(contracts), ...changes });
}

export function order(
  id: number,
  side: Side,
  at: number,
  contracts: number,
  changes: Partial<TrackedOrder> = {},
): TrackedOrder {
  return {
    nonce: nonce(BigInt(id)),
    orderId: orderId(BigInt(id)),
    marketId: 1,
    side,
    price: usd(at),
    size: lots(contracts),
    remainingSize: lots(contracts),
    reduceOnly: false,
    postOnly: true,
    isConditional: false,
    isForeign: false,
    state: "working",
    level: 0,
    pending: null,
    movingTo: [],
    sinceMs: 0,
    ...changes,
  };
}

export function modify(target: TrackedOrder, changes: Partial<ModifyCommand>): ModifyCommand {
  return {
    kind: "modify",
    accountId: account,
    marketId: 1,
    orderId: target.orderId ?? orderId(0n),
    side: target.side,
    reduceOnly: target.reduceOnly,
    newPrice: null,
    newSize: null,
    level: target.level,
    ...changes,
  };
}

export const cancel = (target: TrackedOrder): CancelCommand => ({
  kind: "cancel",
  accountId: account,
  marketId: 1,
  orderId: target.orderId ?? orderId(0n),
});

/** A view with orders, counted as the feed counts them. */
export const withOrders = (view: View, orders: readonly TrackedOrder[]): View => ({
  ...view,
  orders,
  accountOrderCount: orders.length,
});

export const withInventory = (view: View, contracts: number): View => ({
  ...view,
  position: now(plainHeld(lots(contracts), usd(contracts === 0 ? 0 : 200))),
});
