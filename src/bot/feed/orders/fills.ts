// Fills. Our transaction's answer, the fills channel and the back-fill from public trades may each show a fill; it is booked once.

import { inventoryOf } from "../../../domain/account.ts";
import type { ReadEvent } from "../../../domain/event.ts";
import { type Execution, type Fill, fillKey, fillsOf, type Liquidity, type Trade } from "../../../domain/fill.ts";
import { type MarketId, opposite } from "../../../domain/units.ts";
import { inventoryIn, isBooked, unattributedIn } from "../../accounting/account-book.ts";
import { foldOrderEvent } from "../account/account-orders.ts";
import type { AccountState } from "../account/account-state.ts";
import { acceptPosition, bookFill } from "../account/booking.ts";
import { positionKey } from "../account/differences.ts";
import { shownTrades } from "../account/shown-trades.ts";
import { type FeedEffect, type FillSource, type FoldEffects, joinEffects, noEffects } from "../effects.ts";
import { CLOCK_MS, chainTimeMs } from "../market/chain-clock.ts";
import { type FeedState, marketOf } from "../state.ts";
import { type Evidence, frameEvidence, type TradeSpan } from "./order-event.ts";

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
      effects = joinEffects(effects, bookFill(state, account, fill, { source, isShown: false }, evidence));
    }
  }
  return effects;
}

