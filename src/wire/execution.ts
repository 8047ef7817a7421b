// One execution as answers and frames describe it: the same facts under snake_case names, with more or fewer of them.

import type { Execution, Trade } from "../domain/fill.ts";
import { accountId, orderId, price, size, type Usdc, usdc } from "../domain/units.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Fields } from "./strict.ts";
import { count, id, marketNumber, maybe, type Names, positive, text, whole } from "./tolerant.ts";
import { readSide, sideToWire } from "./words.ts";

/** The public part. Throws WireError. */
export function readTrade(fields: Fields): Trade {
  return {
    marketId: marketNumber(fields, ["market_id", "marketId"]),
    price: price(positive(fields, "price")),
    size: size(positive(fields, "size")),
    takerSide: readSide(fields, ["taker_side", "takerSide"]),
    takerOrderId: orderId(id(fields, ["taker_order_id", "takerOrderId"])),
    makerOrderId: orderId(id(fields, ["maker_order_id", "makerOrderId"])),
    txHash: text(fields, ["tx_hash", "txHash"]),
    timestampMs: maybe(fields, "timestamp", count),
  };
}

/**
 * The whole record with both sides. `txHash` is the hash of the transaction whose answer this is, for answers that leave it out.
 * Throws WireError.
 */
export function readExecution(fields: Fields, txHash?: string): Execution {
  const named = txHash === undefined ? fields : { tx_hash: txHash, ...fields };
  return {
    ...readTrade(named),
    takerAccountId: accountId(id(fields, ["taker_account_id", "takerAccountId"])),
    makerAccountId: accountId(id(fields, ["maker_account_id", "makerAccountId"])),
    takerFee: readUsdc(fields, ["taker_fee", "takerFee"]),
    makerFee: readUsdc(fields, ["maker_fee", "makerFee"]),
    takerRealizedPnl: readUsdc(fields, ["taker_realized_pnl", "takerRealizedPnl"]),
    makerRealizedPnl: readUsdc(fields, ["maker_realized_pnl", "makerRealizedPnl"]),
  };
}

const readUsdc = (fields: Fields, names: Names): Usdc => usdc(whole(fields, names));

/** The fields of a WebSocket fill (S6.2); the time is left out where it is not known. */
export function executionFields(execution: Execution): JsonObject {
  return {
    market_id: execution.marketId,
    price: String(execution.price),
    size: String(execution.size),
    taker_order_id: execution.takerOrderId,
    maker_order_id: execution.makerOrderId,
    taker_account_id: execution.takerAccountId,
    maker_account_id: execution.makerAccountId,
    taker_side: sideToWire(execution.takerSide),
    taker_fee: String(execution.takerFee),
    maker_fee: String(execution.makerFee),
    taker_realized_pnl: String(execution.takerRealizedPnl),
    maker_realized_pnl: String(execution.makerRealizedPnl),
    tx_hash: execution.txHash,
    ...(execution.timestampMs === null ? {} : { timestamp: execution.timestampMs }),
  };
}
