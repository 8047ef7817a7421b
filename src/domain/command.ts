// What the bot intends to do at the exchange: one command becomes one transaction (S1: one action each).

import type { OrderType, TimeInForce } from "./order.ts";
import type { AccountId, MarketId, Nonce, OrderId, Price, Side, Size } from "./units.ts";

/** Place a new order. `level` is the quote's slot, null for an order that no quote asked for (flatten). */
export type PlaceCommand = {
  readonly kind: "place";
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly orderType: Extract<OrderType, "Limit" | "Market">;
  /** 0 for a market order (S4.6). */
  readonly price: Price;
  readonly size: Size;
  readonly reduceOnly: boolean;
  readonly postOnly: boolean;
  readonly timeInForce: TimeInForce;
  readonly maxSlippageBps: number | null;
  readonly level: number | null;
};

/** Move or resize a working order. Prices and sizes are whole new values; `size` includes what is filled. */
export type ModifyCommand = {
  readonly kind: "modify";
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly orderId: OrderId;
  readonly side: Side;
  readonly reduceOnly: boolean;
  /** Null: unchanged. At least one of the two is set. */
  readonly newPrice: Price | null;
  readonly newSize: Size | null;
  readonly level: number | null;
};

export type CancelCommand = {
  readonly kind: "cancel";
  readonly accountId: AccountId;
  /** Null: of an order whose market could not be read. */
  readonly marketId: MarketId | null;
  readonly orderId: OrderId;
};

/** Cancel a market's orders, or with null all of the account's. `fences`: the nonce of an unknown transaction that it must take. */
export type CancelAllCommand = {
  readonly kind: "cancelAll";
  readonly accountId: AccountId;
  readonly marketId: MarketId | null;
  readonly fences: Nonce | null;
};

export type Command = PlaceCommand | ModifyCommand | CancelCommand | CancelAllCommand;

/** The three kinds of action that gates distinguish: a closed gate blocks INCREASE, sometimes REDUCE, never CANCEL. */
export type ActionClass = "increase" | "reduce" | "cancel";

export const isCancel = (command: Command): command is CancelCommand | CancelAllCommand =>
  command.kind === "cancel" || command.kind === "cancelAll";

/** Whether the exchange keeps the nonce of the transaction (S5): all but CancelOrder. Only those can be fenced. */
export const commitsNonce = (command: Command): boolean => command.kind !== "cancel";

/**
 * At worst: a modify may make an order larger or bring it nearer, whatever it was meant for. The guard knows the position and may
 * say less.
 */
export function actionClassOf(command: Command): ActionClass {
  if (isCancel(command)) return "cancel";
  return command.reduceOnly ? "reduce" : "increase";
}
