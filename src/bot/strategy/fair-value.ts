// Where a strategy centers its quotes: the oracle price, the quotes of others, or a blend, moved by outside facts that have earned a
// weight. A book that one counterparty may have shaped weighs less than the oracle price.

import { z } from "zod";
import { type Book, bestAsk, bestBid } from "../../domain/book.ts";
import { bookWeight, depthMicroprice, depthMid, depthTouch } from "../../domain/depth.ts";
import { othersBook } from "../../domain/others-book.ts";
import type { Quotes } from "../../domain/quotes.ts";
import { usdOf } from "../../domain/rounding.ts";
import type { Price, Size } from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";
import { reducingSide } from "./target-quotes.ts";
import { towardOutside } from "./worth.ts";

/**
 * `mid` and `microprice` are those of the book without our own orders, for an order of our size; `blend` is the mean of the oracle price
 * and the microprice.
 */
export const centers = Object.freeze(["oracle", "mid", "microprice", "blend"] as const);
export type Center = (typeof centers)[number];

/** The index trends and a print may be a day old, so the default center is the market's own mid. */
export const centerParam = z
  .enum(centers)
  .default("mid")
  .describe(
    "What quotes are placed around: the oracle price, the mid or the microprice without our orders, or blend: the mean of oracle price and microprice. Default mid.",
  );

/**
 * Returns the center in USD, moved toward what outside facts imply; undefined while nothing is known. `orderSize`: contracts of one of our
 * orders. A book that is crossed, or holds less than that on a side, has no center: its last one is used, or before the first one since a
 * print the oracle price. A given fair value overrides all. Facts of any age are read: the guard decides whether they may be acted on.
 */
export function fairValueUsd(view: View, center: Center, orderSize: Size): number | undefined {
  if (view.guidance.fairValueUsd !== null) return view.guidance.fairValueUsd;
  const usd = centerUsd(view, center, orderSize);
  return usd === undefined ? undefined : towardOutside(view, usd);
}

function centerUsd(view: View, center: Center, orderSize: Size): number | undefined {
  const oracle = lastKnown(view.oracle);
  const oracleUsd = oracle === undefined ? undefined : usdOf(oracle.price);
  if (center === "oracle") return oracleUsd;
  const book = othersBookOf(view);
  const seenUsd = book && (center === "mid" ? midUsd(depthMid(book, orderSize)) : depthMicroprice(book, orderSize));
  const marketUsd = seenUsd ?? view.signals.heldMidUsd;
  if (marketUsd === null) return oracleUsd;
  if (oracleUsd === undefined) return marketUsd;
  const weight = book === undefined || seenUsd === undefined ? 1 : bookWeight(book, orderSize);
  return oracleUsd + (center === "blend" ? weight / 2 : weight) * (marketUsd - oracleUsd);
}

/**
 * While the center is an earlier mid, since others offer less than `size` on a side, whoever took the rest knows its price better than we
 * do: only quotes that reduce the position remain.
 */
export function reduceWhileThin(
  view: View,
  { center, size }: { readonly center: Center; readonly size: Size },
  quotes: Quotes,
): Quotes {
  const { heldMidUsd } = view.signals;
  if (heldMidUsd === null || (center === "oracle" && view.guidance.fairValueUsd === null)) return quotes;
  const book = othersBookOf(view);
  if (book !== undefined && depthMid(book, size) !== undefined) return quotes;
  const side = reducingSide(lastKnown(view.position)?.inventory ?? null);
  return {
    ...quotes,
    quotes: quotes.quotes.filter((quote) => quote.side === side).map((quote) => ({ ...quote, reduceOnly: true })),
    reason: "the others' book holds less than `size` on a side: nothing adds to the position",
  };
}

/**
 * What `fairValueUsd`, `reduceWhileThin` and the quotes around them read of book and signals, for a strategy's `reads`. The best prices
 * bound the quotes.
 */
export function centerReads(
  view: View,
  { center, size }: { readonly center: Center; readonly size: Size },
): readonly unknown[] {
  const book = othersBookOf(view);
  const { heldMidUsd } = view.signals;
  const mid = book && depthMid(book, size);
  const moved = outsideTicks(view, center, size);
  if (book === undefined || mid === undefined)
    return [book && bestBid(book)?.price, book && bestAsk(book)?.price, heldMidUsd, moved];
  const seen = center === "microprice" || center === "blend" ? depthMicroprice(book, size) : mid;
  return [bestBid(book)?.price, bestAsk(book)?.price, seen, bookWeight(book, size), moved];
}

/** How far outside facts move the center, in ticks: they change slowly all the time, and less than a tick moves no quote. */
function outsideTicks(view: View, center: Center, size: Size): number {
  if (view.signals.outsideNowcastUsd === null || view.guidance.fairValueUsd !== null) return 0;
  const usd = centerUsd(view, center, size);
  const tick = lastKnown(view.market)?.tickSize;
  return usd === undefined || tick === undefined ? 0 : Math.round((towardOutside(view, usd) - usd) / usdOf(tick));
}

/** Half the distance between the others' prices for `size` contracts, USD; undefined while a side offers less. */
export function othersHalfSpreadUsd(view: View, size: Size): number | undefined {
  const book = othersBookOf(view);
  const touch = book && depthTouch(book, size);
  return touch && (usdOf(touch.ask) - usdOf(touch.bid)) / 2;
}

function othersBookOf(view: View): Book | undefined {
  const known = lastKnown(view.book);
  return known === undefined ? undefined : othersBook(known, view);
}

const midUsd = (at: Price | undefined): number | undefined => (at === undefined ? undefined : usdOf(at));
