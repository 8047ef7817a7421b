// Every event that can change the bot's state, as one union. The feed folds events into state; nothing else writes it, so a recorded stream
// of events replays to the same decisions.

import type { Account, OpenOrders, RateLimit } from "./account.ts";
import type { Book } from "./book.ts";
import type { Command } from "./command.ts";
import type { Execution, Trade } from "./fill.ts";
import type { FeeTier, Funding, Market, Oracle, OracleHistory } from "./market.ts";
import type { OutsideFact } from "./outside.ts";
import type { AccountId, MarketId, Nonce, OrderId, Price, Side, Size } from "./units.ts";

/** `receivedMs`: local monotonic time of arrival, ms. */
type Received = { readonly receivedMs: number };

/** Events from the WebSocket (S6.2). `epoch` counts connections: facts of an older epoch are stale. */
export type StreamEvent = Received &
  (
    | { readonly kind: "streamOpened"; readonly epoch: number }
    | { readonly kind: "streamClosed"; readonly epoch: number; readonly reason: string }
    | {
        readonly kind: "pong";
        readonly height: number;
        readonly blockTimeMs: number;
        readonly sentMs: number;
      }
    | { readonly kind: "book"; readonly book: Book }
    | { readonly kind: "trade"; readonly trade: Trade }
    | { readonly kind: "execution"; readonly execution: Execution }
    | {
        readonly kind: "orderPlaced";
        readonly accountId: AccountId;
        readonly marketId: MarketId;
        readonly orderId: OrderId;
        readonly side: Side;
        readonly price: Price;
        readonly size: Size;
      }
    | {
        readonly kind: "orderCanceled";
        readonly accountId: AccountId;
        readonly marketId: MarketId;
        readonly orderId: OrderId;
        readonly reason: string;
      }
    | {
        readonly kind: "orderModified";
        readonly accountId: AccountId;
        readonly marketId: MarketId;
        readonly orderId: OrderId;
        readonly side: Side;
        readonly price: Price;
        /** Total size, including the filled part. */
        readonly size: Size;
      }
    | {
        readonly kind: "orderTriggered";
        readonly accountId: AccountId;
        readonly marketId: MarketId;
        readonly orderId: OrderId;
      }
    | {
        readonly kind: "liquidation";
        readonly accountId: AccountId;
        readonly positionsClosed: number;
        readonly positionsRemaining: number;
      }
    | {
        readonly kind: "fundingUpdate";
        readonly marketId: MarketId;
        readonly fundingRate: bigint;
        readonly lastFundingTimestampSec: number;
      }
    | {
        readonly kind: "oracleUpdate";
        readonly marketId: MarketId;
        readonly price: Price;
        readonly previousPrice: Price;
        readonly validUntilSec: number;
      }
  );

/** Results of reads over HTTP. `askedMs`: when the request was sent; the fact is at least that old. */
export type ReadEvent = Received & { readonly askedMs: number } & (
    | { readonly kind: "marketRead"; readonly market: Market }
    | { readonly kind: "oracleRead"; readonly oracle: Oracle }
    | { readonly kind: "oracleHistoryRead"; readonly history: OracleHistory }
    | { readonly kind: "bookRead"; readonly book: Book }
    | { readonly kind: "fundingRead"; readonly funding: Funding }
    | { readonly kind: "accountRead"; readonly account: Account }
    | { readonly kind: "ordersRead"; readonly accountId: AccountId; readonly orders: OpenOrders }
    | { readonly kind: "tradesRead"; readonly marketId: MarketId; readonly trades: readonly Trade[] }
    | { readonly kind: "feeTiersRead"; readonly feeTiers: readonly FeeTier[] }
    | { readonly kind: "openOrderCapRead"; readonly openOrderCap: number | null }
    | { readonly kind: "rateLimitRead"; readonly accountId: AccountId; readonly rateLimit: RateLimit }
    /** The answer was well-formed but implausible: the previous value counts as stale. Recordings use this name of the kind. */
    | { readonly kind: "implausibleRead"; readonly what: JudgedRead; readonly marketId: MarketId }
  );

/** Reads of a market that are the only source of their facts. */
export type JudgedRead = "market" | "oracle" | "funding";

/** What an event in an answer says about an order; null: it does not say. */
export type SaidOrder = {
  readonly orderId: OrderId;
  readonly accountId: AccountId | null;
  readonly marketId: MarketId | null;
  readonly side: Side | null;
  readonly price: Price | null;
  readonly size: Size | null;
};

