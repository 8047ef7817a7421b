// Fills, each booked once however often it is told: by our transaction's answer, the fills channel, and the back-fill from public
// trades. A fill moves the order, the position and the collateral that we expect.

import type { ReadEvent } from "../../../domain/event.ts";
import { feeOn, feeTierFor, worstFeeTier } from "../../../domain/fees.ts";
import { type Execution, type Fill, fillKey, fillsOf, type Liquidity, type Trade } from "../../../domain/fill.ts";
import { notional } from "../../../domain/rounding.ts";
import { type MarketId, type OrderId, opposite, signOf, size, type Usdc, usdc } from "../../../domain/units.ts";
import type { AccountState, PositionState } from "../account/account-state.ts";
import { flatPosition, movePosition } from "../account/positions.ts";
import type { FeedEffect, FillSource } from "../effects.ts";
import { chainTimeMs } from "../market/chain-clock.ts";
import { type FeedState, marketOf } from "../state.ts";
import { confirmForeign } from "./order-frames.ts";
import { earlyFacts, fillOrder } from "./orders.ts";
import { acceptMovement, nameGhosts } from "./unidentified-orders.ts";

/** A trade that old, by chain time, is in every read of the account that was asked since: chain and reads disagree by less. */
const SETTLED_MS = 2000;
/** More trades of ours than can wait for their fill frames at once; the oldest go first. */
const OWED_MAX = 1000;

/** Books the sides of an execution that are ours, for every account that we run. */
export function foldExecution(
  state: FeedState,
  execution: Execution,
  heard: { readonly source: Exclude<FillSource, "trades">; readonly atMs: number },
  effects: FeedEffect[],
): void {
  for (const account of state.accounts.values()) {
    for (const fill of fillsOf(execution, account.accountId)) bookFill(state, account, fill, heard, effects);
  }
}

/** The public trades of the stream often come first. One of ours whose fill does not follow is looked for with a read. */
export function foldTrade(state: FeedState, trade: Trade, atMs: number): void {
  for (const account of state.accounts.values()) {
    for (const fill of fillsIn(trade, account)) {
      if (account.booked.has(fill.key)) continue;
      if (account.owed.size >= OWED_MAX) dropOldest(account.owed);
      account.owed.set(fill.key, { marketId: trade.marketId, orderId: fill.orderId, sinceMs: atMs });
    }
  }
}

/**
 * Books our fills among the recent public trades (S2.5): what frames failed to tell. Trades know no fees. One that happened just
 * now is left to its frame, unless nothing is known of the account yet.
 */
export function foldTradesRead(
  state: FeedState,
  event: Extract<ReadEvent, { kind: "tradesRead" }>,
  effects: FeedEffect[],
): void {
  const market = marketOf(state, event.marketId);
  if (market.tradesAskedMs === null || market.tradesAskedMs < event.askedMs) market.tradesAskedMs = event.askedMs;
  for (const account of state.accounts.values()) {
    bookTrades(state, account, event, effects);
    if (nameGhosts(state, account, event, event.receivedMs)) bookTrades(state, account, event, effects);
    acceptMovement(account, event.marketId, event.receivedMs, effects);
    forgetOwed(account, event);
  }
}

function bookTrades(
  state: FeedState,
  account: AccountState,
  { trades, receivedMs }: Extract<ReadEvent, { kind: "tradesRead" }>,
  effects: FeedEffect[],
): void {
  const { accountId } = account;
  for (const fill of trades.flatMap((trade) => fillsIn(trade, account))) {
    if (account.booked.has(fill.key)) continue;
    const { marketId, orderId, key } = fill;
    if (account.read !== null && mayBeFramed(state, fill, receivedMs)) {
      account.owed.set(key, { marketId, orderId, sinceMs: receivedMs });
      continue;
    }
    bookFill(state, account, fill, { source: "trades", atMs: receivedMs }, effects);
    effects.push({ kind: "mismatch", accountId, marketId, what: "fillMissed", expected: "none", found: key });
  }
}

/** True for a trade of just now whose frame may still be on its way over this connection. */
function mayBeFramed(state: FeedState, { timestampMs }: Fill, nowMs: number): boolean {
  const { stream, ages } = state;
  const sinceMs = chainTimeMs(state, Math.max(nowMs - ages.doubtMs, stream.openedMs));
  return stream.connected && timestampMs !== null && sinceMs !== null && timestampMs > sinceMs;
}

/** A trade that a later read of the trades does not show any more cannot be found by another. */
function forgetOwed(account: AccountState, read: { readonly marketId: MarketId; readonly askedMs: number }): void {
  for (const [key, { marketId, sinceMs }] of account.owed) {
    if (marketId === read.marketId && sinceMs < read.askedMs) account.owed.delete(key);
  }
}

function bookFill(
  state: FeedState,
  account: AccountState,
  fill: Fill,
  heard: { readonly source: FillSource; readonly atMs: number },
  effects: FeedEffect[],
): void {
  const priced = account.booked.get(fill.key);
  if (priced !== undefined) {
    if (!priced && fill.fee !== null) amendFill(account, fill, effects);
    return;
  }
  account.booked.set(fill.key, fill.fee !== null);
  account.owed.delete(fill.key);
  // Trades are old when they are booked: every read on its way has them already, so they race with none.
  const racingMs = heard.source === "trades" ? null : heard.atMs;
  account.filledMs = racingMs ?? account.filledMs;
  const position = positionFor(account, fill);
  const included = position === undefined || isIncluded(account, position, fill, heard.source);
  if (included) {
    // Its money is in the collateral as it was read: a fee that is told later changes nothing.
    account.booked.set(fill.key, true);
    seeFill(account, fill);
  } else {
    const realized = movePosition(position, fill);
    position.filledMs = racingMs ?? position.filledMs;
    expectMoney(state, account, fill, realized);
  }
  const adopted = account.byId.get(fill.orderId)?.order.nonce === null;
  if (!(included && adopted)) reduceOrder(account, fill, heard.atMs, effects);
  effects.push({ kind: "fill", fill, source: heard.source });
}

