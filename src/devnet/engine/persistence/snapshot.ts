// The whole state as plain JSON values: big integers as decimal text, keys and rows in fixed order, so that equal states give equal text.
// Derived fields are left out; restoring recomputes them.

import type { Volume } from "../accounts/volume.ts";
import type { FundingState, LiveOrder, MarketAccount, MarketState } from "../records.ts";
import type { Core } from "../state.ts";

export const SNAPSHOT_VERSION = 1;

const volumeOf = (volume: Volume) => ({
  today: String(volume.today),
  buckets: volume.buckets.map(String),
  before: String(volume.before),
});

const marketAccountRow = (marketAccount: MarketAccount) => ({
  marketId: marketAccount.market.id,
  units: marketAccount.units,
  cost: String(marketAccount.cost),
  openedAtMs: marketAccount.openedAtMs,
  mode: marketAccount.mode,
  leverage: marketAccount.leverage,
  bucket: String(marketAccount.bucket.balance),
  fundingIndex: String(marketAccount.fundingIndex),
  partialAtMs: marketAccount.partialAtMs,
});

const textOrNull = (value: bigint | null): string | null => (value === null ? null : String(value));

const orderRow = (order: LiveOrder) => ({
  id: order.id,
  accountId: String(order.marketAccount.account.id),
  side: order.side,
  orderType: order.orderType,
  price: String(order.price),
  remaining: order.remaining,
  filled: order.filled,
  triggerPrice: textOrNull(order.triggerPrice),
  triggers: order.triggers,
  reduceOnly: order.reduceOnly,
  postOnly: order.postOnly,
  timeInForce: order.timeInForce,
  maxSlippageBps: order.maxSlippageBps,
  mode: order.mode,
  leverage: order.leverage,
  takeProfit: textOrNull(order.takeProfit),
  stopLoss: textOrNull(order.stopLoss),
  entryId: order.entryId,
  createdAtMs: order.createdAtMs,
  updatedAtMs: order.updatedAtMs,
});

const fundingRow = (funding: FundingState) => ({
  cumulative: String(funding.cumulative),
  rate: String(funding.rate),
  lastSettledMs: funding.lastSettledMs,
  lastSampleMs: funding.lastSampleMs,
  premiumSum: String(funding.premiumSum),
  premiumCount: funding.premiumCount,
});

/** Resting orders of one side, best level first, each level in queue order. */
function restingOf(market: MarketState, side: "buy" | "sell"): readonly LiveOrder[] {
  const orders: LiveOrder[] = [];
  const best = side === "buy" ? market.book.bestBid : market.book.bestAsk;
  for (let level = best; level !== null; level = level.worse) {
    for (let order: LiveOrder | null = level.first; order !== null; order = order.behind) orders.push(order);
  }
  return orders;
}

const marketRow = (market: MarketState) => ({
  marketId: market.id,
  status: market.status,
  /** Null: the configured tick size. */
  tickSize: market.tickSize === market.spec.tickSize ? null : String(market.tickSize),
  oraclePrice: String(market.oraclePrice),
  lastOraclePrice: String(market.lastOraclePrice),
  oracleStatus: market.oracleStatus,
  lastPrintMs: market.lastPrintMs,
  validUntilMs: market.validUntilMs,
  prints: market.prints.map((print) => ({ timeMs: print.timeMs, price: String(print.price) })),
  riskPrice: String(market.risk.price),
  triggersDue: market.triggersDue,
  healthDue: market.healthDue,
  openInterest: market.openInterest,
  funding: fundingRow(market.funding),
  holders: market.accounts.map((marketAccount) => String(marketAccount.account.id)),
  bids: restingOf(market, "buy").map(orderRow),
  asks: restingOf(market, "sell").map(orderRow),
  untriggered: [...market.untriggered].map(orderRow),
});

export function takeSnapshot(core: Core) {
  return {
    version: SNAPSHOT_VERSION,
    nowMs: core.nowMs,
    lastOrderId: core.lastOrderId,
    insuranceDeposited: String(core.insuranceDeposited),
    ledgers: Object.fromEntries(Object.entries(core.ledgers).map(([name, ledger]) => [name, String(ledger.balance)])),
    families: [...core.families.values()].map((family) => ({
      masterId: String(family.masterId),
      volume: volumeOf(family.volume),
    })),
    accounts: [...core.accounts.values()].map((account) => ({
      accountId: String(account.id),
      masterId: textOrNull(account.masterId),
      balance: String(account.balance),
      volume: volumeOf(account.volume),
      holdings: [...account.markets.values()].map(marketAccountRow),
    })),
    watched: [...core.watched].map((account) => String(account.id)),
    markets: [...core.markets.values()].map(marketRow),
  };
}

export type EngineSnapshot = ReturnType<typeof takeSnapshot>;
export type AccountRow = EngineSnapshot["accounts"][number];
export type MarketRow = EngineSnapshot["markets"][number];
export type OrderRow = ReturnType<typeof orderRow>;
export type VolumeRow = ReturnType<typeof volumeOf>;
export type MarketAccountRow = ReturnType<typeof marketAccountRow>;
