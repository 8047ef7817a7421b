// From a center and two distances to quotes that may rest: on the tick, post-only safe, inside the price band, never crossing
// ourselves. What strategies have in common once they know where they want to stand.

import { bestAsk, bestBid } from "../../domain/book.ts";
import type { Market } from "../../domain/market.ts";
import { othersBook } from "../../domain/others-book.ts";
import { noQuotes, type Quote, type Quotes } from "../../domain/quotes.ts";
import { divideCeil, divideFloor, priceFromUsd } from "../../domain/rounding.ts";
import { BPS, type Price, price, type Side, type Size, size } from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";

export type Ladder = {
  readonly fairValueUsd: number;
  /** Distance of level 0 from fair value in USD, per side; may be negative (a skew that reaches beyond fair value). */
  readonly bidDepthUsd: number;
  readonly askDepthUsd: number;
  /** Distance between levels in USD. */
  readonly stepUsd: number;
  readonly levels: number;
  /** Contracts of each level. */
  readonly size: Size;
  /** Position that all fills of a side together may reach, contracts; null: the guard's limit alone. */
  readonly maxInventory: Size | null;
};

/** What bounds the prices of a market now: the others' touch, and the exchange's band around the oracle price (S2.2). */
type Edges = {
  readonly tickSize: Price;
  readonly bestBid: Price | null;
  readonly bestAsk: Price | null;
  readonly low: Price | null;
  readonly high: Price | null;
};

/**
 * Quotes of both sides. Bids round down, asks up. A quote that would reach the others' touch steps back to a tick behind it; one
 * outside the band is dropped, never moved inward past fair value; each level stands at least a tick behind the one before.
 */
export function ladderQuotes(view: View, ladder: Ladder): Quotes {
  const market = lastKnown(view.market);
  if (market === undefined) return noQuotes("the market is unknown");
  if (!Number.isFinite(ladder.fairValueUsd) || ladder.fairValueUsd <= 0) return noQuotes("the fair value is unknown");
  const edges = edgesOf(view, market);
  const inventory = lastKnown(view.position)?.inventory ?? size(0n);
  const bids = sideQuotes(ladder, "buy", edges, inventory);
  const asks = sideQuotes(ladder, "sell", edges, inventory);
  const [bid] = bids;
  const [ask] = asks;
  if (bid !== undefined && ask !== undefined && bid.price >= ask.price) return noQuotes("bid and ask would cross");
  const short = [...(bids.length < ladder.levels ? ["bids"] : []), ...(asks.length < ladder.levels ? ["asks"] : [])];
  return {
    quotes: [...bids, ...asks],
    fairValueUsd: ladder.fairValueUsd,
    reason: short.length === 0 ? null : `${short.join(" and ")} withheld: maxInventory or the price band is reached`,
  };
}

function edgesOf(view: View, market: Market): Edges {
  const known = lastKnown(view.book);
  const book = known === undefined ? undefined : othersBook(known, view);
  const oracle = lastKnown(view.oracle)?.price;
  const band = BigInt(market.priceBandBps);
  return {
    tickSize: market.tickSize,
    bestBid: (book && bestBid(book)?.price) ?? null,
    bestAsk: (book && bestAsk(book)?.price) ?? null,
    low: oracle === undefined ? null : price(divideCeil(oracle * (BPS - band), BPS)),
    high: oracle === undefined ? null : price(divideFloor(oracle * (BPS + band), BPS)),
  };
}

function sideQuotes(ladder: Ladder, side: Side, edges: Edges, inventory: Size): readonly Quote[] {
  const depthUsd = side === "buy" ? ladder.bidDepthUsd : ladder.askDepthUsd;
  const sign = side === "buy" ? -1 : 1;
  const quotes: Quote[] = [];
  let room = roomOf(ladder, side, inventory);
  let previous: Price | null = null;
  for (let level = 0; level < ladder.levels && room > 0n; level += 1) {
    const wantedUsd = ladder.fairValueUsd + sign * (depthUsd + level * ladder.stepUsd);
    if (!Number.isFinite(wantedUsd) || wantedUsd <= 0) continue;
    const at = behind(priceFromUsd(wantedUsd, edges.tickSize, side), previous, side, edges);
    previous = at;
    if (at <= 0n || isOutside(at, edges)) continue;
    const amount = ladder.size < room ? ladder.size : size(room);
    quotes.push({ side, level, price: at, size: amount, reduceOnly: false, intent: "rest" });
    room -= amount;
  }
  return quotes;
}

/** Contracts that the side may quote before its fills could pass the inventory's cap. */
function roomOf(ladder: Ladder, side: Side, inventory: Size): bigint {
  if (ladder.maxInventory === null) return ladder.size * BigInt(ladder.levels);
  return side === "buy" ? ladder.maxInventory - inventory : ladder.maxInventory + inventory;
}

/** The wanted price, or a tick behind the others' touch and behind our previous level where it would reach them. */
function behind(wanted: Price, previous: Price | null, side: Side, edges: Edges): Price {
  const { tickSize, bestBid: bid, bestAsk: ask } = edges;
  let at = wanted;
  if (side === "buy") {
    if (ask !== null && at > ask - tickSize) at = price(ask - tickSize);
    if (previous !== null && at > previous - tickSize) at = price(previous - tickSize);
  } else {
    if (bid !== null && at < bid + tickSize) at = price(bid + tickSize);
    if (previous !== null && at < previous + tickSize) at = price(previous + tickSize);
  }
  return at;
}

const isOutside = (at: Price, { low, high }: Edges): boolean =>
  (low !== null && at < low) || (high !== null && at > high);
