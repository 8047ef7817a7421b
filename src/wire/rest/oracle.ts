// A market's oracle (S2.10): the current print and the history of prints.

import type { Oracle, OracleHistory } from "../../domain/market.ts";
import { price } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { WireError } from "../errors.ts";
import { objectOf } from "../strict.ts";
import { count, integer, list, marketNumber, positive } from "../tolerant.ts";
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

/** More than a year of days. */
const POINTS_MAX = 400;

/** The newest points, at most `POINTS_MAX`. Throws WireError, also where times do not rise: then it is no history. */
export function decodeOracleHistory(json: unknown): OracleHistory {
  const fields = objectOf(json, "");
  const prices = list(fields, "prices", (item) => {
    const point = objectOf(item, "");
    return { timeSec: count(point, "time"), price: price(positive(point, "price")) };
  });
  for (const [index, { timeSec }] of prices.entries()) {
    if (timeSec <= (prices[index - 1]?.timeSec ?? -1))
      throw new WireError("field_range", `prices[${index}].time`, "must be later than the one before");
  }
  return { marketId: marketNumber(fields, "marketId"), prices: prices.slice(-POINTS_MAX) };
}

export function encodeOracleHistory(history: OracleHistory): Json {
  return {
    marketId: history.marketId,
    prices: history.prices.map((point) => ({ time: point.timeSec, price: String(point.price) })),
  };
}
