// The five trading transactions of S4.6: values, their exact text in the documented order of fields, and the strict reading of them.

import {
  type AttachedExit,
  type MarginMode,
  marginModes,
  type OrderType,
  orderTypes,
  type TimeInForce,
  timesInForce,
} from "../../domain/order.ts";
import {
  type AccountId,
  accountId,
  type MarketId,
  type OrderId,
  orderId,
  type Price,
  price,
  type Side,
  type Size,
  size,
  type Usdc,
  usdc,
} from "../../domain/units.ts";
import { WireError, within } from "../errors.ts";
import {
  bool,
  type Fields,
  i128,
  nullable,
  nullableSent,
  object,
  oneOf,
  onlyKeys,
  optional,
  u16,
  u64,
} from "../strict.ts";
import { sideFromWire, sideToWire, wireSides } from "../words.ts";

export type PlaceOrder = {
  readonly type: "PlaceOrder";
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly orderType: OrderType;
  /** 0 for market orders. */
  readonly price: Price;
  readonly size: Size;
  /** Set for stop orders, null otherwise. */
  readonly triggerPrice: Price | null;
  readonly reduceOnly: boolean;
  readonly postOnly: boolean;
  readonly timeInForce: TimeInForce;
  readonly takeProfit: AttachedExit | null;
  readonly stopLoss: AttachedExit | null;
  readonly maxSlippageBps: number | null;
  /** Null: not sent, which means Cross. */
  readonly marginMode: MarginMode | null;
  /** Null: not sent, which like 0 means the market's maximum. */
  readonly leverage: number | null;
};

/** Terms of an order that asks for nothing special: no trigger and no exits, slippage, margin mode and leverage as the market has them. */
export const plainTerms = {
  triggerPrice: null,
  takeProfit: null,
  stopLoss: null,
  maxSlippageBps: null,
  marginMode: null,
  leverage: null,
} as const satisfies Partial<PlaceOrder>;

export type CancelOrder = { readonly type: "CancelOrder"; readonly orderId: OrderId };

/** Null: every market of the account. */
export type CancelAllOrders = { readonly type: "CancelAllOrders"; readonly marketId: MarketId | null };

/** Null: unchanged; at least one is set. `newSize` is the order's whole new size, what is filled included. */
export type ModifyOrder = {
  readonly type: "ModifyOrder";
  readonly orderId: OrderId;
  readonly newPrice: Price | null;
  readonly newSize: Size | null;
};

/** Positive moves cross collateral into the isolated bucket, negative takes it back. */
export type AdjustIsolatedMargin = {
  readonly type: "AdjustIsolatedMargin";
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly delta: Usdc;
};

/** The five that an agent key may sign (S5). */
export type TradingTransaction = PlaceOrder | CancelOrder | CancelAllOrders | ModifyOrder | AdjustIsolatedMargin;

/** Nullable keys are always sent; the three that have a default are left out when unset. */
export function placeOrderText(order: PlaceOrder): string {
  return (
    `{"PlaceOrder":{"account_id":${order.accountId},"market_id":${order.marketId}` +
    `,"side":"${sideToWire(order.side)}","order_type":"${order.orderType}","price":${order.price},"size":${order.size}` +
    `,"trigger_price":${order.triggerPrice},"reduce_only":${order.reduceOnly},"post_only":${order.postOnly}` +
    `,"time_in_force":"${order.timeInForce}","take_profit":${exitText(order.takeProfit)},"stop_loss":${exitText(order.stopLoss)}` +
    `${order.maxSlippageBps === null ? "" : `,"max_slippage_bps":${order.maxSlippageBps}`}` +
    `${order.marginMode === null ? "" : `,"margin_mode":"${order.marginMode}"`}` +
    `${order.leverage === null ? "" : `,"leverage":${order.leverage}`}}}`
  );
}

const exitText = (exit: AttachedExit | null): string =>
  exit === null ? "null" : `{"trigger_price":${exit.triggerPrice},"order_type":"StopMarket","limit_price":null}`;

const placeOrderKeys = new Set([
  "account_id",
  "market_id",
  "side",
  "order_type",
  "price",
  "size",
  "trigger_price",
  "reduce_only",
  "post_only",
  "time_in_force",
  "take_profit",
  "stop_loss",
  "max_slippage_bps",
  "margin_mode",
  "leverage",
]);

