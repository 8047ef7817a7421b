// Keeps the total of an account's resting reduce-only orders at most equal to its position, so that the book shows only what can fill.
// After each change of the position or new resting reduce-only order, the worst placed ones shrink or are canceled.

import type { Side } from "../../../domain/units.ts";
import type { Level } from "../book/order-book.ts";
import { closableUnits, refreshMargin } from "../margin/margin.ts";
import type { LiveOrder, MarketAccount } from "../records.ts";
import type { Step } from "../state.ts";
import { cancelOrder } from "./live-orders.ts";
import { shrinkResting, tellModified } from "./resize.ts";

/** Worst placed: at the worst price, and last in the queue there. */
export function fitReduceOnly(step: Step, marketAccount: MarketAccount): void {
  if (marketAccount.reducingBuys === 0 && marketAccount.reducingSells === 0) return;
  const buys = marketAccount.reducingBuys - closableUnits(marketAccount, "buy");
  const sells = marketAccount.reducingSells - closableUnits(marketAccount, "sell");
  if (buys > 0) takeBack(step, marketAccount, "buy", buys);
  if (sells > 0) takeBack(step, marketAccount, "sell", sells);
  if (buys > 0 || sells > 0) refreshMargin(marketAccount);
}

function takeBack(step: Step, marketAccount: MarketAccount, side: Side, units: number): void {
  let excess = units;
  while (excess > 0) {
    const level = worstLevel(marketAccount, side);
    let order: LiveOrder | null = level?.last ?? null;
    while (order !== null && excess > 0) {
      const { ahead }: LiveOrder = order;
      if (order.reduceOnly && order.marketAccount === marketAccount) excess -= takeFrom(step, order, excess);
      order = ahead;
    }
  }
}

/** Takes up to `units` off an order; returns how many. */
function takeFrom(step: Step, order: LiveOrder, units: number): number {
  const { remaining } = order;
  if (remaining <= units) {
    cancelOrder(step, order, "ReduceOnly");
    return remaining;
  }
  shrinkResting(step, order, units);
  tellModified(step, order);
  return units;
}

/** The worst level where a reduce-only order of the account rests. */
function worstLevel(marketAccount: MarketAccount, side: Side): Level<LiveOrder> | null {
  let worst: Level<LiveOrder> | null = null;
  for (let order = marketAccount.oldest; order !== null; order = order.newer) {
    const { level } = order;
    if (level === null || !order.reduceOnly || order.side !== side) continue;
    if (worst === null || (side === "buy" ? level.ticks < worst.ticks : level.ticks > worst.ticks)) worst = level;
  }
  return worst;
}
