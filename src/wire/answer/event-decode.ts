// Reads the events of a transaction's answer (S6.1). Types come in PascalCase here and in camelCase on the WebSocket: both are
// understood. What is not understood is kept by name, never an error: the transaction has executed whatever we make of its events.

import type { TransactionEvent } from "../../domain/event.ts";
import { accountId, orderId, price, size } from "../../domain/units.ts";
import { WireError } from "../errors.ts";
import { readExecution } from "../execution.ts";
import type { Fields } from "../strict.ts";
import { found, id, marketNumber, natural, text } from "../tolerant.ts";
import { readSide } from "../words.ts";

const ORDER = ["order_id", "orderId"];
const ACCOUNT = ["account_id", "accountId"];
const MARKET = ["market_id", "marketId"];
const REMAINING = ["remaining_size", "remainingSize"];

/** One element of `events`; `txHash` is the answer's, for fills that do not repeat it. Never throws. */
export function decodeEvent(item: unknown, txHash: string): TransactionEvent {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return { type: "other", name: typeof item };
  const fields = item as Fields;
  const name = found(fields, "type");
  if (typeof name !== "string") return { type: "other", name: "untyped" };
  try {
    return readEvent(name, fields, txHash);
  } catch (thrown) {
    if (thrown instanceof WireError) return { type: "other", name };
    throw thrown;
  }
}

function readEvent(name: string, fields: Fields, txHash: string): TransactionEvent {
  switch (name.toLowerCase()) {
    case "fill":
      return { type: "fill", execution: readExecution(fields, txHash) };
    case "orderplaced":
      return {
        type: "orderPlaced",
        ...readRef(fields),
        side: readSide(fields, "side"),
        price: price(natural(fields, "price")),
        size: size(natural(fields, "size")),
      };
    case "ordercanceled":
    case "ordercancelled":
      return { type: "orderCanceled", ...readRef(fields), reason: text(fields, "reason") };
    case "ordermodified":
      return {
        type: "orderModified",
        ...readRef(fields),
        price: price(natural(fields, "price")),
        size: size(natural(fields, "size")),
        remainingSize: size(natural(fields, REMAINING)),
      };
    default:
      return { type: "other", name };
  }
}

const readRef = (fields: Fields) => ({
  orderId: orderId(id(fields, ORDER)),
  accountId: accountId(id(fields, ACCOUNT)),
  marketId: marketNumber(fields, MARKET),
});
