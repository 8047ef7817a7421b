// A market's oracle (S2.10): the current print and the history of prints.

import type { Oracle, OracleHistory } from "../../domain/market.ts";
import { price } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { count, integer, marketNumber, positive } from "../tolerant.ts";
import { readOracleStatus } from "./market.ts";

export function encodeOracle(oracle: Oracle): Json {
  return {
    marketId: oracle.marketId,
    price: String(oracle.price),
    lastUpdateTimestamp: oracle.lastUpdateTimestampMs,
    lastUpdateDate: oracle.lastUpdateDate,
    status: oracle.status,
    validUntil: oracle.validUntilSec,
  };
}

/** Throws WireError. */
export function decodeOracle(json: unknown): Oracle {
  const fields = objectOf(json, "");
  return {
    marketId: marketNumber(fields, "marketId"),
    price: price(positive(fields, "price")),
    lastUpdateTimestampMs: count(fields, "lastUpdateTimestamp"),
    lastUpdateDate: integer(fields, "lastUpdateDate"),
    status: readOracleStatus(fields, "status"),
    validUntilSec: count(fields, "validUntil"),
  };
}

export function encodeOracleHistory(history: OracleHistory): Json {
  return {
    marketId: history.marketId,
    prices: history.prices.map((point) => ({ time: point.timeSec, price: String(point.price) })),
  };
}
