// What is known of the exchange, the same for every account: its stream, its time, its markets and schedules. Nothing is kept without its
// times: an age that nobody can tell is an age that is too old.

import type { Book } from "../../domain/book.ts";
import type { Trade } from "../../domain/fill.ts";
import type { FeeTier, Funding, Market, Oracle } from "../../domain/market.ts";
import type { MarketId } from "../../domain/units.ts";
import { frozenItems } from "../../kernel/frozen.ts";

/** Times are monotonic ms. The fact is at least as old as `askedMs`; facts of the stream are asked when received. */
export type Held<T> = {
  readonly value: T;
  readonly askedMs: number;
  readonly receivedMs: number;
  /** Connection it was received in; 0 before the first. */
  readonly epoch: number;
  /** A later answer made no sense, or could not be taken up: this is the last good one, and no longer the exchange's word. */
  readonly isUnconfirmed: boolean;
};

/** What a read said, frozen: strategies see it. */
export const heldRead = <T>(value: T, times: { askedMs: number; receivedMs: number }, epoch: number): Held<T> => ({
  value: frozenItems(value),
  askedMs: times.askedMs,
  receivedMs: times.receivedMs,
  epoch,
  isUnconfirmed: false,
});

/** What the stream said, frozen likewise. */
export const heldFrame = <T>(value: T, receivedMs: number, epoch: number): Held<T> => ({
  value: frozenItems(value),
  askedMs: receivedMs,
  receivedMs,
  epoch,
  isUnconfirmed: false,
});

/** The same fact after an answer that is not taken up, to a question asked at `askedMs`; a newer fact stays as it is. */
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
  /** Last frame of the current connection that told something, and was no pong, monotonic ms; null: none has. */
  toldMs: number | null;
  /** When a connection was last made or lost, monotonic ms: another chain may have begun since. */
  brokenMs: number;
};

/** Chain time minus our monotonic time, ms, by one pong, and the block that it named. */
export type OffsetSample = {
  readonly atMs: number;
  readonly offsetMs: number;
  readonly height: number;
  readonly blockTimeMs: number;
};

/** Chain time against the local monotonic clock, so that a step of the wall clock does not move our idea of chain time. */
export type ChainState = {
  /** By the newest pong. */
  height: number;
  /** Reached by two pongs: a lower one is news. */
  confirmedHeight: number;
  /** When the height last moved, monotonic ms; null before the first pong. */
  advancedMs: number | null;
  /** Pongs at lower heights, without one at the height we know in between; null: none. */
  lower: { readonly sinceMs: number; readonly fromHeight: number; height: number } | null;
  /** Of recent pongs, oldest first. */
  samples: readonly OffsetSample[];
  /** Chain time minus our monotonic time, ms, by their median; null before the first, and after a sleep. */
  offsetMs: number | null;
  /** How long a block took among them; 0 until two of them named different ones. */
  blockMs: number;
};

/** Why a subscription is believed dead: reads contradict the book that it brought, or it brought none. */
export type BookSilence = "bookDisagrees" | "noSnapshot";

/** `count`: subscriptions that were asked for since the book last lived; the newest at monotonic `atMs`. */
export type BookRenewal = { readonly count: number; readonly atMs: number; readonly why: BookSilence };

export type BookState = {
  held: Held<Book> | null;
  /** When the newest read that agreed with the held book was asked; null: none since the last frame. */
  agreedMs: number | null;
  /** Since when a read disagrees while the stream is silent; null: no doubt. */
  unconfirmedMs: number | null;
  /** The held book followed an earlier one of the same subscription, so the subscription delivers updates. */
  isFollowed: boolean;
  /** The last attempt to replace a silent subscription; null: none, or the book has arrived since. */
  renewal: BookRenewal | null;
};

/** The times that a word on the oracle names; `timeMs` null: a frame, which tells validity alone. */
export type OracleTimes = { readonly timeMs: number | null; readonly validUntilSec: number };

