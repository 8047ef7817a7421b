// The worst case of the position: every order that may be live fills, one side at a time. Bids never net against asks.

import type { TrackedOrder } from "./order.ts";
import { type Side, type Size, size } from "./units.ts";
import type { PositionRange } from "./view.ts";

/**
 * Contracts that the position could reach per side: the worst position, after the other side's reduce-only orders, plus all other orders of
 * that side. Orders in flight, unknown or being canceled count in full; `remainingSize` already includes the worst outcome of an unanswered
 * modify.
 */
export type WorstCase = { readonly long: Size; readonly short: Size };

export function worstCase({ low, high }: PositionRange, orders: readonly TrackedOrder[]): WorstCase {
  const adding = { buy: 0n, sell: 0n };
  const reducing = { buy: 0n, sell: 0n };
  for (const order of orders) {
    const { side, remainingSize } = order;
    if (!order.reduceOnly) adding[side] += remainingSize;
    else if (!order.isConditional) reducing[side] += remainingSize;
  }
  return {
    long: size(reduced(high, reducing.buy) + adding.buy),
    short: size(reduced(size(-low), reducing.sell) + adding.sell),
  };
}

/**
 * Position, signed toward a side, after that side's reduce-only orders have filled: they stop at flat (S4.6). The interface does not say
 * that they shrink with the position, so they count with their remaining size.
 */
export function reduced(held: Size, reducing: bigint): bigint {
  if (held >= 0n) return held;
  return held + reducing < 0n ? held + reducing : 0n;
}

/** Worst case of a side relative to its limit: 1 is the limit; never negative. */
export function exposureRatio(worst: WorstCase, maxPosition: Size, side: Side): number {
  const contracts = side === "buy" ? worst.long : worst.short;
  return contracts > 0n ? Number(contracts) / Number(maxPosition) : 0;
}
