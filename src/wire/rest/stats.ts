// Counts and volumes of the whole exchange (GET /v1/stats). The interface does not show the shape; the names are the devnet's.

import type { Usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";

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
