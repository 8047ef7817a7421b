// The five trading transactions of S4.6. Members are written in the documented order, because the text is signed.

import { type AttachedExit, marginModes, orderTypes, timesInForce } from "../../domain/order.ts";
import {
  checked,
  type Kind,
  kind,
  mapped,
  maybe,
  type Of,
  omitted,
  onlyNull,
  optional,
  request,
  says,
  sent,
} from "../description.ts";
import { WireError } from "../errors.ts";
import { bool, word } from "../values.ts";
import * as v from "./values.ts";

const nothing: Kind<never> = kind(onlyNull, (): never => {
  throw new WireError("field_conflict", "", "must be null");
});

const exit: Kind<AttachedExit> = mapped(
  request({ triggerPrice: v.price, orderType: word(["StopMarket"]), limitPrice: sent(nothing) }),
  ({ triggerPrice }) => ({ triggerPrice }),
  ({ triggerPrice }) => ({ triggerPrice, orderType: "StopMarket" as const, limitPrice: null }),
);

const anyOrder = request({
  accountId: v.accountId,
  marketId: v.marketId,
  side: v.side,
  orderType: word(orderTypes),
  /** 0 for market orders. */
  price: says(v.price, "1e-8 USD, a multiple of tickSize; 0 for market orders"),
  size: v.size,
  /** Set for stop orders, null otherwise. */
  triggerPrice: says(maybe(v.price), "set for stop orders, null for all others"),
  reduceOnly: bool,
  postOnly: bool,
  timeInForce: word(timesInForce),
  takeProfit: maybe(exit),
  stopLoss: maybe(exit),
  maxSlippageBps: omitted(v.u16("basis points")),
  /** Null: left out, which means Cross. */
  marginMode: says(optional(word(marginModes)), "default: Cross"),
  /** Null: left out, which like 0 means the market's maximum. */
  leverage: optional(v.u16("0 or left out: the market's maximum")),
});

const placeOrder = checked(anyOrder, ({ orderType, triggerPrice }) => {
  const isStop = orderType === "StopLimit" || orderType === "StopMarket";
  if (isStop && triggerPrice === null)
    throw new WireError("field_conflict", "trigger_price", "is required for stop orders");
  if (!isStop && triggerPrice !== null)
    throw new WireError("field_conflict", "trigger_price", "must be null for orders that are no stop orders");
});

const modifyOrder = checked(
  request({
    orderId: v.orderId,
    /** Null: unchanged; at least one of the two is set. */
    newPrice: says(maybe(v.price), "null: unchanged"),
    /** The order's new total size, including the filled part. */
    newSize: says(maybe(v.size), "null: unchanged; else the whole new size, what is filled included"),
  }),
  ({ newPrice, newSize }) => {
    if (newPrice === null && newSize === null)
      throw new WireError("field_conflict", "new_price", "or new_size must be set");
  },
);

/** The five that an agent key may sign (S5). */
export const trading = {
  PlaceOrder: placeOrder,
  CancelOrder: request({ orderId: v.orderId }),
  /** Null: every market of the account. */
  CancelAllOrders: request({ marketId: says(sent(v.marketId), "null: every market") }),
  ModifyOrder: modifyOrder,
  /** Positive: moves cross collateral into the isolated bucket; negative: moves it back. */
  AdjustIsolatedMargin: request({ accountId: v.accountId, marketId: v.marketId, delta: v.delta }),
};

/** A member of a group, with its name as `type`. */
export type Typed<Group, Name extends keyof Group> = { readonly type: Name } & Of<Group[Name]>;

export type ModifyOrder = Typed<typeof trading, "ModifyOrder">;
export type PlaceOrder = Typed<typeof trading, "PlaceOrder">;
export type TradingTransaction = { [Name in keyof typeof trading]: Typed<typeof trading, Name> }[keyof typeof trading];

/** Terms of a plain order: no trigger, no exits; slippage, margin mode and leverage at the market's defaults. */
export const plainTerms = {
  triggerPrice: null,
  takeProfit: null,
  stopLoss: null,
  maxSlippageBps: null,
  marginMode: null,
  leverage: null,
} as const satisfies Partial<PlaceOrder>;