/**
 * An event of a transaction's own answer (S6.1). The interface shows only the fill: an event of another name, or without the fields that
 * its name needs, is `other`, with the order that it names.
 */
export type TransactionEvent =
  | { readonly type: "fill"; readonly execution: Execution }
  | {
      readonly type: "orderPlaced";
      readonly orderId: OrderId;
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly side: Side;
      readonly price: Price;
      readonly size: Size;
    }
  | {
      readonly type: "orderCanceled";
      readonly orderId: OrderId;
      readonly accountId: AccountId | null;
      readonly marketId: MarketId | null;
      readonly reason: string | null;
    }
  | {
      readonly type: "orderModified";
      readonly orderId: OrderId;
      readonly accountId: AccountId | null;
      readonly marketId: MarketId | null;
      readonly price: Price | null;
      /** Total size, including the filled part. */
      readonly size: Size | null;
      readonly remainingSize: Size | null;
    }
  | { readonly type: "other"; readonly name: string; readonly order?: SaidOrder };

/** Outcomes of a submit (design 4). Unknown is neither success nor failure; `rateLimited` is HTTP 429. */
export type SubmitOutcome =
  | { readonly kind: "executed"; readonly hash: string; readonly events: readonly TransactionEvent[] }
  | { readonly kind: "refused"; readonly hash: string; readonly error: string }
  | { readonly kind: "rejected"; readonly httpStatus: number; readonly error: string }
  | { readonly kind: "rateLimited"; readonly error: string; readonly retryAfterMs: number | null }
  | { readonly kind: "notSent"; readonly why: string }
  /** `retryAfterMs`: of an HTTP 429 with unknown outcome; null: it gave none. */
  | { readonly kind: "unknown"; readonly why: string; readonly retryAfterMs?: number | null };

/**
 * Events of execution: `sent` is folded before any byte reaches the socket, `answered` when the outcome is known, `resolved` when a lost
 * answer is resolved.
 */
export type ExecutionEvent = Received &
  (
    | {
        readonly kind: "sent";
        readonly nonce: Nonce;
        readonly command: Command;
        /** Sent again with the other clock's timestamp; absent: no. */
        readonly isAgain?: boolean;
      }
    | { readonly kind: "answered"; readonly nonce: Nonce; readonly command: Command; readonly outcome: SubmitOutcome }
    | {
        readonly kind: "resolved";
        readonly nonce: Nonce;
        readonly command: Command;
        /**
         * `neverLanded`: proven not executed. `landed`: it executed, and its market was cleared since. `outlived`: it can no longer
         * execute, but may have executed.
         */
        readonly verdict: "neverLanded" | "landed" | "outlived";
      }
  );

/**
 * From the bot itself: the machine slept, or its clock was set, so earlier requests are older than the monotonic clock says; or the process
 * was stalled, or could not act.
 */
export type SleptEvent = Received & { readonly kind: "slept"; readonly reason: "slept" | "stalled" | "cannotAct" };

/**
 * From the bot itself: both sources of an account said this twice while none of our transactions changed anything. `marketId` null: the
 * whole account.
 */
export type AdoptedEvent = Received & {
  readonly kind: "adopted";
  readonly askedMs: number;
  readonly account: Account;
  readonly marketId: MarketId | null;
};

/** From outside of the exchange: a signal's file or push said this. */
export type OutsideEvent = Received & {
  readonly kind: "outsideFact";
  readonly name: string;
  readonly fact: OutsideFact;
};

export type VenueEvent = StreamEvent | ReadEvent | ExecutionEvent | SleptEvent | AdoptedEvent | OutsideEvent;

/** The one market that the event is about; null: none, or any. */
export function marketOfEvent(event: VenueEvent): MarketId | null {
  switch (event.kind) {
    case "book":
    case "bookRead":
      return event.book.marketId;
    case "trade":
      return event.trade.marketId;
    case "execution":
      return event.execution.marketId;
    case "orderPlaced":
    case "orderCanceled":
    case "orderModified":
    case "orderTriggered":
    case "fundingUpdate":
    case "oracleUpdate":
    case "tradesRead":
    case "implausibleRead":
    case "adopted":
      return event.marketId;
    case "marketRead":
      return event.market.marketId;
    case "oracleRead":
      return event.oracle.marketId;
    case "oracleHistoryRead":
      return event.history.marketId;
    case "fundingRead":
      return event.funding.marketId;
    case "sent":
    case "answered":
    case "resolved":
      return event.command.marketId;
    default:
      return null;
  }
}
