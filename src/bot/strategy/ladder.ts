// From a center and two distances to quotes that may rest: on the tick, post-only safe, inside the price band, never crossing ourselves.
// Strategies share this once they know where to quote.

import { bestAsk, bestBid } from "../../domain/book.ts";
import type { Market } from "../../domain/market.ts";
import { othersBook } from "../../domain/others-book.ts";
import { noQuotes, type Quote, type Quotes } from "../../domain/quotes.ts";
import { divideCeil, divideFloor, priceFromUsd } from "../../domain/rounding.ts";
import { BPS, type Price, price, type Side, type Size, size } from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";

/** One wanted quote: its price before rounding, USD, and its contracts. */
export type Level = { readonly usd: number; readonly size: Size };

export type Levels = {
  readonly fairValueUsd: number;
  /** From the touch outward. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** Position that all fills of a side together may reach, contracts; null: only the guard's limit applies. */
  readonly maxInventory: Size | null;
};

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
  readonly maxInventory: Size | null;
};

/** Current bounds of a market's prices: the others' touch, and the exchange's band around the oracle price (S2.2). */
type Edges = {
  readonly tickSize: Price;
  readonly bestBid: Price | null;
  readonly bestAsk: Price | null;
  readonly low: Price | null;
  readonly high: Price | null;
};

/** Returns equally spaced levels of one size; otherwise as `levelQuotes`, with the same errors. */
export function ladderQuotes(view: View, ladder: Ladder): Quotes {
  const { fairValueUsd, bidDepthUsd, askDepthUsd, stepUsd, levels, size, maxInventory } = ladder;
  const sideLevels = (depthUsd: number, sign: 1 | -1): readonly Level[] => {
    const side: Level[] = [];
    for (let level = 0; level < levels; level += 1)
      side.push({ usd: fairValueUsd + sign * (depthUsd + level * stepUsd), size });
    return side;
  };
  return levelQuotes(view, {
    fairValueUsd,
    bids: sideLevels(bidDepthUsd, -1),
    asks: sideLevels(askDepthUsd, 1),
    maxInventory,
  });
}

/**
 * Returns quotes of both sides. Bids round down, asks up. A quote that would reach the others' touch steps back to a tick behind it; one
 * outside the band is dropped, never moved inward past fair value; each level is at least a tick behind the one before. Throws RangeError
 * where the fair value or a price is not finite, TypeError where a size is no bigint: faults of the strategy, not of the market.
 */
export function levelQuotes(view: View, levels: Levels): Quotes {
  const market = lastKnown(view.market);
  if (market === undefined) return noQuotes("the market is unknown");
  refuseBroken(levels);
  if (levels.fairValueUsd <= 0) return noQuotes("the fair value is not above zero");
  const edges = edgesOf(view, market);
  const inventory = lastKnown(view.position)?.inventory ?? size(0n);
  const headroom = (side: Side) => headroomOf(levels, side, inventory);
  const bids = sideQuotes(levels.bids, "buy", edges, headroom("buy"));
  const asks = sideQuotes(levels.asks, "sell", edges, headroom("sell"));
  const [bid] = bids;
  const [ask] = asks;
  if (bid !== undefined && ask !== undefined && bid.price >= ask.price) return noQuotes("bid and ask would cross");
  const short = [
    ...(bids.length < wantedOf(levels.bids) ? ["bids"] : []),
    ...(asks.length < wantedOf(levels.asks) ? ["asks"] : []),
  ];
  return {
    quotes: [...bids, ...asks],
    fairValueUsd: levels.fairValueUsd,
    reason: short.length === 0 ? null : `${short.join(" and ")} withheld: maxInventory or the price band is reached`,
  };
}

/** Skips levels without size. */
const wantedOf = (levels: readonly Level[]): number => levels.reduce((sum, { size }) => sum + (size > 0n ? 1 : 0), 0);

/** Types do not reach a strategy's file, so any of these may be NaN. */
function refuseBroken({ fairValueUsd, bids, asks }: Levels): void {
  if (!Number.isFinite(fairValueUsd)) throw new RangeError(`the fair value is ${fairValueUsd}`);
  refuseBrokenOn("bid", bids);
  refuseBrokenOn("ask", asks);
}

function refuseBrokenOn(side: "bid" | "ask", levels: readonly Level[]): void {
  const at = levels.findIndex(({ usd, size }) => !Number.isFinite(usd) || typeof size !== "bigint");
  const broken = levels[at];
  if (broken === undefined) return;
  const where = at === 0 ? "" : ` at level ${at}`;
  if (!Number.isFinite(broken.usd)) throw new RangeError(`the ${side} price is ${broken.usd}${where}`);
  throw new TypeError(`the ${side} size is ${broken.size}${where}, which is no bigint`);
}

function edgesOf(view: View, market: Market): Edges {
  const known = lastKnown(view.book);
  const book = known === undefined ? undefined : othersBook(known, view);
  const oracle = lastKnown(view.oracle)?.price;
  const band = market.priceBandBps === null ? null : BigInt(market.priceBandBps);
  return {
    tickSize: market.tickSize,
    bestBid: (book && bestBid(book)?.price) ?? null,
    bestAsk: (book && bestAsk(book)?.price) ?? null,
    low: oracle === undefined || band === null ? null : price(divideCeil(oracle * (BPS - band), BPS)),
    high: oracle === undefined || band === null ? null : price(divideFloor(oracle * (BPS + band), BPS)),
  };
}

function sideQuotes(levels: readonly Level[], side: Side, edges: Edges, mostContracts: bigint): readonly Quote[] {
  const quotes: Quote[] = [];
  let headroom = mostContracts;
  let previous: Price | null = null;
  for (const [level, { usd, size: wanted }] of levels.entries()) {
    if (headroom <= 0n) break;
    if (usd <= 0) continue;
    const at = behind(priceFromUsd(usd, edges.tickSize, side), previous, side, edges);
    previous = at;
    if (at <= 0n || isOutside(at, edges) || wanted <= 0n) continue;
    const amount = wanted < headroom ? wanted : size(headroom);
    quotes.push({ side, level, price: at, size: amount, reduceOnly: false, intent: "rest" });
    headroom -= amount;
  }
  return quotes;
}

/** Returns contracts that the side may quote before its fills could pass the inventory's cap. */
function headroomOf({ bids, asks, maxInventory }: Levels, side: Side, inventory: Size): bigint {
  if (maxInventory === null) return (side === "buy" ? bids : asks).reduce((sum, level) => sum + level.size, 0n);
  return side === "buy" ? maxInventory - inventory : maxInventory + inventory;
}

/** Returns the wanted price, or a tick behind the others' touch and our previous level where it would reach them. */
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
