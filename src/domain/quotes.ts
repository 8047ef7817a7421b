// Quotes: the orders that a strategy wants to have, before any check.

import type { Price, Side, Size } from "./units.ts";

/** One desired order. `level` counts from 0 at the touch, per side: the order's slot, so that a requote knows what it replaces. */
export type Quote = {
  readonly side: Side;
  readonly level: number;
  readonly price: Price;
  readonly size: Size;
  /** True: the order may only bring the position nearer to zero. */
  readonly reduceOnly: boolean;
  /** `rest` posts only; `take` may cross the book (flatten). */
  readonly intent: "rest" | "take";
};

/** All target quotes of one market: an order that no quote asks for is canceled. */
export type Quotes = {
  readonly quotes: readonly Quote[];
  /** The strategy's center, for metrics and the price collar; null: none. */
  readonly fairValueUsd: number | null;
  /** Why there are no quotes, or fewer than the parameters ask for; null: there are all. */
  readonly reason: string | null;
  /** What the skew was computed from, if it aims at a wanted deviation: `view.signals.skewScale` is estimated from it. */
  readonly lean?: Lean;
};

/** The inventory that quotes lean against, and the standard deviation that it should have, above zero; both in contracts. */
export type Lean = { readonly inventory: number; readonly wantedStd: number };

export const noQuotes = (reason: string): Quotes => ({ quotes: [], fairValueUsd: null, reason });

/** Half the distance between the best quotes, basis points of their mid; null if a side has no quote. */
export function halfSpreadBps({ quotes }: Pick<Quotes, "quotes">): number | null {
  const pricesOf = (of: Side): readonly number[] =>
    quotes.filter(({ side }) => side === of).map(({ price }) => Number(price));
  const [bid, ask] = [Math.max(...pricesOf("buy")), Math.min(...pricesOf("sell"))];
  return Number.isFinite(bid) && Number.isFinite(ask) ? ((ask - bid) / (ask + bid)) * 10_000 : null;
}
