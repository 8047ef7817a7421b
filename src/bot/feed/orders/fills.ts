// Fills. Our transaction's answer, the fills channel and the back-fill from public trades may each show a fill; it is booked once. A
// fill moves the order, the position and the collateral that we expect.

import { inventoryOf } from "../../../domain/account.ts";
import type { ReadEvent } from "../../../domain/event.ts";
import { feeOn, feeTierFor, worstFeeTier } from "../../../domain/fees.ts";
import { type Execution, type Fill, fillKey, fillsOf, type Liquidity, type Trade } from "../../../domain/fill.ts";
import { notional } from "../../../domain/rounding.ts";
import { type MarketId, opposite, signOf, size, type Usdc, usdc } from "../../../domain/units.ts";
import { foldOrderEvent } from "../account/account-orders.ts";
import type { AccountState, PositionState } from "../account/account-state.ts";
import { positionKey } from "../account/differences.ts";
import { flatPosition, movePosition } from "../account/positions.ts";
import { type FeedEffect, type FillSource, type FoldEffects, joinEffects, noEffects } from "../effects.ts";
import { chainTimeMs } from "../market/chain-clock.ts";
import { type FeedState, marketOf } from "../state.ts";
import { type Evidence, frameEvidence } from "./order-event.ts";

/** A trade that old, by chain time, is in every read of the account that was asked since: chain and reads disagree by less. */
const SETTLED_MS = 2000;

/** Books the sides of an execution that are ours, for every account that we run. */
export function foldExecution(
  state: FeedState,
  execution: Execution,
  source: Exclude<FillSource, "trades">,
  evidence: Evidence,
): FoldEffects {
  let effects = noEffects;
  for (const account of state.accounts.values()) {
    for (const fill of fillsOf(execution, account.accountId)) {
      effects = joinEffects(effects, bookFill(state, account, fill, source, evidence));
    }
  }
  return effects;
}

/** The public trades of the stream often come first. One of ours whose fill does not follow is looked for with a read. */
export function foldTrade(state: FeedState, trade: Trade, receivedMs: number): FoldEffects {
  let effects = noEffects;
  for (const account of state.accounts.values()) {
    for (const fill of fillsIn(trade, account)) {
      if (account.booked.has(fill.key)) continue;
      const traded = foldOrderEvent(account, { ...frameEvidence(receivedMs), kind: "traded", fill });
      effects = joinEffects(effects, traded);
    }
  }
  return effects;
}

type TradesRead = Extract<ReadEvent, { kind: "tradesRead" }>;

/**
 * Books our fills among the recent public trades (S2.5): what frames failed to tell. Trades know no fees. One that happened just
 * now is left to its frame, unless nothing is known of the account yet.
 */
export function foldTradesRead(state: FeedState, event: TradesRead): FoldEffects {
  const { marketId, trades, askedMs, receivedMs } = event;
  const market = marketOf(state, marketId);
  if (market.tradesAskedMs === null || market.tradesAskedMs < askedMs) market.tradesAskedMs = askedMs;
  const evidence: Evidence = { source: "tradesRead", asOfMs: askedMs, receivedMs };
  const effects: FeedEffect[] = [];
  for (const account of state.accounts.values()) {
    effects.push(...bookTrades(state, account, trades, evidence));
    const moved = unseenMove(account, marketId);
    const { offsetMs: chainOffsetMs } = state.chain;
    if (account.orders.identifyLanded({ marketId, trades, moved, chainOffsetMs, receivedMs })) {
      effects.push(...bookTrades(state, account, trades, evidence));
    }
    effects.push(...foldOrderEvent(account, { ...evidence, kind: "tradesSearched", marketId }));
    effects.push(...acceptMovement(account, marketId, receivedMs));
  }
  return effects;
}

