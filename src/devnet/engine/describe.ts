// Converts the engine's records to domain types, for events and reads. Changes nothing.

import type { Position } from "../../domain/account.ts";
import type { Book, Level as BookLevel } from "../../domain/book.ts";
import type { Funding, Market, Oracle, OracleHistory } from "../../domain/market.ts";
import type { Order } from "../../domain/order.ts";
import { type AccountId, type OrderId, type Price, type Size, size, usdc } from "../../domain/units.ts";
import type { InsuranceFund } from "../../wire/rest/exchange.ts";
import { lifetimeOf, trailingOf } from "./accounts/volume.ts";
import type { Level } from "./book/order-book.ts";
import type { TradingAccount } from "./calls.ts";
import {
  availableCollateral,
  effectiveLeverage,
  equityBehind,
  maintenanceOf,
  notionalAtRisk,
  valueAtRisk,
} from "./margin/margin.ts";
import { entryPriceOf } from "./margin/position.ts";
import { markPriceOf } from "./market/prices.ts";
import { findOrder, ordersOf } from "./orders/live-orders.ts";
import { keyOf, type LiveOrder, type MarketAccount, type MarketState } from "./records.ts";
import type { Core } from "./state.ts";

export function orderOf(order: LiveOrder): Order {
  const { account, market } = order.marketAccount;
  return {
    orderId: order.orderId,
    accountId: account.id,
    marketId: market.id,
    side: order.side,
    orderType: order.orderType,
    price: order.price,
    size: order.size,
    filledSize: order.filled === 0 ? NOTHING : size(BigInt(order.filled)),
    remainingSize: order.filled === 0 ? order.size : size(BigInt(order.remaining)),
    triggerPrice: order.triggerPrice,
    reduceOnly: order.reduceOnly,
    postOnly: order.postOnly,
    timeInForce: order.timeInForce,
    status: order.untriggered ? "Untriggered" : order.filled === 0 ? "Open" : "PartiallyFilled",
    takeProfit: order.takeProfit === null ? null : { triggerPrice: order.takeProfit },
    stopLoss: order.stopLoss === null ? null : { triggerPrice: order.stopLoss },
    createdAtMs: order.createdAtMs,
    updatedAtMs: order.updatedAtMs,
  };
}

const NOTHING: Size = size(0n);

/** Undefined if flat. */
function positionOf(marketAccount: MarketAccount): Position | undefined {
  const { market, units } = marketAccount;
  if (units === 0) return undefined;
  const notional = notionalAtRisk(market, units);
  return {
    marketId: market.id,
    side: units > 0 ? "buy" : "sell",
    size: size(BigInt(Math.abs(units))),
    entryPrice: entryPriceOf(marketAccount),
    unrealizedPnl: usdc(valueAtRisk(market, units) - marketAccount.cost),
    cumulativeFunding: marketAccount.fundingIndex,
    lastOraclePrice: market.oraclePrice,
    openedAtMs: marketAccount.openedAtMs,
    marginMode: marketAccount.mode,
    leverage: effectiveLeverage(market, marketAccount.leverage, notional),
    isolatedMargin: usdc(marketAccount.bucket.balance),
    // A market's margin tiers never change, so no position has older ones.
    tierGrandfathered: false,
  };
}

const priceAt = (level: Level<LiveOrder> | null): Price | null => (level === null ? null : level.first.price);

export function marketOf(market: MarketState): Market {
  const { spec, book, funding } = market;
  const openInterest = size(BigInt(market.openInterest));
  return {
    marketId: market.id,
    name: spec.name,
    status: market.status,
    markPrice: markPriceOf(market),
    bestBid: priceAt(book.bestBid),
    bestAsk: priceAt(book.bestAsk),
    oraclePrice: market.oraclePrice,
    lastOraclePrice: market.lastOraclePrice,
    oracleStatus: market.oracleStatus,
    fundingRate: funding.rate,
    openInterestLong: openInterest,
    openInterestShort: openInterest,
    maxOpenInterest: spec.maxOpenInterest,
    initialMarginRatioBps: spec.initialMarginRatioBps,
    maintenanceMarginRatioBps: spec.maintenanceMarginRatioBps,
    backstopAccountId: spec.backstopAccountId,
    feeTiersEndpoint: "/v1/fee-tiers",
    lastOracleTimestampMs: market.lastPrintMs,
    oracleValidUntilSec: wholeSeconds(market.validUntilMs),
    tickSize: market.tickSize,
    lastFundingTimestampSec: Math.floor(funding.lastSettledMs / 1000),
    fundingIntervalSecs: spec.fundingIntervalSecs,
    assetClass: spec.assetClass,
    priceBandBps: spec.priceBandBps,
    interestRateMicroBps: market.interestRateMicroBps,
    depthThresholdLamports: market.depthThreshold,
    marginTiers: market.marginTiers,
  };
}

