// Continues from a snapshot: restores the records in their order and recomputes every derived field.

import { accountId, orderId, type Price, price, size } from "../../../domain/units.ts";
import { assert } from "../../../kernel/assert.ts";
import { makeAccount, marketAccountOf } from "../accounts/market-accounts.ts";
import { SYSTEM_LEDGERS } from "../accounts/postings.ts";
import type { Volume } from "../accounts/volume.ts";
import type { EngineConfig } from "../calls.ts";
import { makeCore } from "../core.ts";
import { rateAt } from "../exact.ts";
import { refresh } from "../margin/margin.ts";
import { takeTickSize } from "../market/operator-changes.ts";
import { setBand } from "../market/prices.ts";
import { enroll, reserve } from "../orders/live-orders.ts";
import { type Account, keyOf, type LiveOrder, type MarketAccount, type MarketState } from "../records.ts";
import type { Core } from "../state.ts";
import {
  type AccountRow,
  type EngineSnapshot,
  type MarketAccountRow,
  type MarketRow,
  type OrderRow,
  SNAPSHOT_VERSION,
  type VolumeRow,
} from "./snapshot.ts";

/** Throws InvariantError if the snapshot has another version or other markets. */
export function restoreCore(options: EngineConfig, snapshot: EngineSnapshot): Core {
  assert(snapshot.version === SNAPSHOT_VERSION, `a snapshot of version ${SNAPSHOT_VERSION} is needed`);
  const core = makeCore(options);
  core.nowMs = snapshot.nowMs;
  core.lastOrderId = snapshot.lastOrderId;
  core.insuranceDeposited = BigInt(snapshot.insuranceDeposited);
  for (const name of SYSTEM_LEDGERS) core.ledgers[name].balance = BigInt(snapshot.ledgers[name] ?? "0");
  for (const row of snapshot.families) {
    const masterId = accountId(BigInt(row.masterId));
    core.families.set(keyOf(masterId), { masterId, volume: volumeFrom(row.volume) });
  }
  for (const row of snapshot.accounts) restoreAccount(core, row);
  for (const id of snapshot.watched) core.watched.add(accountIn(core, BigInt(id)));
  for (const row of snapshot.markets) restoreMarket(core, row);
  return core;
}

function volumeFrom(row: VolumeRow): Volume {
  const buckets = row.buckets.map(BigInt);
  const earlier = buckets.reduce((sum, bucket) => sum + bucket, 0n);
  return { today: BigInt(row.today), buckets, earlier, before: BigInt(row.before) };
}

function restoreAccount(core: Core, row: AccountRow): void {
  const id = accountId(BigInt(row.accountId));
  const masterId = row.masterId === null ? null : accountId(BigInt(row.masterId));
  const family = core.families.get(keyOf(masterId ?? id));
  assert(family !== undefined, `account ${id} has a family`);
  const account = makeAccount(id, masterId, family, volumeFrom(row.volume));
  account.balance = BigInt(row.balance);
  core.accounts.set(keyOf(id), account);
  for (const held of row.holdings) restoreMarketAccount(core, account, held);
}

function restoreMarketAccount(core: Core, account: Account, row: MarketAccountRow): void {
  const market = core.markets.get(row.marketId);
  assert(market !== undefined, `market ${row.marketId} is configured`);
  const marketAccount = marketAccountOf(account, market);
  marketAccount.units = row.units;
  marketAccount.cost = BigInt(row.cost);
  marketAccount.openedAtMs = row.openedAtMs;
  marketAccount.mode = row.mode;
  marketAccount.leverage = row.leverage;
  marketAccount.bucket.balance = BigInt(row.bucket);
  marketAccount.fundingIndex = BigInt(row.fundingIndex);
  marketAccount.partialAtMs = row.partialAtMs;
  account.markets.set(market.id, marketAccount);
}

