// Prices of a book at which a whole order could trade: only levels of a minimum size count, and a side's price is the mean price of a whole
// order. A tiny order costs nothing to place, so it must not move the price that others derive.

import { type Book, isCrossed, type Level } from "./book.ts";
import { usdOf } from "./rounding.ts";
import { plainBook } from "./shown-view.ts";
import { type Price, price, type Size } from "./units.ts";

/** A level with less than this share (one part in ten) of `depth` does not count. */
const COUNTS_FROM = 10n;

/** The mean price of the first `depth` contracts of a side, and the total contracts of the levels used. */
type SidePrice = { readonly price: Price; readonly contracts: Size };

/** Mean price for trading `contracts` (above zero) against these levels; undefined if they hold less. */
export const closingPrice = (levels: readonly Level[], contracts: Size): Price | undefined =>
  tradePrice(levels, contracts, 0n)?.price;

/** `depth`: contracts, above zero, the size of one of our orders. Undefined if the counting levels hold less. */
const sidePrice = (levels: readonly Level[], depth: Size): SidePrice | undefined => tradePrice(levels, depth, depth);

/** Levels of less than a tenth of `countsFrom` are passed over. */
function tradePrice(levels: readonly Level[], depth: Size, countsFrom: bigint): SidePrice | undefined {
  let value = 0n;
  let seen = 0n;
  for (const { price: at, size } of levels) {
    if (size * COUNTS_FROM < countsFrom) continue;
    const left = depth - seen;
    value += at * (size < left ? size : left);
    seen += size;
    if (seen >= depth) return { price: price(value / depth), contracts: seen as Size };
  }
  return undefined;
}

/** Mean of both sides' prices for `depth` contracts, rounded down; undefined if a side lacks that depth or the book is crossed. */
export function depthMid(book: Book, depth: Size): Price | undefined {
  const touch = depthTouch(book, depth);
  return touch && price((touch.bid + touch.ask) / 2n);
}

/** The prices of both sides for `depth` contracts. */
export function depthTouch(of: Book, depth: Size): { readonly bid: Price; readonly ask: Price } | undefined {
  const book = plainBook(of);
  if (isCrossed(book)) return undefined;
  const bid = sidePrice(book.bids, depth);
  const ask = sidePrice(book.asks, depth);
  return bid && ask && { bid: bid.price, ask: ask.price };
}

/**
 * Weighted mid in USD (Stoikov 2018, first order) over the same prices: (ask x bidContracts + bid x askContracts) / (bidContracts +
 * askContracts). Undefined where `depthMid` is.
 */
export function depthMicroprice(of: Book, depth: Size): number | undefined {
  const book = plainBook(of);
  if (isCrossed(book)) return undefined;
  const bid = sidePrice(book.bids, depth);
  const ask = sidePrice(book.asks, depth);
  if (!bid || !ask) return undefined;
  const [bidContracts, askContracts] = [Number(bid.contracts), Number(ask.contracts)];
  return (usdOf(ask.price) * bidContracts + usdOf(bid.price) * askContracts) / (bidContracts + askContracts);
}

/** From this many different order sizes on, a side is not assumed to come from one counterparty. */
const SIZES_FOR_TRUST = 3;
/** In quarters: weight of the book against the oracle price, by the number of different order sizes on its poorer side: none, one, two. */
const WEIGHTS = [0, 0.25, 0.5] as const;

/**
 * Weight of the book's price against the oracle price, 0 to 1: a side with only one or two order sizes may be one counterparty's, who can
 * move it for free. Levels count as in `depthMid`; a level with several orders counts with their mean size.
 */
export function bookWeight(of: Book, depth: Size): number {
  const { bids, asks } = plainBook(of);
  const sizes = Math.min(sizesOn(bids, depth), sizesOn(asks, depth));
  return WEIGHTS[sizes] ?? 1;
}

function sizesOn(levels: readonly Level[], depth: Size): number {
  const seen: bigint[] = [];
  for (const { size, orderCount } of levels) {
    if (size * COUNTS_FROM < depth) continue;
    const mean = orderCount > 1 ? size / BigInt(orderCount) : size;
    if (seen.includes(mean)) continue;
    seen.push(mean);
    if (seen.length === SIZES_FOR_TRUST) break;
  }
  return seen.length;
}

/** The mid of a book without our orders, weighted against the oracle price, rounded down; the oracle price if there is no `depthMid`. */
export function weighedMid(book: Book, depth: Size, oraclePrice: Price): Price {
  const middle = depthMid(book, depth);
  if (middle === undefined) return oraclePrice;
  const quarters = BigInt(4 * bookWeight(book, depth));
  return price(oraclePrice + ((middle - oraclePrice) * quarters) / 4n);
}
