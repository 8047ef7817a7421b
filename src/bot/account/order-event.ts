// What can happen to the orders of an account, as one union.

import type { OpenOrders } from "../../domain/account.ts";
import type { Command, PlaceCommand } from "../../domain/command.ts";
import type { SubmitOutcome, TransactionEvent } from "../../domain/event.ts";
import type { Fill } from "../../domain/fill.ts";
import type { MarketId, Nonce, OrderId, Price, Side, Size } from "../../domain/units.ts";

/** An order of the account as a frame or an answer shows it. */
export type ReceivedOrder = {
  readonly orderId: OrderId;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: Price;
  /** Whole size, what is filled included. */
  readonly size: Size;
};

export type OrderEvent = {
  /** Monotonic ms. */
  readonly receivedMs: number;
} /** Before the socket sees the bytes: from here on the order may be live. */ & (
  | { readonly kind: "sent"; readonly nonce: Nonce; readonly command: Command }
  /** An executed place, before any of its events is applied: they name the order. */
  | {
      readonly kind: "acknowledged";
      readonly nonce: Nonce;
      readonly command: PlaceCommand;
      readonly events: readonly TransactionEvent[];
    }
  /** The outcome of a submit: its events state what became of every order of ours that they name. */
  | { readonly kind: "answered"; readonly nonce: Nonce; readonly command: Command; readonly outcome: SubmitOutcome }
  | {
      readonly kind: "resolved";
      readonly nonce: Nonce;
      readonly command: Command;
      readonly verdict: "neverLanded" | "landed" | "outlived";
    }
  | { readonly kind: "placed"; readonly order: ReceivedOrder }
  | { readonly kind: "canceled"; readonly orderId: OrderId; readonly marketId: MarketId; readonly reason: string }
  /** A frame shows a modify, ours or another's. */
  | { readonly kind: "changed"; readonly order: ReceivedOrder }
  /** A frame tells that a conditional order left its trigger. We place none. */
  | { readonly kind: "triggered" }
  /** A fill that was booked now, each once. */
  | { readonly kind: "filled"; readonly fill: Fill }
  /** The trades of a market, asked at `askedMs`, were booked, and none since `sinceMs` is missing in what was read so far. Monotonic ms. */
  | { readonly kind: "tradesSearched"; readonly marketId: MarketId; readonly askedMs: number; readonly sinceMs: number }
  /** A read asked at `askedMs` shows the position that we hold. */
  | { readonly kind: "positionReported"; readonly marketId: MarketId; readonly askedMs: number }
  /** Both witnesses listed the open orders of the account, or of one market of it, while nothing of ours rested there. */
  | { readonly kind: "adopted"; readonly marketId: MarketId | null; readonly lists: OpenOrders }
  | { readonly kind: "liquidated" }
  /** Time has passed: what nothing explained within its time is judged. In a market that settles the exchange closes positions. */
  | { readonly kind: "timePassed"; readonly isSettling: (marketId: MarketId) => boolean }
);

export type OrderEventOf<K extends OrderEvent["kind"]> = Extract<OrderEvent, { readonly kind: K }>;
