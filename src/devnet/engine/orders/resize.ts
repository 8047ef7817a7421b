// Changes the size of a live order in place: it keeps its queue position, and its account gets an event.

import { size } from "../../../domain/units.ts";
import { orderOf } from "../describe.ts";
import type { LiveOrder } from "../records.ts";
import { markBook, type Step } from "../state.ts";
import { reserve } from "./live-orders.ts";

/** Takes `units`, less than the remaining size, off a resting order. The caller refreshes the market account. */
export function shrinkResting(step: Step, order: LiveOrder, units: number): void {
  const { market } = order.marketAccount;
  reserve(order, -units);
  market.book.reduce(order, units);
  markBook(step, market);
}

/** Sets the total size to filled plus remaining, and emits the change. */
export function tellModified(step: Step, order: LiveOrder): void {
  order.size = size(BigInt(order.filled + order.remaining));
  order.updatedAtMs = step.ctx.timeMs;
  step.core.log.order(order);
  step.events.push({ type: "OrderModified", order: orderOf(order) });
}
