// Changing the size of a live order where it stands: it keeps its place, and its account hears of it.

import { size } from "../../../domain/units.ts";
import { orderOf } from "../describe.ts";
import type { LiveOrder } from "../records.ts";
import { markBook, type Step } from "../state.ts";
import { reserve } from "./live-orders.ts";

/** Takes `units` off a resting order, fewer than remain of it. The caller refreshes the market account. */
export function shrinkResting(step: Step, order: LiveOrder, units: number): void {
  const { market } = order.marketAccount;
  reserve(order, -units);
  market.book.reduce(order, units);
  markBook(step, market);
}

/** The order is now as it says: its whole size is what has filled and what remains. */
export function tellModified(step: Step, order: LiveOrder): void {
  order.size = size(BigInt(order.filled + order.remaining));
  order.updatedAtMs = step.ctx.timeMs;
  step.core.log.order(order);
  step.events.push({ type: "OrderModified", order: orderOf(order) });
}
