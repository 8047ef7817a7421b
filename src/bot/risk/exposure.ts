// The worst case of the position: every order that may be live fills, one side at a time. Bids never net against asks.

import type { TrackedOrder } from "../../domain/order.ts";
import { type Side, type Size, size } from "../../domain/units.ts";
import type { PositionRange } from "../../domain/view.ts";

/**
 * Contracts that the position could reach per side: position at worst + all orders of that side that are not reduce-only. Orders in flight,
 * unknown or being canceled count in full; `remainingSize` already includes the worst outcome of an unanswered modify.
 */
export type WorstCase = { readonly long: Size; readonly short: Size };

export function worstCase({ low, high }: PositionRange, orders: readonly TrackedOrder[]): WorstCase {
  let buys = 0n;
  let sells = 0n;
  for (const order of orders) {
    if (order.reduceOnly) continue;
    if (order.side === "buy") buys += order.remainingSize;
    else sells += order.remainingSize;
  }
  return { long: size(high + buys), short: size(sells - low) };
}

/** Worst case of a side over its limit: 1 is the limit; never negative. */
export function exposureRatio(worst: WorstCase, maxPosition: Size, side: Side): number {
  const contracts = side === "buy" ? worst.long : worst.short;
  return contracts > 0n ? Number(contracts) / Number(maxPosition) : 0;
}