/** Why the held print is not believed: the last word made no sense, or is older than it. A word as new lifts the doubt. */
export type OracleDoubt =
  | { readonly what: "implausible" }
  /** `counted`: the last such word that cannot merely have come late: a second one drops the held print. */
  | { readonly what: "older"; readonly word: OracleTimes; readonly counted: OracleTimes | null };

export type OracleState = {
  held: Held<Oracle> | null;
  /** When the date of the held print was first heard of, monotonic ms: a read's. A frame's print has the date of the one before. */
  datedMs: number;
  /** When the newest read was asked: the age of the status, which prints do not tell. Null: none yet. */
  readMs: number | null;
  /** Null: none. */
  doubt: OracleDoubt | null;
  /** When the stream last brought a print: status read before that is old. Null: not yet. */
  printedMs: number | null;
};

export type MarketState = {
  readonly marketId: MarketId;
  market: Held<Market> | null;
  /** When a read first showed the newest change of the tick, which clears the book; monotonic ms, null: none yet. */
  clearedMs: number | null;
  readonly oracle: OracleState;
  /** The prints from before this run were read: once is enough. */
  isHistoryRead: boolean;
  readonly book: BookState;
  funding: Held<Funding> | null;
  /** Newest settlement known from any source, Unix seconds; 0: none yet. */
  settledSec: number;
  /** When it was first heard of, monotonic ms, and the last word since that counts against it; null: none. */
  settledReported: { readonly atMs: number; readonly olderSec: number | null };
  /** The widest that mark and oracle price have been apart since the newest settlement, and in the two intervals before it. */
  premiumBps: { readonly now: bigint; readonly last: bigint; readonly lastButOne: bigint };
  /**
   * The index that positions settle against as last read, the settlement that gave it, and the last that was read with it, Unix
   * seconds. `sinceSec` null: it is not known which did. Null: never read.
   */
  fundingIndex: { readonly value: bigint; readonly sinceSec: number | null; readonly lastSec: number } | null;
  /** What was read of its public trades. */
  search: TradeSearch;
};

/** Times are monotonic, ms. */
export type TradeSearch = {
  /** When the newest read that came back had left; null: none yet. */
  readonly askedMs: number | null;
  /** What it found. */
  readonly trades: readonly Trade[];
  /** Since when each list has reached back to the one before. */
  readonly unbrokenSinceMs: number;
};

export type ExchangeState = {
  /** Of the configuration: how old the state may be that a read shows when it is asked. */
  readonly readLagMaxMs: number;
  /** When the machine last woke: what was asked before is older than its age says. Monotonic ms; minus infinity: it never slept. */
  wokeMs: number;
  readonly stream: StreamState;
  readonly chain: ChainState;
  readonly markets: Map<MarketId, MarketState>;
  /** Markets on the stream: where we only hold something no book comes, and none is missed. */
  streamed: ReadonlySet<MarketId>;
  feeTiers: Held<readonly FeeTier[]> | null;
  /** When a fill last paid another fee than they say, monotonic ms; null: none has. */
  feeTiersUnconfirmedMs: number | null;
  /** Null inside: the exchange names no cap that we understand. */
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
    streamed: new Set(markets),
    feeTiers: null,
    feeTiersUnconfirmedMs: null,
    openOrderCap: null,
  };
  for (const market of markets) marketOf(state, market);
  return state;
}

/** The exchange is about to close every position of the market, or has: the status as last read. */
export function isSettling(state: ExchangeState, marketId: MarketId): boolean {
  const status = state.markets.get(marketId)?.market?.value.status;
  return status === "Settling" || status === "Settled";
}

/** The market's state, made where there is none: markets come by reload, and an account may hold something where we do not quote. */
export function marketOf(state: ExchangeState, marketId: MarketId): MarketState {
  const known = state.markets.get(marketId);
  if (known !== undefined) return known;
  const market: MarketState = {
    marketId,
    market: null,
    clearedMs: null,
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
