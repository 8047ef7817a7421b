// Where a strategy centers its quotes: the oracle price, what others quote, or a blend of both. What one counterparty may have made of
// the book weighs less than the oracle price.

import { z } from "zod";
import { bookWeight, depthMicroprice, depthMid } from "../../domain/depth.ts";
import { othersBook } from "../../domain/others-book.ts";
import { usdOf } from "../../domain/rounding.ts";
import type { Price, Size } from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";

/**
 * `mid` and `microprice` are of the book without our own orders, for an order of our size; `blend` is the mean of the oracle price
 * and the microprice.
 */
export const centers = ["oracle", "mid", "microprice", "blend"] as const;
export type Center = (typeof centers)[number];

/** The index trends and a print may be a day old, so by default a strategy quotes around the market's own mid. */
export const centerParam = z
  .enum(centers)
  .default("mid")
  .describe(
    "oracle, mid, microprice (without our orders) or blend. Default mid; a side with less than `size`: oracle; a side whose orders have one or two sizes only: nearer to the oracle.",
  );

/**
 * The center in USD; undefined while nothing is known. `orderSize` is that of one of our orders, in contracts: a book that is crossed,
 * or holds less than that on a side, has no center of its own, and the oracle price stands in. A fair value that is given counts before all. Facts of any age are read: whether they
 * may be acted on is the guard's question.
 */
export function fairValueUsd(view: View, center: Center, orderSize: Size): number | undefined {
  if (view.guidance.fairValueUsd !== null) return view.guidance.fairValueUsd;
  const oracle = lastKnown(view.oracle);
  const oracleUsd = oracle === undefined ? undefined : usdOf(oracle.price);
  if (center === "oracle") return oracleUsd;
  const known = lastKnown(view.book);
  const book = known === undefined ? undefined : othersBook(known, view);
  const seenUsd = book && (center === "mid" ? midUsd(depthMid(book, orderSize)) : depthMicroprice(book, orderSize));
  if (book === undefined || seenUsd === undefined) return oracleUsd;
  if (oracleUsd === undefined) return seenUsd;
  const weight = bookWeight(book, orderSize);
  return oracleUsd + (center === "blend" ? weight / 2 : weight) * (seenUsd - oracleUsd);
}

const midUsd = (at: Price | undefined): number | undefined => (at === undefined ? undefined : usdOf(at));
