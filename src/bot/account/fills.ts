// Fills. Our transaction's answer, the fills channel and a row of public trades under an order id of ours each state a fill; it is booked
// once. Trades know no fee: the fill's own frame brings it.

import type { ReadEvent } from "../../domain/event.ts";
import { type Execution, type Fill, fillKey, fillsOf, type Liquidity, type Trade } from "../../domain/fill.ts";
import { opposite } from "../../domain/units.ts";
import { isBooked } from "../accounting/account-book.ts";
import { joinEffects, noEffects } from "../market/effects.ts";
import { type MarketState, marketOf } from "../market/state.ts";
import { foldOrderEvent } from "./account-orders.ts";
import type { AccountState, BotState } from "./account-state.ts";
import { bookFill } from "./booking.ts";
import type { AccountEffect, AccountEffects, FillSource } from "./effects.ts";

/** Books the sides of an execution that are ours, for every account that we run. */
export function foldExecution(
  state: BotState,
  execution: Execution,
  source: Exclude<FillSource, "trades">,
  receivedMs: number,
): AccountEffects {
  let effects: AccountEffects = noEffects;
  for (const account of state.accounts.values()) {
    for (const fill of fillsOf(execution, account.accountId))
      effects = joinEffects(effects, bookFill(state, account, fill, source, receivedMs));
  }
  return effects;
}

/** A row of the trades channel. */
export function foldTrade(state: BotState, trade: Trade, receivedMs: number): AccountEffects {
  let effects: AccountEffects = noEffects;
  for (const account of state.accounts.values()) {
    if (mayBeOtherChain(state, account)) continue;
    for (const fill of fillsIn(trade, account))
      if (!isBooked(account.book, fill.key))
        effects = joinEffects(effects, bookFill(state, account, fill, "trades", receivedMs));
  }
  return effects;
}

type TradesRead = Extract<ReadEvent, { kind: "tradesRead" }>;

/** Folds the recent public trades (S2.5) and the fills in them that no frame brought. */
export function foldTradesRead(state: BotState, event: TradesRead): AccountEffects {
  const { marketId, trades, askedMs, receivedMs } = event;
  const market = marketOf(state, marketId);
  for (const account of state.accounts.values()) if (mayBeOtherChain(state, account)) return noEffects;
  // Trades do not disappear: an empty list says nothing of known ones.
  if (trades.length === 0 && market.search.trades.length > 0) return noEffects;
  noteSearch(market, event);
  const effects: AccountEffect[] = [];
  for (const account of state.accounts.values()) {
    const { accountId } = account;
    for (const fill of trades.flatMap((trade) => fillsIn(trade, account))) {
      if (isBooked(account.book, fill.key)) continue;
      effects.push(...bookFill(state, account, fill, "trades", receivedMs));
      effects.push({ kind: "mismatch", accountId, marketId, what: "fillMissed", expected: "none", found: fill.key });
    }
    const { unbrokenSinceMs: sinceMs } = market.search;
    effects.push(...foldOrderEvent(account, { kind: "fillsRead", marketId, askedMs, sinceMs, receivedMs }));
  }
  return effects;
}

const keyOf = (trade: Trade): string => fillKey(trade, "taker");

/** A list that shares no trade with the list before may leave out trades that nobody has read. */
function noteSearch(market: MarketState, { trades, askedMs }: TradesRead): void {
  const { search } = market;
  if (search.askedMs !== null && search.askedMs >= askedMs) return;
  const before = new Set(search.trades.map(keyOf));
  const isWhole = before.size === 0 || trades.some((trade) => before.has(keyOf(trade)));
  market.search = { askedMs, trades, unbrokenSinceMs: isWhole ? search.unbrokenSinceMs : askedMs };
}

/**
 * A trade names orders only by id, which means nothing on another chain. After each break of the connection the account must first prove to
 * be the one we know. At the start it was already compared with the ledger.
 */
const mayBeOtherChain = ({ stream, chain }: BotState, { read, otherChainReads }: AccountState): boolean =>
  read !== null && (chain.lower !== null || otherChainReads > 0 || read.askedMs < stream.brokenMs);

/** Returns the account's sides of a public trade, by the account's order ids; none from before it was created. */
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
