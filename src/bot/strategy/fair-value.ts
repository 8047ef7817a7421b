// Where a strategy centers its quotes: the oracle price, what others quote, or a blend of both.

import { type Book, isCrossed, microprice } from "../../domain/book.ts";
import { othersBook } from "../../domain/others-book.ts";
import { usdOf } from "../../domain/rounding.ts";
import { lastKnown, type View } from "../../domain/view.ts";

/** `mid` and `microprice` are of the book without our own orders; `blend` is the mean of the oracle price and the microprice. */
export const centers = ["oracle", "mid", "microprice", "blend"] as const;
export type Center = (typeof centers)[number];

/**
 * The center in USD; undefined while nothing is known. A book with an empty side, or a crossed one, has no center of its own:
 * the oracle price stands in. Facts of any age are read: whether they may be acted on is the guard's question.
 */
export function fairValueUsd(view: View, center: Center): number | undefined {
  const oracle = lastKnown(view.oracle);
  const oracleUsd = oracle === undefined ? undefined : usdOf(oracle.price);
  if (center === "oracle") return oracleUsd;
  const known = lastKnown(view.book);
  const book = known === undefined ? undefined : othersBook(known, view.orders);
  if (book === undefined || isCrossed(book)) return oracleUsd;
  const bookUsd = center === "mid" ? midUsd(book) : microprice(book);
  if (bookUsd === undefined) return oracleUsd;
  if (center !== "blend") return bookUsd;
  return oracleUsd === undefined ? bookUsd : (oracleUsd + bookUsd) / 2;
}

function midUsd({ bids, asks }: Book): number | undefined {
  const bid = bids[0];
  const ask = asks[0];
  return bid && ask ? (usdOf(bid.price) + usdOf(ask.price)) / 2 : undefined;
}
