// What can happen to the orders of an account, as one union. Each event carries its evidence: who says so, and the earliest time that
// this can speak of, so that an older fact never overrules a newer one.

import type { Command, PlaceCommand } from "../../../domain/command.ts";
import type { SubmitOutcome, TransactionEvent } from "../../../domain/event.ts";
import type { Fill } from "../../../domain/fill.ts";
import type { Order } from "../../../domain/order.ts";
import type { MarketId, Nonce, OrderId, Price, Side, Size } from "../../../domain/units.ts";

/**
 * `command`: we sent it. `answer`: the answer of our own transaction. `frame`: the stream. `accountRead`, `tradesRead`: a read over
 * HTTP. `resolution`: execution resolved a lost answer.
 */
export type EvidenceSource = "command" | "answer" | "frame" | "accountRead" | "tradesRead" | "resolution";

/** Monotonic times, ms. */
export type Evidence = {
  readonly source: EvidenceSource;
  /**
   * The earliest time that the evidence can speak of: when a frame was received or a transaction sent, and for a read of the account
   * what its content proves (newness.ts). What changed at or after that time may be missing from it.
   */
  readonly asOfMs: number;
  readonly receivedMs: number;
};

/** An order of the account as a frame, an answer or a list shows it. */
export type SeenOrder = {
  readonly orderId: OrderId;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: Price;
  /** Whole size, what is filled included. */
  readonly size: Size;
};

/** Monotonic times, ms, that a list of trades reaches over whatever our idea of chain time is off. */
export type TradeSpan = { readonly fromMs: number; readonly toMs: number };

export type OrderEvent = Evidence &
  /** Before the socket sees the bytes: from here on the order may be live. */
  (
    | { readonly kind: "sent"; readonly nonce: Nonce; readonly command: Command; readonly isFromEarlierLife?: boolean }
    /** An executed place, before any of its events is applied: they name the order. */
    | {
        readonly kind: "acknowledged";
        readonly nonce: Nonce;
        readonly command: PlaceCommand;
        readonly events: readonly TransactionEvent[];
      }
    /** `level`: of the quote that our own transaction placed it for; undefined where a frame says so. */
    | { readonly kind: "placed"; readonly order: SeenOrder; readonly level?: number | null }
    /** `nonce`: of the transaction whose answer says so; null where a frame does. */
    | {
        readonly kind: "canceled";
        readonly orderId: OrderId;
        readonly marketId: MarketId;
        readonly reason: string;
        readonly nonce: Nonce | null;
      }
    /** A frame tells of a modify, ours or another's. */
    | { readonly kind: "changed"; readonly order: SeenOrder }
    /** A frame tells that a conditional order left its trigger. We place none. */
    | { readonly kind: "triggered" }
    | {
        readonly kind: "modified";
        readonly orderId: OrderId;
        readonly price: Price;
        readonly size: Size;
        readonly remainingSize: Size;
      }
    /** A fill that was booked now, each once. `isInList`: an order that the exchange's list named was listed with it. */
    | { readonly kind: "filled"; readonly fill: Fill; readonly isInList: boolean }
    /** A public trade of ours whose fill has not been booked. */
    | { readonly kind: "traded"; readonly fill: Fill }
    /** An answer named a change of orders that could not be read. */
    | { readonly kind: "unreadable" }
    /** The outcome of a submit, after its events were applied. */
    | { readonly kind: "answered"; readonly nonce: Nonce; readonly command: Command; readonly outcome: SubmitOutcome }
    | {
        readonly kind: "resolved";
        readonly nonce: Nonce;
        readonly command: Command;
        readonly verdict: "neverLanded" | "landed";
      }
    /** The same difference from the exchange's list was found again: the list is believed. Null: the order is not listed. */
    | { readonly kind: "believed"; readonly orderId: OrderId; readonly listed: Order | null }
    /** A read of the account is complete: canceled orders that it does not list are over, but for those of `unsettled` markets. */
    | {
        readonly kind: "notListed";
        readonly listed: ReadonlySet<OrderId>;
        readonly isUnsettled: (marketId: MarketId) => boolean;
      }
    /** The trades of a market were read and booked. `span`: within it none is missing; null: their times prove nothing. */
    | { readonly kind: "tradesSearched"; readonly marketId: MarketId; readonly span: TradeSpan | null }
    | { readonly kind: "liquidated" }
    /** Time has passed: what nothing explained within its time is judged. In a market that settles the exchange closes positions. */
    | { readonly kind: "timePassed"; readonly isSettling: (marketId: MarketId) => boolean }
  );

export type OrderEventOf<K extends OrderEvent["kind"]> = Extract<OrderEvent, { readonly kind: K }>;

/** A frame speaks of the time at which it arrived. */
export const frameEvidence = (receivedMs: number): Evidence => ({ source: "frame", asOfMs: receivedMs, receivedMs });
