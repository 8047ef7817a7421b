// Counts and volumes of the whole exchange (GET /v1/stats). The shape is not shown: the names are the devnet's, and a reader of
// another exchange takes what it finds under them.

import { type Usdc, usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { integer, maybe, natural } from "../tolerant.ts";

export type ExchangeStats = {
  readonly totalTrades: bigint;
  /** Each trade counted once. */
  readonly totalVolume: Usdc;
  readonly totalOrders: bigint;
  readonly totalLiquidations: bigint;
  readonly markets: number;
  /** The last block that is counted in. */
  readonly blockHeight: number;
};

export function encodeStats(stats: ExchangeStats): Json {
  return {
    totalTrades: String(stats.totalTrades),
    totalVolume: String(stats.totalVolume),
    totalOrders: String(stats.totalOrders),
    totalLiquidations: String(stats.totalLiquidations),
    markets: stats.markets,
    blockHeight: stats.blockHeight,
  };
}

/** What is not told is null. Throws WireError where a known name holds no number. */
export function decodeStats(json: unknown): { readonly [K in keyof ExchangeStats]: ExchangeStats[K] | null } {
  const fields = objectOf(json, "");
  return {
    totalTrades: maybe(fields, "totalTrades", natural),
    totalVolume: maybe(fields, "totalVolume", (of, names) => usdc(natural(of, names))),
    totalOrders: maybe(fields, "totalOrders", natural),
    totalLiquidations: maybe(fields, "totalLiquidations", natural),
    markets: maybe(fields, "markets", integer),
    blockHeight: maybe(fields, "blockHeight", integer),
  };
}
