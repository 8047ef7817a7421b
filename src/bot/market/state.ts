// What is known of the exchange, shared by all accounts: its stream, time, markets and schedules. Everything is kept with its times: a fact
// of unknown age counts as too old.

import type { Book } from "../../domain/book.ts";
import type { Trade } from "../../domain/fill.ts";
import type { FeeTier, Funding, Market, Oracle } from "../../domain/market.ts";
import type { OutsideFact } from "../../domain/outside.ts";
import type { MarketId } from "../../domain/units.ts";
import { frozenItems } from "../../kernel/frozen.ts";

/** Times are monotonic ms. The fact is at least as old as `askedMs`; for facts of the stream that is when they were received. */
export type Held<T> = {
  readonly value: T;
  readonly askedMs: number;
  readonly receivedMs: number;
  /** Connection on which it was received; 0 before the first. */
  readonly epoch: number;
  /** A later answer was implausible or could not be taken: this is the last good one, but no longer the exchange's word. */
  readonly isUnconfirmed: boolean;
};

/** A fact of a read, frozen because strategies see it. */
export const heldRead = <T>(value: T, times: { askedMs: number; receivedMs: number }, epoch: number): Held<T> => ({
  value: frozenItems(value),
  askedMs: times.askedMs,
  receivedMs: times.receivedMs,
  epoch,
  isUnconfirmed: false,
});

/** A fact of the stream, also frozen. */
export const heldFrame = <T>(value: T, receivedMs: number, epoch: number): Held<T> => ({
  value: frozenItems(value),
  askedMs: receivedMs,
  receivedMs,
  epoch,
  isUnconfirmed: false,
});

/** Returns the same fact after a refused answer to a question asked at `askedMs`; a newer fact stays as it is. */
export const unconfirmed = <T>(held: Held<T> | null, askedMs: number): Held<T> | null =>
  held === null || held.askedMs > askedMs ? held : { ...held, isUnconfirmed: true };

export type StreamState = {
  /** Counts connections; 0 before the first. */
  epoch: number;
  connected: boolean;
  /** When the current connection was made, monotonic ms. */
  openedMs: number;
  /** Last frame of the current connection, monotonic ms. */
  lastFrameMs: number;
  /** Last frame of the current connection that was not a pong, monotonic ms; null: none. */
  toldMs: number | null;
  /** When a connection was last made or lost, monotonic ms: the chain may have restarted since. */
  brokenMs: number;
};

/** Chain time minus our monotonic time, ms, by one pong, and the pong's block. */
export type OffsetSample = {
  readonly atMs: number;
  readonly offsetMs: number;
  readonly height: number;
  readonly blockTimeMs: number;
};

/** Chain time against the local monotonic clock, so that a step of the wall clock does not change our idea of it. */
export type ChainState = {
  /** By the newest pong. */
  height: number;
  /** Reached by two pongs: a lower one is news. */
  confirmedHeight: number;
  /** When the height last moved, monotonic ms; null before the first pong. */
  advancedMs: number | null;
  /** Pongs at lower heights, with none at the known height in between; null: none. */
  lower: { readonly sinceMs: number; readonly fromHeight: number; height: number } | null;
  /** From recent pongs, oldest first. */
  samples: readonly OffsetSample[];
  /** Median chain time minus our monotonic time, ms; null before the first, and after a sleep. */
  offsetMs: number | null;
  /** Time per block among them; 0 until two of them named different blocks. */
  blockMs: number;
};

/** Why a subscription counts as dead: reads contradict its book, or it brought none. */
export type BookSilence = "bookDisagrees" | "noSnapshot";

/** `count`: subscriptions requested since the book was last alive; the newest at monotonic `atMs`. */
export type BookRenewal = { readonly count: number; readonly atMs: number; readonly why: BookSilence };

export type BookState = {
  held: Held<Book> | null;
  /** When the newest read that agreed with the held book was asked; null: none since the last frame. */
  agreedMs: number | null;
  /** Since when reads have disagreed while the stream is silent; null: they do not. */
  unconfirmedMs: number | null;
  /** The held book replaced an earlier one of the same subscription, so the subscription delivers updates. */
  isFollowed: boolean;
  /** The last attempt to replace a silent subscription; null: none, or the book has arrived since. */
  renewal: BookRenewal | null;
};

/** The times in a report of the oracle; `timeMs` null: a frame, which has only the validity. */
export type OracleTimes = { readonly timeMs: number | null; readonly validUntilSec: number };

/** Why the held print is not believed: the last report was impossible, or is older. A report as new clears this. */
export type OracleDoubt =
  | { readonly what: "implausible" }
  /** `counted`: the last such report that cannot merely be late; a second one drops the held print. */
  | { readonly what: "older"; readonly word: OracleTimes; readonly counted: OracleTimes | null };

