// An open order. The interface does not show its fields (S2.6): these are the devnet's, and the reader knows the likely others.

import type { Unreadable } from "../../domain/account.ts";
import { type AttachedExit, type Order, type OrderType, orderTypes, timesInForce } from "../../domain/order.ts";
import { type AccountId, accountId, orderId, type Price, price, type Size, size } from "../../domain/units.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { WireError } from "../errors.ts";
import { type Fields, objectOf } from "../strict.ts";
import {
  bool,
  id,
  marketNumber,
  maybe,
  type Names,
  natural,
  object,
  oneOf,
  orElse,
  text,
  timeMs,
} from "../tolerant.ts";
import { readSide, sideToWire } from "../words.ts";

export function encodeOrder(order: Order): JsonObject {
  return {
    orderId: order.orderId,
    accountId: order.accountId,
    marketId: order.marketId,
    side: sideToWire(order.side),
    orderType: order.orderType,
    price: String(order.price),
    size: String(order.size),
    filledSize: String(order.filledSize),
    remainingSize: String(order.remainingSize),
    triggerPrice: order.triggerPrice === null ? null : String(order.triggerPrice),
    reduceOnly: order.reduceOnly,
    postOnly: order.postOnly,
    timeInForce: order.timeInForce,
    status: order.status,
    takeProfit: encodeExit(order.takeProfit),
    stopLoss: encodeExit(order.stopLoss),
    createdAt: order.createdAtMs,
    updatedAt: order.updatedAtMs,
  };
}

const encodeExit = (exit: AttachedExit | null): Json =>
  exit === null ? null : { triggerPrice: String(exit.triggerPrice), orderType: "StopMarket", limitPrice: null };

/**
 * Id, market, side and size must be there, and a price where the order has one; its type and time in force must be words of the
 * interface where they are named. Where the record is silent otherwise, or odd, the reading is the one that assumes the most exposure:
 * nothing filled, free to increase. `account` stands in where the record does not name its account. Throws WireError.
 */
export function readOrder(item: unknown, account: AccountId): Order {
  const fields = objectOf(item, "");
  const createdAtMs = orElse(fields, ["createdAt", "created_at", "timestamp"], timeMs, 0);
  const orderType =
    maybe(fields, ["orderType", "order_type"], (of, names) => oneOf(of, names, orderTypes)) ?? ("Limit" as const);
  return {
    orderId: orderId(id(fields, ID)),
    accountId: accountId(orElse(fields, ["accountId", "account_id"], id, account)),
    marketId: marketNumber(fields, MARKET),
    side: readSide(fields, "side"),
    orderType,
    price: priced.has(orderType) ? readPrice(fields, PRICE) : orElse(fields, PRICE, readPrice, price(0n)),
    ...readSizes(fields),
    triggerPrice: maybe(fields, ["triggerPrice", "trigger_price"], readPrice),
    reduceOnly: orElse(fields, ["reduceOnly", "reduce_only"], bool, false),
    postOnly: orElse(fields, ["postOnly", "post_only"], bool, false),
    timeInForce:
      maybe(fields, ["timeInForce", "time_in_force"], (of, names) => oneOf(of, names, timesInForce)) ?? "GTC",
    status: orElse(fields, ["status", "state"], text, "Open"),
    takeProfit: orElse(fields, ["takeProfit", "take_profit"], readExit, null),
    stopLoss: orElse(fields, ["stopLoss", "stop_loss"], readExit, null),
    createdAtMs,
    updatedAtMs: orElse(fields, ["updatedAt", "updated_at"], timeMs, createdAtMs),
  };
}

const ID = ["orderId", "order_id", "id"];
const MARKET = ["marketId", "market_id"];
const PRICE = ["price", "limitPrice", "limit_price"];

/** Types of orders that have a price of their own; the others are sent with 0 (S4.6). */
const priced: ReadonlySet<OrderType> = new Set(["Limit", "StopLimit"]);

/** What can be read of an order that `readOrder` does not understand, which it says in `why`. */
export function readUnreadableOrder(item: unknown, why: string): Unreadable {
  const fields = typeof item === "object" && item !== null && !Array.isArray(item) ? (item as Fields) : {};
  const order = orElse(fields, ID, id, null);
  return {
    what: "order",
    orderId: order === null ? null : orderId(order),
    marketId: orElse(fields, MARKET, marketNumber, null),
    side: orElse(fields, "side", readSide, null),
    why,
  };
}

type Sizes = { readonly size: Size; readonly filledSize: Size; readonly remainingSize: Size };

/** Any two of whole, filled and remaining give the third; one alone is taken as whole and unfilled. */
function readSizes(fields: Fields): Sizes {
  const whole = maybe(fields, ["size", "originalSize", "original_size"], natural);
  const filled = maybe(fields, ["filledSize", "filled_size"], natural);
  const remaining = maybe(fields, ["remainingSize", "remaining_size"], natural);
  const left = remaining ?? (whole === null ? null : whole - (filled ?? 0n));
  if (left === null) throw new WireError("field_missing", "size", "is required");
  if (left < 0n) throw new WireError("field_conflict", "filledSize", "must not be above size");
  const total = whole ?? left + (filled ?? 0n);
  if (left > total) throw new WireError("field_conflict", "remainingSize", "must not be above size");
  return { size: size(total), filledSize: size(filled ?? total - left), remainingSize: size(left) };
}

function readExit(fields: Fields, names: Names): AttachedExit {
  return { triggerPrice: readPrice(object(fields, names), ["triggerPrice", "trigger_price"]) };
}

const readPrice = (fields: Fields, names: Names): Price => price(natural(fields, names));
