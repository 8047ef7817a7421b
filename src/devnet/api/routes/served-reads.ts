// The validator's answers to reads that clients repeat (S4.1, S4.2). As long as an answer is equal to the last one, the same object is
// returned, so its text and comparisons are made once. HTTP sends the text.

import type { Account, NodeStatus, Position } from "../../../domain/account.ts";
import type { Book } from "../../../domain/book.ts";
import type { Trade } from "../../../domain/fill.ts";
import type { FeeTier, Funding, Market, Oracle, OracleHistory } from "../../../domain/market.ts";
import type { Order } from "../../../domain/order.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import { createOldestOutMap } from "../../../kernel/bounded.ts";
import type { RequestBudget } from "../../../wire/rest/accounts.ts";
import type { TreasuryConfig } from "../../../wire/rest/exchange.ts";
import type { OwnerAssets } from "../../../wire/rest/owners.ts";
import type { ChainReads } from "../../chain/reads.ts";

/** Undefined if the chain has no market or account with that id. */
export type ServedReads = {
  readonly node: () => NodeStatus;
  /** Active markets, ordered by id. */
  readonly markets: () => readonly Market[];
  readonly market: (market: MarketId) => Market | undefined;
  readonly book: (market: MarketId) => Book | undefined;
  readonly funding: (market: MarketId) => Funding | undefined;
  /** Newest first. */
  readonly trades: (market: MarketId) => readonly Trade[] | undefined;
  readonly oracle: (market: MarketId) => Oracle | undefined;
  readonly oracleHistory: (market: MarketId) => OracleHistory | undefined;
  readonly feeTiers: () => readonly FeeTier[];
  readonly treasury: () => TreasuryConfig;
  readonly account: (account: AccountId) => Account | undefined;
  readonly positions: (account: AccountId) => readonly Position[] | undefined;
  readonly orders: (account: AccountId) => readonly Order[] | undefined;
  readonly rateLimit: (account: AccountId) => RequestBudget | undefined;
  /** `owner`: 64 lowercase hex characters. */
  readonly ownerAssets: (owner: string) => OwnerAssets;
};

/** Number of "recent" trades (the interface gives none). */
const RECENT_TRADES = 100;

export function createServedReads(reads: ChainReads): ServedReads {
  return {
    node: keeping(reads.node),
    markets: keeping(() => reads.markets().filter(({ status }) => status === "Active")),
    market: keeping(reads.market),
    book: keeping((id: MarketId) => reads.book(id)),
    funding: keeping(reads.funding),
    trades: keeping((id: MarketId) => reads.trades(id, RECENT_TRADES)),
    oracle: keeping(reads.oracle),
    oracleHistory: keeping(reads.oracleHistory),
    feeTiers: keeping(reads.feeTiers),
    treasury: keeping(reads.treasury),
    account: keeping(reads.account),
    positions: keeping((id: AccountId) => reads.account(id)?.positions),
    orders: keeping((id: AccountId) => reads.account(id)?.openOrders),
    rateLimit: keeping(reads.rateLimit),
    ownerAssets: keeping(reads.assets),
  };
}

/** More markets than are polled, and few enough accounts that their orders fit in memory. */
const KEPT_MAX = 500;

/** Wraps a read so that it returns the previous object for the same id while the content is equal. Values must never change. */
function keeping<Id extends readonly [] | readonly [unknown], T>(read: (...id: Id) => T): (...id: Id) => T {
  const kept = createOldestOutMap<unknown, T>(KEPT_MAX);
  return (...id) => {
    const [key] = id;
    const last = kept.get(key);
    const value = read(...id);
    if (last !== undefined && isSame(last, value)) return last;
    if (value !== undefined) kept.set(key, value);
    return value;
  };
}

/** Compares two plain values member by member. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, at) => isSame(each, b[at]));
  const [of, other] = [a, b] as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
  const keys = Object.keys(of);
  return keys.length === Object.keys(other).length && keys.every((key) => isSame(of[key], other[key]));
}
