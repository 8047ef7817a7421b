// What a held contract is worth for limits on loss: the last trusted print. While a print is in doubt, the price at which the position
// could be closed counts where it is worse: the doubt may be right.

import { closingPrice } from "../../domain/depth.ts";
import { othersBook } from "../../domain/others-book.ts";
import { BPS, type Price, price, type Size, size } from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";
import { collarBps } from "./collar.ts";
import type { MarketLimits } from "./limits/limits.ts";
import type { Prints } from "./prints.ts";

/** USD a contract; null before the first print. Levels beyond the collar are no price that anyone would have to close at. */
export function markPrice(
  { trusted, doubtful }: Prints,
  inventory: Size,
  view: View,
  limits: Pick<MarketLimits, "maxOracleDistanceBps">,
): Price | null {
  if (trusted === null) return null;
  const book = lastKnown(view.book);
  if (doubtful === null || inventory === 0n || book === undefined) return trusted.price;
  const isLong = inventory > 0n;
  const { bids, asks } = othersBook(book, view);
  const reach = BigInt(collarBps(limits, view.signals));
  const edge = price((trusted.price * (isLong ? BPS - reach : BPS + reach)) / BPS);
  const inside = (isLong ? bids : asks).filter((level) => (isLong ? level.price >= edge : level.price <= edge));
  const closing = closingPrice(inside, isLong ? inventory : size(-inventory));
  if (closing === undefined) return trusted.price;
  return closing < trusted.price === isLong ? closing : trusted.price;
}