/** Rounds up, so that a validity of less than a second does not read as over. */
const wholeSeconds = (timeMs: number): number => Math.ceil(timeMs / 1000);

export function bookOf(market: MarketState, depth: number): Book {
  return {
    marketId: market.id,
    bids: levelsFrom(market.book.bestBid, depth),
    asks: levelsFrom(market.book.bestAsk, depth),
  };
}

function levelsFrom(best: Level<LiveOrder> | null, depth: number): readonly BookLevel[] {
  const levels: BookLevel[] = [];
  for (let level = best; level !== null && levels.length < depth; level = level.worse) {
    levels.push({ price: level.first.price, size: size(BigInt(level.units)), orderCount: level.orderCount });
  }
  return levels;
}

export function fundingOf(market: MarketState): Funding {
  const { funding, spec } = market;
  return {
    marketId: market.id,
    fundingRate: funding.rate,
    cumulativeFunding: funding.cumulative,
    lastFundingTimestampSec: Math.floor(funding.lastSettledMs / 1000),
    fundingIntervalSecs: spec.fundingIntervalSecs,
    maxFundingRateBps: market.maxFundingRateBps,
  };
}

export function oracleOf(market: MarketState): Oracle {
  return {
    marketId: market.id,
    price: market.oraclePrice,
    lastUpdateTimestampMs: market.lastPrintMs,
    lastUpdateDate: dateOf(market.lastPrintMs),
    status: market.oracleStatus,
    validUntilSec: wholeSeconds(market.validUntilMs),
  };
}

export const oracleHistoryOf = (market: MarketState): OracleHistory => ({
  marketId: market.id,
  prices: market.prints.map((print) => ({ timeSec: Math.floor(print.timeMs / 1000), price: print.price })),
});

/** UTC day of a Unix time as yyyymmdd. */
function dateOf(timeMs: number): number {
  const day = new Date(timeMs);
  return day.getUTCFullYear() * 10_000 + (day.getUTCMonth() + 1) * 100 + day.getUTCDate();
}

export function readOrder(core: Core, id: OrderId): Order | undefined {
  const order = findOrder(core, id);
  return order === undefined ? undefined : orderOf(order);
}

/** Contracts ahead of a resting order at its price; undefined if it does not rest. */
export function queueAheadOf(core: Core, id: OrderId): Size | undefined {
  const order = findOrder(core, id);
  if (order === undefined || order.level === null) return undefined;
  let units = 0;
  for (let before = order.ahead; before !== null; before = before.ahead) units += before.remaining;
  return size(BigInt(units));
}

export function readAccount(core: Core, id: AccountId): TradingAccount | undefined {
  const account = core.accounts.get(keyOf(id));
  if (account === undefined) return undefined;
  const marketAccounts = [...account.markets.values()];
  const cross = marketAccounts.filter((marketAccount) => marketAccount.mode === "Cross");
  const isolated = marketAccounts.filter(
    (marketAccount) => marketAccount.mode === "Isolated" && marketAccount.units !== 0,
  );
  const crossEquity = account.balance + account.unrealized;
  return {
    accountId: account.id,
    masterAccountId: account.masterId,
    collateral: usdc(account.balance),
    availableCollateral: availableCollateral(account),
    equity: usdc(isolated.reduce((sum, marketAccount) => sum + equityBehind(marketAccount), crossEquity)),
    initialMargin: usdc(account.initial),
    maintenanceMargin: usdc(cross.reduce((sum, marketAccount) => sum + maintenanceOf(marketAccount), 0n)),
    positions: marketAccounts.map(positionOf).filter((position): position is Position => position !== undefined),
    openOrders: ordersOf(account).map(orderOf),
    volume30d: usdc(trailingOf(account.volume)),
    feeTierVolume30d: usdc(trailingOf(account.family.volume)),
    lifetimeVolume: usdc(lifetimeOf(account.volume)),
  };
}

/** A negative balance of the fund's ledger is its shortfall. */
export function insuranceFundOf({ ledgers, insuranceDeposited }: Core): InsuranceFund {
  const { balance } = ledgers.insurance;
  const [has, lacks] = balance < 0n ? [0n, -balance] : [balance, 0n];
  return { balance: usdc(has), shortfall: usdc(lacks), totalDeposited: usdc(insuranceDeposited) };
}
