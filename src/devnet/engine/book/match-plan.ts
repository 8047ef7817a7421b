// Plans what an incoming order would do to the book, without changing it: makers in price-time order with the units each fills. All checks
// that may refuse the order use the plan, so a transaction changes everything or nothing.

import type { Side } from "../../../domain/units.ts";
import type { Level, OrderBook, Resting } from "./order-book.ts";

/** Judge result that ends the walk: the taker met an order with which it must not trade. */
export const STOP = -1;
/** Judge result that removes the resting order from the book: it may not fill. */
export const LEAVES = -2;

/** Units of a resting order that may fill: its remaining size or less, LEAVES or STOP. */
export type Judge<O> = (maker: O, taker: O, plan: MatchPlan<O>) => number;

export class MatchPlan<O> {
  readonly makers: O[] = [];
  /** Fill of the maker at the same index. */
  readonly units: number[] = [];
  /** True if the maker at the same index is removed. */
  readonly leaves: boolean[] = [];
  /** Rows in use; the arrays keep their length so that planning allocates nothing. */
  count = 0;
  filled = 0;
  stopped = false;
}

/** Walks the book against `taker`, up to `limitTicks`; overwrites `plan`. Changes nothing else. */
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

/** True if an order of `side` with limit `limitTicks` accepts the price `ticks`. */
export const reaches = (side: Side, limitTicks: number, ticks: number): boolean =>
  side === "buy" ? ticks <= limitTicks : ticks >= limitTicks;