/** The public trades of the stream often come first. One of ours whose fill does not follow is looked for with a read. */
export function foldTrade(state: FeedState, trade: Trade, receivedMs: number): FoldEffects {
  let effects = noEffects;
  for (const account of state.accounts.values()) {
    if (mayBeOtherChain(state, account)) continue;
    for (const fill of fillsIn(trade, account)) {
      if (isBooked(account.book, fill.key)) continue;
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
  for (const account of state.accounts.values()) if (mayBeOtherChain(state, account)) return noEffects;
  if (market.tradesAskedMs === null || market.tradesAskedMs < askedMs) market.tradesAskedMs = askedMs;
  const evidence: Evidence = { source: "tradesRead", asOfMs: askedMs, receivedMs };
  const span = spanOf(state, event);
  const effects: FeedEffect[] = [];
  for (const account of state.accounts.values()) {
    effects.push(...bookTrades(state, account, event, evidence));
    const moved = unattributedMove(account, marketId);
    const { offsetMs: chainOffsetMs } = state.chain;
    if (account.orders.identifyLanded({ marketId, trades, moved, chainOffsetMs, receivedMs })) {
      effects.push(...bookTrades(state, account, event, evidence));
    }
    effects.push(...foldOrderEvent(account, { ...evidence, kind: "tradesSearched", marketId, span }));
    effects.push(...acceptMovement(state, account, event));
  }
  return effects;
}

/**
 * A trade names orders by their ids alone, which mean nothing on another chain. After each break of the connection the account must show
 * first that it is the one we know. At the start the ledger has been compared with it already.
 */
const mayBeOtherChain = ({ stream, chain }: FeedState, { read, otherChainReads }: AccountState): boolean =>
  read !== null && (chain.lower !== null || otherChainReads > 0 || read.askedMs < stream.brokenMs);

/**
 * From when until when no trade is missing, by the times of the trades themselves, since the newest of a market are listed without a gap.
 * What was before the machine slept is left out, since its time is on another clock; a trade of the future proves nothing.
 */
function spanOf({ chain, wokeMs }: FeedState, { trades, receivedMs }: TradesRead): TradeSpan | null {
  const { offsetMs } = chain;
  if (offsetMs === null || trades.length === 0) return null;
  const timesMs = trades.map(({ timestampMs }) => (timestampMs ?? Number.POSITIVE_INFINITY) - offsetMs);
  const newestMs = Math.max(...timesMs);
  if (newestMs > receivedMs + CLOCK_MS) return null;
  return { fromMs: Math.max(Math.min(...timesMs) + CLOCK_MS, wokeMs), toMs: newestMs - CLOCK_MS };
}

function bookTrades(
  state: FeedState,
  account: AccountState,
  event: Pick<TradesRead, "marketId" | "trades" | "askedMs" | "receivedMs">,
  evidence: Evidence,
): FoldEffects {
  const { accountId } = account;
  const { marketId } = event;
  const effects: FeedEffect[] = [];
  const missed = new Map<string, Fill>();
  const listed = event.trades.flatMap((trade) => fillsIn(trade, account));
  for (const fill of [...pendingBefore(account, event), ...listed])
    if (!isBooked(account.book, fill.key)) missed.set(fill.key, fill);
  const shown = shownTrades(state, account, event, [...missed.values()]);
  for (const [key, fill] of missed) {
    if (account.read !== null && mayBeFramed(state, fill, evidence.receivedMs)) {
      effects.push(...foldOrderEvent(account, { ...evidence, kind: "traded", fill }));
      continue;
    }
    if (account.read !== null && wasFramed(state, fill)) account.orders.noteLostFrame(evidence.receivedMs);
    effects.push(...bookFill(state, account, fill, { source: "trades", isShown: shown.has(key) }, evidence));
    effects.push({ kind: "mismatch", accountId, marketId, what: "fillMissed", expected: "none", found: key });
  }
  return effects;
}

/** Fills of trades that were seen before and that the list no longer reaches back to: they are not seen again. */
function pendingBefore(
  { orders }: AccountState,
  { marketId, trades, askedMs }: Pick<TradesRead, "marketId" | "trades" | "askedMs">,
): readonly Fill[] {
  if (trades.length === 0) return [];
  const oldestMs = Math.min(...trades.map(({ timestampMs }) => timestampMs ?? Number.NEGATIVE_INFINITY));
  return Array.from(orders.pendingFills())
    .filter(({ fill, sinceMs }) => fill.marketId === marketId && sinceMs < askedMs)
    .map(({ fill }) => fill)
    .filter(({ timestampMs }) => timestampMs !== null && timestampMs <= oldestMs);
}

/** By how much the position has moved, signed, for which no fill is known: 0 until the account was read. */
function unattributedMove({ read, book, doubts }: AccountState, marketId: MarketId): bigint {
  if (read === null) return 0n;
  const unattributed = unattributedIn(book, marketId);
  if (!doubts.has(positionKey(marketId))) return unattributed;
  const position = read.value.positions.find((held) => held.marketId === marketId);
  return unattributed + inventoryOf(position) - inventoryIn(book, marketId);
}

/**
 * Where no unidentified order is left that can have moved a position, what moved it is no longer looked for. Not before the landing bound
 * after the position was read: the node that answers with trades may be behind the one that showed the position.
 */
function acceptMovement(
  state: FeedState,
  account: AccountState,
  { marketId, askedMs, receivedMs }: TradesRead,
): FoldEffects {
  const { orders } = account;
  if (account.read === null || orders.isAnyUnidentified(marketId, receivedMs)) return noEffects;
  const { basedAtChainMs } = account.positionReads.get(marketId) ?? account;
  const askedAtMs = chainTimeMs(state, askedMs);
  if (basedAtChainMs !== null && askedAtMs !== null && askedAtMs - basedAtChainMs < state.ages.landingBoundMs)
    return noEffects;
  if (orders.landed.some(({ order }) => order.marketId === marketId)) return noEffects;
  return unattributedIn(account.book, marketId) === 0n ? noEffects : [acceptPosition(account, marketId)];
}

/** True for a trade of just now whose frame may still be on its way over this connection. */
function mayBeFramed(state: FeedState, { timestampMs }: Fill, nowMs: number): boolean {
  const { stream, ages } = state;
  const sinceMs = chainTimeMs(state, Math.max(nowMs - ages.doubtMs, stream.openedMs));
  return stream.connected && timestampMs !== null && sinceMs !== null && timestampMs > sinceMs;
}

/** True for a trade whose frames this connection must have brought. */
function wasFramed(state: FeedState, { timestampMs }: Fill): boolean {
  const { connected, openedMs } = state.stream;
  const sinceMs = chainTimeMs(state, openedMs);
  return connected && timestampMs !== null && sinceMs !== null && timestampMs > sinceMs + CLOCK_MS;
}

/** The account's sides of a public trade, known by the order ids of the account; of none from before it was created. */
function fillsIn(trade: Trade, account: AccountState): readonly Fill[] {
  if ((trade.timestampMs ?? Number.POSITIVE_INFINITY) < (account.createdAtMs ?? 0)) return [];
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
