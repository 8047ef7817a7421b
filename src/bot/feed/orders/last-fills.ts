// When an order is over that the exchange canceled, and whose last fills may not have reached us: at a read of the account that proves to
// be newer than the cancel, or at a read of the public trades whose own times prove that no fill of it is missing. The first needs
// something to happen on the account; while nothing of ours rests, and nothing may be placed since what is left of canceled orders
// counts as filled, only others make news.

import { endOrder, type Tracking } from "./order-changes.ts";
import type { OrderEventOf } from "./order-event.ts";
import { type Canceled, isFillPending, type TrackedRecord } from "./order-records.ts";

/** A canceled order is over when a later read neither lists it nor knows of a fill that we do not. */
export function endNotListed(tracking: Tracking, { listed, isUnsettled }: OrderEventOf<"notListed">): void {
  const { records, evidence } = tracking;
  for (const record of [...records.live]) {
    const { canceled, order } = record;
    if (canceled === null || canceled.sinceMs >= evidence.asOfMs || order.orderId === null) continue;
    if (listed.has(order.orderId) || isUnsettled(order.marketId)) continue;
    endOrder(tracking, record, { why: canceled.why, reason: canceled.reason });
  }
}

/**
 * It is over as well when the trades of its market were read from before it was placed until after it was canceled: all its fills are
 * booked then, but for those whose frames are awaited.
 */
export function endTraded(tracking: Tracking, { marketId, span }: OrderEventOf<"tradesSearched">): void {
  const { records } = tracking;
  if (span === null) return;
  for (const record of [...records.live]) {
    if (record.order.marketId !== marketId || !isProvable(record)) continue;
    const { canceled, order, placedMs } = record;
    if (placedMs <= span.fromMs || canceled.sinceMs >= span.toMs || isFillPending(records, order.orderId)) continue;
    endOrder(tracking, record, { why: canceled.why, reason: canceled.reason });
  }
}

/**
 * True for a canceled order whose last fills public trades can prove to be known: its start is known, and the exchange executed its
 * cancel. Where it refused the cancel, only a list tells that the order no longer rests.
 */
export const isProvable = <R extends Readonly<TrackedRecord>>(
  record: R,
): record is R & { readonly canceled: Canceled; readonly placedMs: number } =>
  record.canceled?.why === "canceled" && record.placedMs !== null;
