// What the bot believes, as folded from events. Facts of the exchange are shared by all accounts; each account has its own orders,
// positions and money. `fold` is the only writer; everybody else reads through views.

import type { NodeStatus } from "../../domain/account.ts";
import type { Book } from "../../domain/book.ts";
import type { FeeTier, Funding, Market, Oracle } from "../../domain/market.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import { type AccountOptions, type AccountState, createAccountState } from "./account/account-state.ts";
import { type Ages, defaultAges } from "./ages.ts";
import type { Held } from "./held.ts";

export type StreamState = {
  /** Counts connections; 0 before the first. */
  epoch: number;
  connected: boolean;
  /** When the current connection was made, monotonic ms. */
  openedMs: number;
  /** Last frame of the current connection, monotonic ms. */
  lastFrameMs: number;
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
  /** Pongs at lower heights whose block times are right, without one at the height we know in between; null: none. */
  lower: { readonly sinceMs: number; readonly fromHeight: number; height: number } | null;
  /** Of recent pongs, oldest first. */
  samples: readonly OffsetSample[];
  /** The local wall clock minus the monotonic one, ms, at the newest pong or node info; null before the first, and after a sleep. */
  wallOffsetMs: number | null;
  /** Pongs and node info have agreed against the wall clock, and it has not agreed with them since. */
  isWallOff: boolean;
  /** Chain time minus our monotonic time, ms, as two witnesses agreed; null before they did. */
  offsetMs: number | null;
  /** When they last did, monotonic ms. */
  trustedMs: number | null;
  /** How long a block took among them; 0 until two of them named different ones. */
  blockMs: number;
};

export type BookState = {
  held: Held<Book> | null;
  /** When the newest read that agreed with the held book was asked; null: none since the last frame. */
  agreedMs: number | null;
  /** Since when a read disagrees while the stream is silent; null: no doubt. */
  doubtedMs: number | null;
  /** Connection that was found to swallow snapshots, or to bring none; 0: none. */
  condemnedEpoch: number;
};

export type OracleState = {
  held: Held<Oracle> | null;
  /** When the newest read was asked: the age of the status, which prints do not tell. Null: none yet. */
  readMs: number | null;
  /** The last print went back in time or made no sense: it is unusable until the next read. */
  doubtful: boolean;
  /** When the stream last brought a print: status read before that is old. Null: not yet. */
  printedMs: number | null;
};

export type MarketState = {
  readonly marketId: MarketId;
  market: Held<Market> | null;
  /** When a read first showed the newest change of the tick, which clears the book; monotonic ms, null: none yet. */
  clearedMs: number | null;
  readonly oracle: OracleState;
  /** The prints from before this life were read: once is enough. */
  isHistoryRead: boolean;
  readonly book: BookState;
  funding: Held<Funding> | null;
  /** Newest settlement known from any source, Unix seconds; 0: none yet. */
  settledSec: number;
  /** The widest that mark and oracle price have been apart since the newest settlement, and in the interval before it. */
  premiumBps: { readonly now: bigint; readonly last: bigint };
  /**
   * The index that positions settle against as last read, the settlement that gave it, and the last that was read with it, Unix
   * seconds. `sinceSec` null: it is not known which did. Null: never read.
   */
  fundingIndex: { readonly value: bigint; readonly sinceSec: number | null; readonly lastSec: number } | null;
  /** When the newest read of trades that came back had left; null: none yet. */
  tradesAskedMs: number | null;
};

export type FeedState = {
  readonly ages: Ages;
  /** When the machine last woke: what was asked before is older than its age says. Monotonic ms; minus infinity: it never slept. */
  wokeMs: number;
  readonly stream: StreamState;
  readonly chain: ChainState;
  readonly markets: Map<MarketId, MarketState>;
  /** Those that the stream tells of: where we only hold something no book comes, and none is missed. */
  streamed: ReadonlySet<MarketId>;
  readonly accounts: Map<AccountId, AccountState>;
  node: Held<NodeStatus> | null;
  feeTiers: Held<readonly FeeTier[]> | null;
  /** When a fill last paid another fee than they say, monotonic ms; null: none has. */
  feeTiersDoubtedMs: number | null;
  /** Null inside: the exchange names no cap that we understand. */
  openOrderCap: Held<number | null> | null;
};

export type FeedOptions = {
  readonly markets: readonly MarketId[];
  readonly accounts: readonly AccountOptions[];
  readonly ages?: Ages;
};

export function createFeedState(options: FeedOptions): FeedState {
  const state: FeedState = {
    ages: options.ages ?? defaultAges,
    wokeMs: Number.NEGATIVE_INFINITY,
    stream: { epoch: 0, connected: false, openedMs: 0, lastFrameMs: 0, brokenMs: 0 },
    chain: {
      height: 0,
      confirmedHeight: 0,
      advancedMs: null,
      lower: null,
      samples: [],
      wallOffsetMs: null,
      isWallOff: false,
      offsetMs: null,
      trustedMs: null,
      blockMs: 0,
    },
    markets: new Map(),
    streamed: new Set(options.markets),
    accounts: new Map(),
    node: null,
    feeTiers: null,
    feeTiersDoubtedMs: null,
    openOrderCap: null,
  };
  for (const market of options.markets) marketOf(state, market);
  for (const account of options.accounts) state.accounts.set(account.accountId, createAccountState(account));
  return state;
}

/** The exchange is about to close every position of the market, or has: the status as last read. */
export function isSettling(state: FeedState, marketId: MarketId): boolean {
  const status = state.markets.get(marketId)?.market?.value.status;
  return status === "Settling" || status === "Settled";
}

/** The market's state, made where there is none: markets come by reload, and an account may hold something where we do not quote. */
export function marketOf(state: FeedState, marketId: MarketId): MarketState {
  const known = state.markets.get(marketId);
  if (known !== undefined) return known;
  const market: MarketState = {
    marketId,
    market: null,
    clearedMs: null,
    oracle: { held: null, readMs: null, doubtful: false, printedMs: null },
    isHistoryRead: false,
    book: { held: null, agreedMs: null, doubtedMs: null, condemnedEpoch: 0 },
    funding: null,
    settledSec: 0,
    premiumBps: { now: 0n, last: 0n },
    fundingIndex: null,
    tradesAskedMs: null,
  };
  state.markets.set(marketId, market);
  return market;
}

/** Our agent key on the account is another one from now on: 64 lowercase hex characters. */
export function rekey(state: FeedState, account: AccountId, agentPubkey: string): void {
  const known = state.accounts.get(account);
  if (known !== undefined) known.agentPubkey = agentPubkey;
}