function restoreMarket(core: Core, row: MarketRow): void {
  const market = core.markets.get(row.marketId);
  assert(market !== undefined, `market ${row.marketId} is configured`);
  market.status = row.status;
  // Snapshots from before tick sizes could change do not have this field.
  takeTickSize(market, row.tickSize == null ? market.spec.tickSize : price(BigInt(row.tickSize)));
  market.oraclePrice = price(BigInt(row.oraclePrice));
  market.lastOraclePrice = price(BigInt(row.lastOraclePrice));
  market.oracleStatus = row.oracleStatus;
  market.lastPrintMs = row.lastPrintMs;
  market.validUntilMs = row.validUntilMs;
  for (const print of row.prints) market.prints.push({ timeMs: print.timeMs, price: price(BigInt(print.price)) });
  market.risk = rateAt(price(BigInt(row.riskPrice)));
  market.triggersDue = row.triggersDue;
  market.healthDue = row.healthDue;
  market.openInterest = row.openInterest;
  Object.assign(market.funding, {
    ...row.funding,
    cumulative: BigInt(row.funding.cumulative),
    rate: BigInt(row.funding.rate),
    premiumSum: BigInt(row.funding.premiumSum),
  });
  if (market.oraclePrice !== 0n) setBand(market);
  for (const holder of row.holders) market.accounts.push(marketAccountIn(core, market, BigInt(holder)));
  restoreOrders(core, market, row);
  for (const marketAccount of market.accounts) refresh(marketAccount);
}

function accountIn(core: Core, id: bigint): Account {
  const account = core.accounts.get(keyOf(id));
  assert(account !== undefined, `account ${id} is in the snapshot`);
  return account;
}

function marketAccountIn(core: Core, market: MarketState, holder: bigint): MarketAccount {
  const marketAccount = accountIn(core, holder).markets.get(market.id);
  assert(marketAccount !== undefined, `account ${holder} trades market ${market.id}`);
  return marketAccount;
}

function restoreOrders(core: Core, market: MarketState, row: MarketRow): void {
  const resting = [...row.bids, ...row.asks].map((order) => orderFrom(core, market, order));
  const waiting = row.untriggered.map((order) => orderFrom(core, market, order));
  for (const order of resting) {
    market.book.add(order);
    reserve(order, order.remaining);
  }
  for (const order of waiting) {
    order.untriggered = true;
    market.untriggered.add(order);
    if (order.entryId !== null) order.marketAccount.exitCount += 1;
  }
  for (const order of [...resting, ...waiting].sort((a, b) => a.id - b.id)) {
    core.orders.set(order.id, order);
    enroll(core, order);
  }
}

const priceOrNull = (text: string | null): Price | null => (text === null ? null : price(BigInt(text)));

function orderFrom(core: Core, market: MarketState, row: OrderRow): LiveOrder {
  const at = price(BigInt(row.price));
  return {
    id: row.id,
    orderId: orderId(BigInt(row.id)),
    marketAccount: marketAccountIn(core, market, BigInt(row.accountId)),
    side: row.side,
    orderType: row.orderType,
    price: at,
    ticks: Number(at / market.tickSize),
    size: size(BigInt(row.filled + row.remaining)),
    remaining: row.remaining,
    filled: row.filled,
    level: null,
    ahead: null,
    behind: null,
    listed: false,
    older: null,
    newer: null,
    triggerPrice: priceOrNull(row.triggerPrice),
    triggers: row.triggers,
    reduceOnly: row.reduceOnly,
    postOnly: row.postOnly,
    timeInForce: row.timeInForce,
    maxSlippageBps: row.maxSlippageBps,
    mode: row.mode,
    leverage: row.leverage,
    takeProfit: priceOrNull(row.takeProfit),
    stopLoss: priceOrNull(row.stopLoss),
    entryId: row.entryId,
    untriggered: false,
    createdAtMs: row.createdAtMs,
    updatedAtMs: row.updatedAtMs,
  };
}
