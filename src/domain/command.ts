// Commands: what the bot intends to do at the exchange. One command becomes one transaction (S1: one action each).

import type { OrderType, TimeInForce } from "./order.ts";
import type { AccountId, MarketId, Nonce, OrderId, Price, Side, Size } from "./units.ts";

/** Place a new order. `level`: the quote's slot; null for an order without a quote (flatten). */
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

/** Move or resize a working order. Prices and sizes are new totals; `size` includes the filled part. */
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
  /** Null: the order's market could not be read. */
  readonly marketId: MarketId | null;
  readonly orderId: OrderId;
};

/**
 * Cancel the orders of a market, or with null all of the account's. `fences`: nonce of a transaction with unknown outcome that this one
 * must use up.
 */
export type CancelAllCommand = {
  readonly kind: "cancelAll";
  readonly accountId: AccountId;
  readonly marketId: MarketId | null;
  readonly fences: Nonce | null;
};

export type Command = PlaceCommand | ModifyCommand | CancelCommand | CancelAllCommand;

/** The three classes of action for gates: a closed gate blocks INCREASE, sometimes REDUCE, never CANCEL. */
export type ActionClass = "increase" | "reduce" | "cancel";

export const isCancel = (command: Command): command is CancelCommand | CancelAllCommand =>
  command.kind === "cancel" || command.kind === "cancelAll";

/** Whether the exchange commits the transaction's nonce (S5): all except CancelOrder. Only those can be fenced. */
export const commitsNonce = (command: Command): boolean => command.kind !== "cancel";

/**
 * The worst class: a modify may enlarge an order or move it closer, whatever its purpose. The guard knows the position and may use a lower
 * class.
 */
export function actionClassOf(command: Command): ActionClass {
  if (isCancel(command)) return "cancel";
  return command.reduceOnly ? "reduce" : "increase";
}
