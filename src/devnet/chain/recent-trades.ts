// The last public trades of each market (S2.5), for the read that lists them.

import type { Trade } from "../../domain/fill.ts";
import type { MarketId } from "../../domain/units.ts";
import { createRing, type Ring } from "../../kernel/bounded.ts";
import { parsedText, textOf } from "../accounts/table.ts";
import type { ChainIndex } from "./chain-index.ts";

export type RecentTrades = ChainIndex & {
  /** Newest first. */
  readonly newest: (market: MarketId, count: number) => readonly Trade[];
};

/** Trades kept per market; the indexed history has older ones. */
const KEPT = 500;

export function createRecentTrades(): RecentTrades {
  const byMarket = new Map<MarketId, Ring<Trade>>();

  function push(trade: Trade): void {
    const ring = byMarket.get(trade.marketId) ?? createRing<Trade>(KEPT);
    byMarket.set(trade.marketId, ring);
    ring.push(trade);
  }

  return {
    name: "recentTrades",
    add({ events }) {
      for (const event of events) if (event.type === "Fill") push(event.execution);
    },
    newest(market, count) {
      const trades = byMarket.get(market)?.items() ?? [];
      return trades.slice(Math.max(0, trades.length - count)).reverse();
    },
    save: () => textOf([...byMarket.values()].map((ring) => ring.items())),
    load(text) {
      byMarket.clear();
      for (const trades of parsedText(text) as Trade[][]) for (const trade of trades) push(trade);
    },
  };
}
