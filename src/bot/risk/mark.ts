// The value of a contract: at the last trusted print, and at the mid of the others' book, which our quotes do not move. Loss limits use the
// price that makes the position worth least: the mid, if the position could be closed near it; and while a print is unconfirmed, the
// closing price, because that print may be right.

import { type Book, mid } from "../../domain/book.ts";
import { closingPrice, depthMid } from "../../domain/depth.ts";
import { othersBook } from "../../domain/others-book.ts";
import { BPS, type Price, type Size, size } from "../../domain/units.ts";
import { fresh, lastKnown, type View } from "../../domain/view.ts";
import { collarBps } from "./collar.ts";
import type { MarketLimits } from "./limits/limits.ts";
import type { Prints } from "./prints.ts";

/** USD per contract. `lower`: used by loss limits. */
export type Marks = { readonly print: Price; readonly mid: Price; readonly lower: Price };

/** For a run that has seen no book yet. */
export const marksAt = (print: Price): Marks => ({ print, mid: print, lower: print });

/**
 * Null before the first print. If a side of the others' book is empty, the mid is the last one (`before`), or before that the print. The
 * mid counts for losses only if both sides have as many contracts as the position inside the collar around the print.
 */
export function marksOf(
  { trusted, doubtful }: Prints,
  inventory: Size,
  view: View,
  limits: Pick<MarketLimits, "maxOracleDistanceBps">,
  before: Marks | null,
): Marks | null {
  if (trusted === null) return null;
  const print = trusted.price;
  const known = lastKnown(view.book);
  const others = known && othersBook(known, view);
  const middle = others && fresh(view.book) === known ? mid(others) : undefined;
  const marks = { print, mid: middle ?? before?.mid ?? print };
  if (inventory === 0n || others === undefined) return { ...marks, lower: print };
  const isLong = inventory > 0n;
  const contracts = isLong ? inventory : size(-inventory);
  const inside = insideCollar(others, print, BigInt(collarBps(limits, view.signals)));
  const closing = doubtful === null ? undefined : closingPrice(isLong ? inside.bids : inside.asks, contracts);
  const counted = middle !== undefined && depthMid(inside, contracts) !== undefined ? middle : undefined;
  const lower = [closing, counted].reduce<Price>(
    (worst, at) => (at !== undefined && at < worst === isLong ? at : worst),
    print,
  );
  return { ...marks, lower };
}

/** Ignores levels beyond the collar, at which no one would have to close. */
function insideCollar(book: Book, print: Price, reachBps: bigint): Book {
  const low = (print * (BPS - reachBps)) / BPS;
  const high = (print * (BPS + reachBps)) / BPS;
  return {
    ...book,
    bids: book.bids.filter((level) => level.price >= low),
    asks: book.asks.filter((level) => level.price <= high),
  };
}
