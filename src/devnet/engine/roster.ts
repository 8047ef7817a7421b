// The live orders of a holding, oldest first: a list that runs through the orders themselves, so that entering and leaving
// it costs the same for one order and for hundreds.

import type { Holding, LiveOrder } from "./records.ts";

/** Adds an order as the newest. */
export function enroll(order: LiveOrder): void {
  const { holding } = order;
  order.listed = true;
  order.older = holding.newest;
  if (holding.newest === null) holding.oldest = order;
  else holding.newest.newer = order;
  holding.newest = order;
  holding.account.orderCount += 1;
}

export function strikeOff(order: LiveOrder): void {
  const { holding, older, newer } = order;
  order.listed = false;
  if (older === null) holding.oldest = newer;
  else older.newer = newer;
  if (newer === null) holding.newest = older;
  else newer.older = older;
  order.older = null;
  order.newer = null;
  holding.account.orderCount -= 1;
}

/** A copy, so that orders may come and go while it is walked. */
export function ordersIn(holding: Holding): readonly LiveOrder[] {
  const orders: LiveOrder[] = [];
  for (let order = holding.oldest; order !== null; order = order.newer) orders.push(order);
  return orders;
}
