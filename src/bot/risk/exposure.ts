// The worst case of the position: every order that may be live fills, one side at a time. Bids never net against asks.

import type { TrackedOrder } from "../../domain/order.ts";
import { notionalCeil } from "../../domain/rounding.ts";
import { type Price, price, type Side, type Size, size, type Usdc } from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";

/**
 * Contracts that the position could reach per side: position + all orders of that side that are not reduce-only. Orders in flight,
 * unknown or being canceled count in full; `remainingSize` already includes the worst outcome of an unanswered modify.
 */
export type WorstCase = { readonly long: Size; readonly short: Size };

export function worstCase(inventory: Size, orders: readonly TrackedOrder[]): WorstCase {
  let buys = 0n;
  let sells = 0n;
  for (const order of orders) {
    if (order.reduceOnly) continue;
    if (order.side === "buy") buys += order.remainingSize;
    else sells += order.remainingSize;
  }
  return { long: size(inventory + buys), short: size(sells - inventory) };
}

/** The larger of oracle price and mark price: where margin and notional are largest, whichever side. */
export const worstPrice = (oraclePrice: Price, markPrice: Price): Price =>
  price(oraclePrice > markPrice ? oraclePrice : markPrice);

/** USDC value of a market's worst case, rounded up; undefined while position, oracle or market was never known. */
export function worstNotional(view: View): Usdc | undefined {
  const position = lastKnown(view.position);
  const oracle = lastKnown(view.oracle);
  const market = lastKnown(view.market);
  if (position === undefined || oracle === undefined || market === undefined) return undefined;
  const { long, short } = worstCase(position.inventory, view.orders);
  return notionalCeil(worstPrice(oracle.price, market.markPrice), long > short ? long : short);
}

/** Worst case of a side over its limit: 1 is the limit; never negative. */
export function exposureRatio(worst: WorstCase, maxPosition: Size, side: Side): number {
  const contracts = side === "buy" ? worst.long : worst.short;
  return contracts > 0n ? Number(contracts) / Number(maxPosition) : 0;
}
