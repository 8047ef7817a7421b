// The exchange as the bot sees it: signed envelopes go out, facts come in. One port, several venues (remote over sockets, the devnet called
// directly); one contract suite tests all of them.

import type { Account, NodeStatus, OpenOrders, Positions, RateLimit } from "../../domain/account.ts";
import type { Book } from "../../domain/book.ts";
import type { StreamEvent, SubmitOutcome } from "../../domain/event.ts";
import type { Trade } from "../../domain/fill.ts";
import type { Lane } from "../../domain/lane.ts";
import type { FeeTier, Funding, Market, Oracle, OracleHistory } from "../../domain/market.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import { ReadError } from "../../wire/read-answer.ts";

export { ReadError };

/** A channel of S6.2 that the bot listens to. */
export type Channel =
  | { readonly channel: "orderbook" | "trades" | "oracleUpdates" | "funding"; readonly marketId: MarketId }
  | { readonly channel: "fills" | "orders" | "liquidations"; readonly accountId: AccountId };

/** Reads of S4.1 and S4.2 that the bot needs. Each throws ReadError when the read failed or did not parse. */
export type VenueReads = {
  readonly node: () => Promise<NodeStatus>;
  /** Ids of listed markets. */
  readonly marketIds: () => Promise<readonly MarketId[]>;
  readonly market: (market: MarketId) => Promise<Market>;
  readonly oracle: (market: MarketId) => Promise<Oracle>;
  /** Prints of the past, oldest first, a bounded number. */
  readonly oracleHistory: (market: MarketId) => Promise<OracleHistory>;
  readonly book: (market: MarketId) => Promise<Book>;
  readonly funding: (market: MarketId) => Promise<Funding>;
  readonly trades: (market: MarketId) => Promise<readonly Trade[]>;
  readonly feeTiers: () => Promise<readonly FeeTier[]>;
  /** Null when the treasury configuration has no cap that we understand. */
  readonly openOrderCap: () => Promise<number | null>;
  readonly account: (account: AccountId) => Promise<Account>;
  /** All accounts of an owner's key, 64 hex characters. */
  readonly ownedAccounts: (owner: string) => Promise<readonly AccountId[]>;
  /** The second witness of open orders, beside the account's own list. */
  readonly orders: (account: AccountId) => Promise<OpenOrders>;
  /** The second witness of positions. */
  readonly positions: (account: AccountId) => Promise<Positions>;
  readonly rateLimit: (account: AccountId) => Promise<RateLimit>;
};

/** A live stream: reconnects and resubscribes until closed. */
export type VenueStream = {
  readonly close: () => void;
  /** Subscribes to a channel again on the open connection, where a subscription fell silent. */
  readonly resubscribe: (channel: Channel) => void;
};

export type Venue = {
  readonly reads: VenueReads;
  /** Sends the bytes of one envelope exactly once. Never throws: every end is an outcome. */
  readonly submit: (body: string, lane: Lane) => Promise<SubmitOutcome>;
  /** Opens the stream; events arrive in the order received, starting with streamOpened once subscriptions are sent. */
  readonly stream: (channels: readonly Channel[], onEvent: (event: StreamEvent) => void) => VenueStream;
  /** Frees sockets and timers. */
  readonly close: () => Promise<void>;
};

/** The exchange answered, with values that no market or account can have. */
export const isImplausibleRead = (error: unknown): boolean =>
  error instanceof ReadError && error.code === "implausible";
