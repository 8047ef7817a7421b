// The order book as the exchange shows it (S2.3): full snapshots, best level first; with functions that read it.

import { type MarketId, type Price, price, type Size } from "./units.ts";

export type Level = { readonly price: Price; readonly size: Size; readonly orderCount: number };

export type Book = {
  readonly marketId: MarketId;
  /** Highest price first. */
  readonly bids: readonly Level[];
  /** Lowest price first. */
  readonly asks: readonly Level[];
};

/** Freezes the book's levels and returns it. */
export function settledBook(book: Book): Book {
  if (Object.isFrozen(book)) return book;
  for (const level of book.bids) Object.freeze(level);
  for (const level of book.asks) Object.freeze(level);
  return Object.freeze(book);
}

export const bestBid = (book: Book): Level | undefined => book.bids[0];
export const bestAsk = (book: Book): Level | undefined => book.asks[0];

/** True if the best bid is at or above the best ask: no order may be priced from such a book. */
export function isCrossed(book: Book): boolean {
  const bid = bestBid(book);
  const ask = bestAsk(book);
  return bid !== undefined && ask !== undefined && bid.price >= ask.price;
}

/** Mean of best bid and best ask, rounded down; undefined if a side is empty. */
export function mid(book: Book): Price | undefined {
  const bid = bestBid(book);
  const ask = bestAsk(book);
  return bid && ask ? price((bid.price + ask.price) / 2n) : undefined;
}