export function readPlaceOrder(fields: Fields): PlaceOrder {
  onlyKeys(fields, placeOrderKeys);
  const order: PlaceOrder = {
    type: "PlaceOrder",
    accountId: accountId(u64(fields, "account_id")),
    marketId: u16(fields, "market_id"),
    side: sideFromWire(oneOf(fields, "side", wireSides)),
    orderType: oneOf(fields, "order_type", orderTypes),
    price: price(u64(fields, "price")),
    size: size(u64(fields, "size")),
    triggerPrice: nullable(fields, "trigger_price", readPrice),
    reduceOnly: bool(fields, "reduce_only"),
    postOnly: bool(fields, "post_only"),
    timeInForce: oneOf(fields, "time_in_force", timesInForce),
    takeProfit: nullable(fields, "take_profit", readExit),
    stopLoss: nullable(fields, "stop_loss", readExit),
    maxSlippageBps: nullable(fields, "max_slippage_bps", u16),
    marginMode: optional(fields, "margin_mode", readMarginMode),
    leverage: optional(fields, "leverage", u16),
  };
  checkTrigger(order);
  return order;
}

function checkTrigger({ orderType, triggerPrice }: PlaceOrder): void {
  const stop = orderType === "StopLimit" || orderType === "StopMarket";
  if (stop && triggerPrice === null) {
    throw new WireError("field_conflict", "trigger_price", "is required for stop orders");
  }
  if (!stop && triggerPrice !== null) {
    throw new WireError("field_conflict", "trigger_price", "must be null for orders that are no stop orders");
  }
}

const exitKeys = new Set(["trigger_price", "order_type", "limit_price"]);
const exitTypes = ["StopMarket"] as const;

function readExit(fields: Fields, key: string): AttachedExit {
  const exit = object(fields, key);
  return within(key, () => {
    onlyKeys(exit, exitKeys);
    oneOf(exit, "order_type", exitTypes);
    const limitPrice = nullableSent(exit, "limit_price", u64);
    if (limitPrice !== null) throw new WireError("field_conflict", "limit_price", "must be null");
    return { triggerPrice: readPrice(exit, "trigger_price") };
  });
}

export const cancelOrderText = (cancel: CancelOrder): string => `{"CancelOrder":{"order_id":${cancel.orderId}}}`;

const cancelOrderKeys = new Set(["order_id"]);

export function readCancelOrder(fields: Fields): CancelOrder {
  onlyKeys(fields, cancelOrderKeys);
  return { type: "CancelOrder", orderId: orderId(u64(fields, "order_id")) };
}

/** The key is always sent: null cancels every open order (S4.6). */
export const cancelAllOrdersText = (cancel: CancelAllOrders): string =>
  `{"CancelAllOrders":{"market_id":${cancel.marketId}}}`;

const cancelAllOrdersKeys = new Set(["market_id"]);

export function readCancelAllOrders(fields: Fields): CancelAllOrders {
  onlyKeys(fields, cancelAllOrdersKeys);
  return { type: "CancelAllOrders", marketId: nullableSent(fields, "market_id", u16) };
}

/** Unchanged keys are sent as null (S4.6). */
export const modifyOrderText = (modify: ModifyOrder): string =>
  `{"ModifyOrder":{"order_id":${modify.orderId},"new_price":${modify.newPrice},"new_size":${modify.newSize}}}`;

const modifyOrderKeys = new Set(["order_id", "new_price", "new_size"]);

export function readModifyOrder(fields: Fields): ModifyOrder {
  onlyKeys(fields, modifyOrderKeys);
  const newPrice = nullable(fields, "new_price", readPrice);
  const newSize = nullable(fields, "new_size", readSize);
  if (newPrice === null && newSize === null) {
    throw new WireError("field_conflict", "new_price", "or new_size must be set");
  }
  return { type: "ModifyOrder", orderId: orderId(u64(fields, "order_id")), newPrice, newSize };
}

export const adjustIsolatedMarginText = (adjust: AdjustIsolatedMargin): string =>
  `{"AdjustIsolatedMargin":{"account_id":${adjust.accountId},"market_id":${adjust.marketId},"delta":${adjust.delta}}}`;

const adjustIsolatedMarginKeys = new Set(["account_id", "market_id", "delta"]);

export function readAdjustIsolatedMargin(fields: Fields): AdjustIsolatedMargin {
  onlyKeys(fields, adjustIsolatedMarginKeys);
  return {
    type: "AdjustIsolatedMargin",
    accountId: accountId(u64(fields, "account_id")),
    marketId: u16(fields, "market_id"),
    delta: usdc(i128(fields, "delta")),
  };
}

const readPrice = (fields: Fields, key: string): Price => price(u64(fields, key));
const readSize = (fields: Fields, key: string): Size => size(u64(fields, key));
const readMarginMode = (fields: Fields, key: string): MarginMode => oneOf(fields, key, marginModes);