function bookTrades(
  state: FeedState,
  account: AccountState,
  trades: readonly Trade[],
  evidence: Evidence,
): FoldEffects {
  const { accountId } = account;
  const effects: FeedEffect[] = [];
  for (const fill of trades.flatMap((trade) => fillsIn(trade, account))) {
    if (account.booked.has(fill.key)) continue;
    const { marketId, key } = fill;
    if (account.read !== null && mayBeFramed(state, fill, evidence.receivedMs)) {
      effects.push(...foldOrderEvent(account, { ...evidence, kind: "traded", fill }));
      continue;
    }
    effects.push(...bookFill(state, account, fill, "trades", evidence));
    effects.push({ kind: "mismatch", accountId, marketId, what: "fillMissed", expected: "none", found: key });
  }
  return effects;
}

/** By how much the position has moved, signed, for which no fill is known: 0 until the account was read. */
function unseenMove(account: AccountState, marketId: MarketId): bigint {
  if (account.read === null) return 0n;
  const unseen = account.unseen.get(marketId) ?? 0n;
  if (!account.doubts.has(positionKey(marketId))) return unseen;
  const read = account.read.value.positions.find((position) => position.marketId === marketId);
  return unseen + inventoryOf(read) - (account.positions.get(marketId)?.inventory ?? 0n);
}

/** Where no unidentified order is left that can have moved a position, what moved it is no longer looked for. */
function acceptMovement(account: AccountState, marketId: MarketId, nowMs: number): FoldEffects {
  const { accountId, orders } = account;
  if (account.read === null || orders.isAnyUnidentified(marketId, nowMs)) return noEffects;
  if (orders.landed.some(({ order }) => order.marketId === marketId)) return noEffects;
  if ((account.unseen.get(marketId) ?? 0n) === 0n) return noEffects;
  account.unseen.set(marketId, size(0n));
  return [{ kind: "movementAccepted", accountId, marketId }];
}

/** True for a trade of just now whose frame may still be on its way over this connection. */
function mayBeFramed(state: FeedState, { timestampMs }: Fill, nowMs: number): boolean {
  const { stream, ages } = state;
  const sinceMs = chainTimeMs(state, Math.max(nowMs - ages.doubtMs, stream.openedMs));
  return stream.connected && timestampMs !== null && sinceMs !== null && timestampMs > sinceMs;
}

function bookFill(
  state: FeedState,
  account: AccountState,
  fill: Fill,
  source: FillSource,
  evidence: Evidence,
): FoldEffects {
  const priced = account.booked.get(fill.key);
  if (priced !== undefined) return !priced && fill.fee !== null ? amendFill(account, fill) : noEffects;
  account.booked.set(fill.key, fill.fee !== null);
  // Trades are old when they are booked: every read on its way has them already, so they race with none.
  const racingMs = source === "trades" ? null : evidence.receivedMs;
  account.filledMs = racingMs ?? account.filledMs;
  const position = positionFor(account, fill);
  const included = position === undefined || isIncluded(account, position, fill, source);
  if (included) {
    // Its money is in the collateral as it was read: a fee that is told later changes nothing.
    account.booked.set(fill.key, true);
    seeFill(account, fill);
  } else {
    const realized = movePosition(position, fill);
    position.filledMs = racingMs ?? position.filledMs;
    expectMoney(state, account, fill, realized);
  }
  const effects = foldOrderEvent(account, { ...evidence, kind: "filled", fill, isInList: included });
  return joinEffects(effects, [{ kind: "fill", fill, source }]);
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
function amendFill(account: AccountState, fill: Fill): FoldEffects {
  account.booked.set(fill.key, true);
  const { money } = account;
  if (money.unpriced.delete(fill.key) && money.collateral !== null) {
    money.collateral = usdc(money.collateral + (fill.realizedPnl ?? 0n) - (fill.fee ?? 0n));
  }
  return [{ kind: "fillAmended", fill }];
}

/** The account's sides of a public trade, known by the order ids of the account. */
function fillsIn(trade: Trade, account: AccountState): readonly Fill[] {
  const fills: Fill[] = [];
  if (account.orders.isOnAccount(trade.takerOrderId)) fills.push(fillFrom(trade, "taker", account));
  if (account.orders.isOnAccount(trade.makerOrderId)) fills.push(fillFrom(trade, "maker", account));
  return fills;
}

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
