// The devnet's oracle: publishes every market's index path as blocks open.

import type { MarketId } from "../../domain/units.ts";
import type { DuePrint, PrintSource } from "../chain/sources.ts";
import type { DevnetConfig } from "../config/config.ts";
import { type IndexPath, indexPathOf } from "./index-path.ts";

export type IndexPaths = ReadonlyMap<MarketId, IndexPath>;

export function indexPathsOf(config: Pick<DevnetConfig, "markets" | "seed">): IndexPaths {
  return new Map(config.markets.map(({ marketId, oracle }) => [marketId, indexPathOf(oracle, config.seed, marketId)]));
}

/** Prints of all markets, ordered by market number. If several fall due in one block, only the newest is published. */
export function createPrintSource(paths: IndexPaths, blockTimeMs: number): PrintSource {
  const markets = [...paths].sort(([a], [b]) => a - b);
  return {
    printsDue(height, logicalMs) {
      const due: DuePrint[] = [];
      for (const [marketId, path] of markets) {
        const newest = path.newestAt(logicalMs);
        if (height > 0 && newest === path.newestAt(logicalMs - blockTimeMs)) continue;
        const printed = path.printAt(newest);
        if (printed !== undefined) due.push({ marketId, price: printed, validForMs: path.validForMs });
      }
      return due;
    },
  };
}
