// Prices of a book that somebody could trade at: a level counts from a minimum size on, and what a side says is the mean price of a
// whole order. An order of a thousandth of a contract costs nothing, so it must not move what others believe the price to be.

import { type Book, isCrossed, type Level } from "./book.ts";
import { usdOf } from "./rounding.ts";
import { plainBook } from "./shown-view.ts";
import { type Price, price, type Size } from "./units.ts";

/** A level with less than this share (one part in ten) of `depth` does not count. */
const COUNTS_FROM = 10n;

/** The mean price of the first `depth` contracts of a side, and the contracts of the levels that it took. */
type SidePrice = { readonly price: Price; readonly contracts: Size };

/** The mean price at which `contracts`, above zero, could be traded against these levels; undefined: they hold less. */
export const closingPrice = (levels: readonly Level[], contracts: Size): Price | undefined =>
  tradePrice(levels, contracts)?.price;

/** `depth` is in contracts, above zero: the size of an order of ours. Undefined: the counting levels hold less than that. */
const sidePrice = (levels: readonly Level[], depth: Size): SidePrice | undefined =>
  tradePrice(
    levels.filter(({ size }) => size * COUNTS_FROM >= depth),
    depth,
  );

function tradePrice(levels: readonly Level[], depth: Size): SidePrice | undefined {
  let value = 0n;
  let seen = 0n;
  for (const { price: at, size } of levels) {
    const left = depth - seen;
    value += at * (size < left ? size : left);
    seen += size;
    if (seen >= depth) return { price: price(value / depth), contracts: seen as Size };
  }
  return undefined;
}

/** Mean of both sides' prices for `depth` contracts, floored; undefined while a side lacks that depth, or where the book is crossed. */
export function depthMid(book: Book, depth: Size): Price | undefined {
  const touch = depthTouch(book, depth);
  return touch && price((touch.bid + touch.ask) / 2n);
}

/** Both of these prices. */
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

/** Sizes of orders on a side from which on nobody is taken to have made all of it. */
const SIZES_FOR_TRUST = 3;
/** In quarters: what a book weighs beside the oracle price by the different sizes of the orders on its poorer side: none, one, two. */
const WEIGHTS = [0, 0.25, 0.5] as const;

/**
 * How much what a book says of the price weighs beside the oracle price, 0 to 1: a side whose orders all have one or two sizes may be one
 * counterparty's, who can move it at no cost. Levels count as in `depthMid`; of a level with several orders their mean size counts.
 */
export function bookWeight(of: Book, depth: Size): number {
  const { bids, asks } = plainBook(of);
  const sizes = Math.min(sizesOn(bids, depth), sizesOn(asks, depth));
  return WEIGHTS[sizes] ?? 1;
}

function sizesOn(levels: readonly Level[], depth: Size): number {
  const seen = new Set<bigint>();
  for (const { size, orderCount } of levels) {
    if (size * COUNTS_FROM < depth) continue;
    seen.add(size / BigInt(Math.max(1, orderCount)));
    if (seen.size === SIZES_FOR_TRUST) break;
  }
  return seen.size;
}

/** The mid of a book without our orders, as much as it weighs beside the oracle price, floored; the oracle price where `depthMid` has none. */
export function weighedMid(book: Book, depth: Size, oraclePrice: Price): Price {
  const middle = depthMid(book, depth);
  if (middle === undefined) return oraclePrice;
  const quarters = BigInt(4 * bookWeight(book, depth));
  return price(oraclePrice + ((middle - oraclePrice) * quarters) / 4n);
}
