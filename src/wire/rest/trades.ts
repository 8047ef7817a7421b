// Recent public trades of a market (S2.5): snake_case, and `side` is the taker's. The market is the one that was asked for.

import type { Trade } from "../../domain/fill.ts";
import { type MarketId, orderId, price, size } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { count, id, listOf, maybe, positive, text } from "../tolerant.ts";
import { readSide, sideToWire } from "../words.ts";

export function encodeTrades(trades: readonly Trade[]): Json {
  return trades.map((trade) => ({
    price: String(trade.price),
    size: String(trade.size),
    side: sideToWire(trade.takerSide),
    timestamp: trade.timestampMs,
    taker_order_id: trade.takerOrderId,
    maker_order_id: trade.makerOrderId,
    tx_hash: trade.txHash,
  }));
}

/** Throws WireError. */
export function decodeTrades(json: unknown, marketId: MarketId): readonly Trade[] {
  return listOf(json, (item) => {
    const fields = objectOf(item, "");
    return {
      marketId,
      price: price(positive(fields, "price")),
      size: size(positive(fields, "size")),
      takerSide: readSide(fields, ["side", "taker_side"]),
      takerOrderId: orderId(id(fields, ["taker_order_id", "takerOrderId"])),
      makerOrderId: orderId(id(fields, ["maker_order_id", "makerOrderId"])),
      txHash: text(fields, ["tx_hash", "txHash"]),
      timestampMs: maybe(fields, "timestamp", count),
    };
  });
}
