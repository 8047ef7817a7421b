// An open order. The interface does not show its fields (S2.6): these are the devnet's, and the reader knows the likely others.

import { type AttachedExit, type Order, orderTypes, timesInForce } from "../../domain/order.ts";
import { type AccountId, accountId, orderId, type Price, price, type Size, size } from "../../domain/units.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { WireError } from "../errors.ts";
import { type Fields, objectOf } from "../strict.ts";
import { bool, id, marketNumber, maybe, type Names, natural, object, oneOf, text, timeMs } from "../tolerant.ts";
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
 * Id, market, side and price must be there. Where the record is silent, the reading is the one that assumes the most exposure: nothing
 * filled, free to increase. `account` stands in where the record does not name its account. Throws WireError.
 */
export function readOrder(item: unknown, account: AccountId): Order {
  const fields = objectOf(item, "");
  const createdAtMs = maybe(fields, ["createdAt", "created_at", "timestamp"], timeMs) ?? 0;
  return {
    orderId: orderId(id(fields, ["orderId", "order_id", "id"])),
    accountId: accountId(maybe(fields, ["accountId", "account_id"], id) ?? account),
    marketId: marketNumber(fields, ["marketId", "market_id"]),
    side: readSide(fields, "side"),
    orderType: maybe(fields, ["orderType", "order_type"], (of, names) => oneOf(of, names, orderTypes)) ?? "Limit",
    price: readPrice(fields, ["price", "limitPrice", "limit_price"]),
    ...readSizes(fields),
    triggerPrice: maybe(fields, ["triggerPrice", "trigger_price"], readPrice),
    reduceOnly: maybe(fields, ["reduceOnly", "reduce_only"], bool) ?? false,
    postOnly: maybe(fields, ["postOnly", "post_only"], bool) ?? false,
    timeInForce:
      maybe(fields, ["timeInForce", "time_in_force"], (of, names) => oneOf(of, names, timesInForce)) ?? "GTC",
    status: maybe(fields, ["status", "state"], text) ?? "Open",
    takeProfit: readExit(fields, ["takeProfit", "take_profit"]),
    stopLoss: readExit(fields, ["stopLoss", "stop_loss"]),
    createdAtMs,
    updatedAtMs: maybe(fields, ["updatedAt", "updated_at"], timeMs) ?? createdAtMs,
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

function readExit(fields: Fields, names: Names): AttachedExit | null {
  const exit = maybe(fields, names, object);
  return exit === null ? null : { triggerPrice: readPrice(exit, ["triggerPrice", "trigger_price"]) };
}

const readPrice = (fields: Fields, names: Names): Price => price(natural(fields, names));
