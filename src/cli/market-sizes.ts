// Reads a market to judge what order size it carries.

import type { SizeFacts } from "../bot/risk/size-advice.ts";
import { type Nowcast, noNowcast, observePrint } from "../bot/strategy/nowcast.ts";
import { tailMoveBps } from "../bot/strategy/tail-move.ts";
import type { VenueReads } from "../bot/venue/port.ts";
import type { Market } from "../domain/market.ts";
import { usdOf } from "../domain/rounding.ts";
import type { MarketId } from "../domain/units.ts";

export type MarketSizes = {
  readonly market: Market;
  /** Made from past prints. */
  readonly nowcast: Nowcast;
  readonly sizes: Omit<SizeFacts, "equity" | "own">;
};

type Reads = Pick<VenueReads, "market" | "oracleHistory" | "book" | "trades">;

/** Rejects with ReadError. */
export async function readMarketSizes(marketId: MarketId, reads: Reads): Promise<MarketSizes> {
  const [market, history, book, trades] = await Promise.all([
    reads.market(marketId),
    reads.oracleHistory(marketId),
    reads.book(marketId),
    reads.trades(marketId),
  ]);
  const nowcast = history.prices.reduce<Nowcast>(
    (state, { price, timeSec }) => observePrint(state, usdOf(price), timeSec),
    noNowcast,
  );
  const sizes = { book, trades, price: market.oraclePrice, tailMoveBps: tailMoveBps(nowcast) };
  return { market, nowcast, sizes };
}
