// What an arriving order would do to the book, found by looking only: makers in price-time order with the units each gives.
// Everything that may refuse the order is checked on the plan, so a transaction changes all that it says or nothing.

import type { Side } from "../../../domain/units.ts";
import type { Level, OrderBook, Resting } from "./order-book.ts";

/** A judge's answer that ends the walk: the taker met an order it must not trade with. */
export const STOP = -1;
/** A judge's answer that takes the resting order out of the book: it may not fill. */
export const LEAVES = -2;

/** How many units of a resting order may fill: its whole remaining size or less, LEAVES or STOP. */
export type Judge<O> = (maker: O, taker: O, plan: MatchPlan<O>) => number;

export class MatchPlan<O> {
  readonly makers: O[] = [];
  /** Fill of the maker at the same place. */
  readonly units: number[] = [];
  /** The maker at the same place is taken out. */
  readonly leaves: boolean[] = [];
  /** Rows in use; the arrays keep their length so that planning allocates nothing. */
  count = 0;
  filled = 0;
  stopped = false;
}

/** Walks the book against `taker`, down to `limitTicks` at worst; `plan` is overwritten. Nothing else changes. */
export function planMatch<O extends Resting<O>>(
  book: OrderBook<O>,
  taker: O,
  limitTicks: number,
  judge: Judge<O>,
  plan: MatchPlan<O>,
): void {
  plan.count = 0;
  plan.filled = 0;
  plan.stopped = false;
  let wanted = taker.remaining;
  let level: Level<O> | null = book.bestAgainst(taker.side);
  while (level !== null && wanted > 0 && reaches(taker.side, limitTicks, level.ticks)) {
    let maker: O | null = level.first;
    while (maker !== null && wanted > 0) {
      const granted = judge(maker, taker, plan);
      if (granted === STOP) {
        plan.stopped = true;
        return;
      }
      const leaves = granted === LEAVES;
      const units = leaves ? 0 : granted < wanted ? granted : wanted;
      plan.makers[plan.count] = maker;
      plan.units[plan.count] = units;
      plan.leaves[plan.count] = leaves;
      plan.count += 1;
      plan.filled += units;
      wanted -= units;
      maker = maker.behind;
    }
    level = level.worse;
  }
}

/** True when an order of `side` that accepts `limitTicks` at worst accepts `ticks`. */
export const reaches = (side: Side, limitTicks: number, ticks: number): boolean =>
  side === "buy" ? ticks <= limitTicks : ticks >= limitTicks;
