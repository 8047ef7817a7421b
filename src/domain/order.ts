// Orders: as the exchange lists them, and as the bot tracks its own, including those with an unknown outcome.

import type { AccountId, MarketId, Nonce, OrderId, Price, Side, Size } from "./units.ts";

export const orderTypes = ["Limit", "Market", "StopLimit", "StopMarket"] as const;
export type OrderType = (typeof orderTypes)[number];
export const timesInForce = ["GTC", "IOC", "FOK"] as const;
export type TimeInForce = (typeof timesInForce)[number];
export const marginModes = ["Cross", "Isolated"] as const;
export type MarginMode = (typeof marginModes)[number];

/** Attached exit (S4.6): always a StopMarket, so the trigger price is all there is. */
export type AttachedExit = { readonly triggerPrice: Price };

/** An open order as read from the exchange. The interface does not show the record's fields (NS-1). */
export type Order = {
  readonly orderId: OrderId;
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly price: Price;
  /** Total size, including the filled part. */
  readonly size: Size;
  readonly filledSize: Size;
  readonly remainingSize: Size;
  /**
   * Set if the record has one size of unclear meaning. `alone`: the filled size is missing too; nothing counts as filled. `withFilled`: the
   * filled size is given; the size counts as the total. In both cases it may be the remaining size instead. Absent: total or remaining size
   * have clear names.
   */
  readonly unclearSize?: "alone" | "withFilled";
  readonly triggerPrice: Price | null;
  readonly reduceOnly: boolean;
  readonly postOnly: boolean;
  readonly timeInForce: TimeInForce;
  readonly status: string;
  readonly takeProfit: AttachedExit | null;
  readonly stopLoss: AttachedExit | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** Whether an order waits for a trigger price. The stream does not give the trigger, but a price of 0 shows it. */
export const isConditional = ({ price, triggerPrice = null }: Triggered): boolean =>
  triggerPrice !== null || price === 0n;

/** Neither conditional nor reduce-only: such orders protect an owner's position. */
export const isPlain = (order: Triggered & Partial<Pick<Order, "reduceOnly">>): boolean =>
  order.reduceOnly !== true && !isConditional(order);

type Triggered = Pick<Order, "price"> & Partial<Pick<Order, "triggerPrice">>;

/**
 * State of one of our orders. `inFlight`: sent, unanswered. `unknown`: the answer was lost; it counts as resting and as filled.
 * `working`: accepted, not done. `canceling`: a cancel was sent; it still counts in full.
 */
export type OrderState = "inFlight" | "working" | "canceling" | "unknown";

/** A price of the book, and the contracts of one order there. */
export type RestingPlace = { readonly price: Price; readonly size: Size };

/** Where one of our orders rested a moment ago. Frames of the book do not wait for answers: they may still show it there. */
export type VacatedPlace = RestingPlace & { readonly orderId: OrderId | null; readonly side: Side };

/** An order of the account that may be live at the exchange. Gone orders are not tracked. */
export type TrackedOrder = {
  /**
   * Nonce of the transaction that placed it: our name for it, since the exchange has no client order id. Null when we did not place it in
   * this run.
   */
  readonly nonce: Nonce | null;
  /** Null until the exchange has named it. */
  readonly orderId: OrderId | null;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: Price;
  /** Total size, including the filled part. */
  readonly size: Size;
  /** The most that can still fill. */
  readonly remainingSize: Size;
  readonly reduceOnly: boolean;
  readonly postOnly: boolean;
  /** It waits for a trigger price and is in no book. We never place one. */
  readonly isConditional: boolean;
  /** As far as we know, none of our transactions made it: it counts as exposure, and we neither change nor cancel it. */
  readonly isForeign: boolean;
  readonly state: OrderState;
  /** Level of its quote; null for an order without a quote. */
  readonly level: number | null;
  /** Worst price and size while a modify is unanswered: exposure counts the larger. Null otherwise. */
  readonly pending: { readonly price: Price; readonly size: Size } | null;
  /** Where unanswered modifies put it, the newest last, with the size that would rest there. */
  readonly movingTo: readonly RestingPlace[];
  /** Monotonic time of the last change of state, ms. */
  readonly sinceMs: number;
  /**
   * Contracts ahead of it at its price, as of the last book: exact from its arrival by later arrivals and trades, estimated where a cancel
   * may have been ahead or behind. Null while it rests in no book, or its place is unknown.
   */
  readonly queueAhead: Size | null;
};

/** An order that the exchange confirmed as ours: later orders and fills of this id are not foreign. */
export type KnownOrder = {
  readonly accountId: AccountId;
  readonly orderId: OrderId;
  readonly marketId: MarketId;
  readonly side: Side;
};

/** A known order as stored in the ledger. Price and total size as last confirmed; null if unknown. `isOver`: all its fills are known. */
export type StoredOrder = KnownOrder & {
  readonly price: Price | null;
  readonly size: Size | null;
  readonly isOver: boolean;
};