/** Undefined until the account was read: the first read includes everything before it. */
function positionFor(account: AccountState, fill: Fill): PositionState | undefined {
  const known = account.positions.get(fill.marketId);
  if (known !== undefined || account.read === null) return known;
  const position = flatPosition(account.basedAtChainMs);
  account.positions.set(fill.marketId, position);
  return position;
}

/**
 * True for a trade that the read which the position was taken from had already: one so old, or one that is part of how the
 * position was found to have moved.
 */
function isIncluded(account: AccountState, position: PositionState, fill: Fill, source: FillSource): boolean {
  if (source !== "trades") return false;
  const { basedAtChainMs } = position;
  const laterMs = fill.timestampMs === null || basedAtChainMs === null ? 0 : fill.timestampMs - basedAtChainMs;
  if (Math.abs(laterMs) > SETTLED_MS) return laterMs < 0;
  const unseen = account.unseen.get(fill.marketId) ?? 0n;
  return signOf(fill.side) * unseen >= fill.size;
}

/** The fill is found: that much less of the position's movement is unexplained. */
function seeFill(account: AccountState, { marketId, side, size: filled }: Fill): void {
  const unseen = account.unseen.get(marketId);
  if (unseen !== undefined) account.unseen.set(marketId, size(unseen - signOf(side) * filled));
}

/** What the fill should do to collateral: exactly where its fee is told, else an estimate kept apart until a read settles it. */
function expectMoney(state: FeedState, account: AccountState, fill: Fill, realized: Usdc): void {
  const { money } = account;
  if (money.collateral === null) return;
  money.postings += 1;
  if (fill.fee !== null) {
    money.collateral = usdc(money.collateral + (fill.realizedPnl ?? realized) - fill.fee);
    return;
  }
  const estimate = usdc(realized - estimatedFee(state, account, fill));
  money.unpriced.set(fill.key, { marketId: fill.marketId, estimate, notional: notional(fill.price, fill.size) });
}

function estimatedFee(state: FeedState, account: AccountState, fill: Fill): Usdc {
  const tiers = state.feeTiers?.value ?? [];
  const assetClass = state.markets.get(fill.marketId)?.market?.value.assetClass ?? "";
  const volume = account.read?.value.feeTierVolume30d;
  const tier = volume === undefined ? worstFeeTier(tiers, assetClass) : feeTierFor(tiers, assetClass, volume);
  const bps = fill.liquidity === "maker" ? tier?.makerFeeBps : tier?.takerFeeBps;
  return feeOn(notional(fill.price, fill.size), bps ?? 0);
}

/** The fee of a fill that was back-filled without one. */
function amendFill(account: AccountState, fill: Fill, effects: FeedEffect[]): void {
  account.booked.set(fill.key, true);
  const { money } = account;
  if (money.unpriced.delete(fill.key) && money.collateral !== null) {
    money.collateral = usdc(money.collateral + (fill.realizedPnl ?? 0n) - (fill.fee ?? 0n));
  }
  effects.push({ kind: "fillAmended", fill });
}

/** Fills race ahead of answers, and come after cancels: an id that nobody has named is remembered until somebody does. */
function reduceOrder(account: AccountState, fill: Fill, atMs: number, effects: FeedEffect[]): void {
  const entry = account.byId.get(fill.orderId);
  if (entry !== undefined) {
    confirmForeign(account, entry, effects);
    fillOrder(account, entry, fill.size, atMs, effects);
  } else if (!account.own.has(fill.orderId)) {
    const { marketId, side } = fill;
    const facts = earlyFacts(account, fill.orderId, { marketId, side, sinceMs: atMs }, effects);
    facts.filled = size(facts.filled + fill.size);
  }
}

/** The account's sides of a public trade, known by the order ids that were ever told to be the account's. */
function fillsIn(trade: Trade, account: AccountState): readonly Fill[] {
  const fills: Fill[] = [];
  if (isOnAccount(account, trade.takerOrderId)) fills.push(fillFrom(trade, "taker", account));
  if (isOnAccount(account, trade.makerOrderId)) fills.push(fillFrom(trade, "maker", account));
  return fills;
}

/** An id that nobody has claimed yet may be ours or a stranger's; its fills move the account's money all the same. */
const isOnAccount = (account: AccountState, orderId: OrderId): boolean =>
  account.own.has(orderId) || account.early.has(orderId) || account.byId.has(orderId);

function fillFrom(trade: Trade, liquidity: Liquidity, account: AccountState): Fill {
  return {
    accountId: account.accountId,
    marketId: trade.marketId,
    orderId: liquidity === "taker" ? trade.takerOrderId : trade.makerOrderId,
    side: liquidity === "taker" ? trade.takerSide : opposite(trade.takerSide),
    liquidity,
    price: trade.price,
    size: trade.size,
    fee: null,
    realizedPnl: null,
    txHash: trade.txHash,
    timestampMs: trade.timestampMs,
    key: fillKey(trade, liquidity),
  };
}

function dropOldest<K, V>(map: Map<K, V>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
