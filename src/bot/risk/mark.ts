// What a held contract is worth: at the last trusted print, and at the mid of the others' book, which no quote of ours moves. Limits on
// loss take the price that makes the position worth least: the mid where the position could be closed near it, and while a print is in
// doubt the price at which it could be closed, since the doubt may be right.

import { type Book, mid } from "../../domain/book.ts";
import { closingPrice, depthMid } from "../../domain/depth.ts";
import { othersBook } from "../../domain/others-book.ts";
import { BPS, type Price, type Size, size } from "../../domain/units.ts";
import { fresh, lastKnown, type View } from "../../domain/view.ts";
import { collarBps } from "./collar.ts";
import type { MarketLimits } from "./limits/limits.ts";
import type { Prints } from "./prints.ts";

/** USD a contract. `lower`: what limits on loss count. */
export type Marks = { readonly print: Price; readonly mid: Price; readonly lower: Price };

/** Of a run that has seen no book yet. */
export const marksAt = (print: Price): Marks => ({ print, mid: print, lower: print });

/**
 * Null before the first print. While the others leave a side of the book empty the mid is what it was last (`before`), and before that the
 * print. It counts as a loss inside the collar around the print, where both sides hold as many contracts as the position inside it.
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

/** Levels beyond the collar are no price that anyone would have to close at. */
function insideCollar(book: Book, print: Price, reachBps: bigint): Book {
  const low = (print * (BPS - reachBps)) / BPS;
  const high = (print * (BPS + reachBps)) / BPS;
  return {
    ...book,
    bids: book.bids.filter((level) => level.price >= low),
    asks: book.asks.filter((level) => level.price <= high),
  };
}