export type OracleState = {
  held: Held<Oracle> | null;
  /** When the date of the held print was first read, monotonic ms. A frame's print inherits the date of its predecessor. */
  datedMs: number;
  /** When the newest read was asked: the age of the status, which prints do not carry. Null: none yet. */
  readMs: number | null;
  doubt: OracleDoubt | null;
  /** When the stream last brought a print: a status read before that is old. Null: not yet. */
  printedMs: number | null;
};

export type MarketState = {
  readonly marketId: MarketId;
  market: Held<Market> | null;
  readonly oracle: OracleState;
  /** The prints from before this run were read; once is enough. */
  isHistoryRead: boolean;
  readonly book: BookState;
  funding: Held<Funding> | null;
  /** Newest known settlement from any source, Unix seconds; 0: none yet. */
  settledSec: number;
  /** When it was first reported, monotonic ms, and the last later report that contradicts it; null: none. */
  settledReported: { readonly atMs: number; readonly olderSec: number | null };
  /** The largest distance of mark and oracle price since the newest settlement, and in the two intervals before it. */
  premiumBps: { readonly now: bigint; readonly last: bigint; readonly lastButOne: bigint };
  /** The index that positions settle against as last read, and the newest settlement read with it, Unix seconds; null: never read. */
  fundingIndex: { readonly value: bigint; readonly lastSec: number } | null;
  /** What was read of its public trades. */
  search: TradeSearch;
};

/** Times are monotonic, ms. */
export type TradeSearch = {
  /** When the newest answered read was sent; null: none yet. */
  readonly askedMs: number | null;
  /** The trades that it returned. */
  readonly trades: readonly Trade[];
  /** Since when each list has overlapped with the one before. */
  readonly unbrokenSinceMs: number;
};

export type ExchangeState = {
  /** As configured: how old the state in a read may be when it is asked. */
  readonly readLagMaxMs: number;
  /** When the machine last woke: facts asked before are older than their age says. Monotonic ms; minus infinity: it never slept. */
  wokeMs: number;
  readonly stream: StreamState;
  readonly chain: ChainState;
  readonly markets: Map<MarketId, MarketState>;
  /** The last values from files and pushes, by the signal's name. */
  readonly outside: Map<string, OutsideFact>;
  /** Markets on the stream; a market where we only hold something has no book, and needs none. */
  streamed: ReadonlySet<MarketId>;
  feeTiers: Held<readonly FeeTier[]> | null;
  /** When a fill last paid a fee other than theirs, monotonic ms; null: never. */
  feeTiersUnconfirmedMs: number | null;
  /** Null inside: the exchange reports no cap that we understand. */
  openOrderCap: Held<number | null> | null;
};

export function createExchangeState(markets: readonly MarketId[], readLagMaxMs: number): ExchangeState {
  const state: ExchangeState = {
    readLagMaxMs,
    wokeMs: Number.NEGATIVE_INFINITY,
    stream: { epoch: 0, connected: false, openedMs: 0, lastFrameMs: 0, toldMs: null, brokenMs: 0 },
    chain: {
      height: 0,
      confirmedHeight: 0,
      advancedMs: null,
      lower: null,
      samples: [],
      offsetMs: null,
      blockMs: 0,
    },
    markets: new Map(),
    outside: new Map(),
    streamed: new Set(markets),
    feeTiers: null,
    feeTiersUnconfirmedMs: null,
    openOrderCap: null,
  };
  for (const market of markets) marketOf(state, market);
  return state;
}

/** Whether the exchange is about to close every position of the market, or has, by the status as last read. */
export function isSettling(state: ExchangeState, marketId: MarketId): boolean {
  const status = state.markets.get(marketId)?.market?.value.status;
  return status === "Settling" || status === "Settled";
}

/** Returns the market's state, created if needed: a reload adds markets, and an account may hold something where we do not quote. */
export function marketOf(state: ExchangeState, marketId: MarketId): MarketState {
  const known = state.markets.get(marketId);
  if (known !== undefined) return known;
  const market: MarketState = {
    marketId,
    market: null,
    oracle: { held: null, datedMs: 0, readMs: null, doubt: null, printedMs: null },
    isHistoryRead: false,
    book: { held: null, agreedMs: null, unconfirmedMs: null, isFollowed: false, renewal: null },
    funding: null,
    settledSec: 0,
    settledReported: { atMs: 0, olderSec: null },
    premiumBps: { now: 0n, last: 0n, lastButOne: 0n },
    fundingIndex: null,
    search: {
      askedMs: null,
      trades: [],
      unbrokenSinceMs: Number.NEGATIVE_INFINITY,
    },
  };
  state.markets.set(marketId, market);
  return market;
}
