// Adds and removes live orders: updates the book, the account's list in the market, the index by id and the account's count together, and
// the margin reservation.

import { type OrderId, orderId } from "../../../domain/units.ts";
import type { CancelReason } from "../../event.ts";
import { adverseOf } from "../margin/margin.ts";
import { lowerLeverage } from "../margin/position.ts";
import type { Account, LiveOrder, MarketAccount } from "../records.ts";
import { type Core, emitCanceled, markBook, type Step } from "../state.ts";

/** Assigns the next order id. */
export function numberOrder(core: Core, order: LiveOrder): void {
  core.lastOrderId += 1;
  order.id = core.lastOrderId;
  order.orderId = orderId(BigInt(order.id));
  core.log.terms(order);
}

/** The live order with that id, if any. Assigned ids are below 2^53, so a larger id cannot round to one of them. */
export const findOrder = (core: Core, id: OrderId): LiveOrder | undefined => core.orders.get(Number(id));

/** Rests the order behind all others at its price. */
export function restOrder(step: Step, order: LiveOrder): void {
  order.marketAccount.market.book.add(order);
  reserve(order, order.remaining);
  enlist(step.core, order);
  markBook(step, order.marketAccount.market);
  step.core.log.order(order);
}

/** Makes the order wait for its trigger; it reserves no margin. */
export function awaitTrigger(step: Step, order: LiveOrder): void {
  order.untriggered = true;
  const { marketAccount } = order;
  marketAccount.market.untriggered.add(order);
  marketAccount.market.triggersDue = true;
  if (order.entryId !== null) marketAccount.exitCount += 1;
  enlist(step.core, order);
  step.core.log.order(order);
}

/** Ends the wait: the order triggered, or never will. */
export function stopAwaiting(order: LiveOrder): void {
  if (!order.untriggered) return;
  order.untriggered = false;
  order.marketAccount.market.untriggered.delete(order);
  if (order.entryId !== null) order.marketAccount.exitCount -= 1;
}

/** Registers an order that rests or waits. An order that is already listed keeps its place. */
function enlist(core: Core, order: LiveOrder): void {
  if (order.listed) return;
  core.orders.set(order.id, order);
  enroll(core, order);
}

/** Removes the order everywhere. The caller refreshes the market account. */
export function dropOrder(step: Step, order: LiveOrder): void {
  const { marketAccount } = order;
  if (order.level !== null) {
    reserve(order, -order.remaining);
    marketAccount.market.book.remove(order);
    markBook(step, marketAccount.market);
  }
  if (order.leverage !== 0 && order.leverage === marketAccount.asked) marketAccount.asked = askedOf(marketAccount);
  stopAwaiting(order);
  if (!order.listed) return;
  step.core.orders.delete(order.id);
  strikeOff(step.core, order);
  step.core.log.orderGone(order);
}

/** Removes the order everywhere and emits an event with the reason. */
export function cancelOrder(step: Step, order: LiveOrder, reason: CancelReason): void {
  dropOrder(step, order);
  emitCanceled(step, order, reason);
}

/** Adds `units` of a resting order to the market account's reservations; negative units release them. */
export function reserve(order: LiveOrder, units: number): void {
  const { marketAccount } = order;
  marketAccount.adverse += adverseOf(order.side, order.price, units, marketAccount.market);
  if (order.reduceOnly) {
    if (order.side === "buy") marketAccount.reducingBuys += units;
    else marketAccount.reducingSells += units;
    return;
  }
  if (units > 0) marketAccount.asked = lowerLeverage(marketAccount.asked, order.leverage);
  if (order.side === "buy") marketAccount.buyUnits += units;
  else marketAccount.sellUnits += units;
}

/** Lowest leverage among the resting orders, reduce-only ones excluded. */
export function askedOf(marketAccount: MarketAccount): number {
  let asked = 0;
  for (let order = marketAccount.oldest; order !== null; order = order.newer) {
    if (order.level !== null && !order.reduceOnly) asked = lowerLeverage(asked, order.leverage);
  }
  return asked;
}

/** Adds an order as the newest in its lists. */
export function enroll(core: Core, order: LiveOrder): void {
  const { marketAccount } = order;
  order.listed = true;
  order.older = marketAccount.newest;
  if (marketAccount.newest === null) marketAccount.oldest = order;
  else marketAccount.newest.newer = order;
  marketAccount.newest = order;
  marketAccount.account.placesTaken += placesOf(core, order);
}

function strikeOff(core: Core, order: LiveOrder): void {
  const { marketAccount, older, newer } = order;
  const standing = exitPlacesOf(order) === 0 ? 0 : exitsOf(marketAccount, order.id).length;
  marketAccount.account.placesTaken -= placesOf(core, order) - standing;
  order.listed = false;
  if (older === null) marketAccount.oldest = newer;
  else older.newer = newer;
  if (newer === null) marketAccount.newest = older;
  else newer.older = older;
  order.older = null;
  order.newer = null;
}

/**
 * Places under the open-order cap: one for the order, and one per exit that its fills may activate. Exits use their entry's places while it
 * is open, and their own afterwards.
 */
export function placesOf(core: Core, order: LiveOrder): number {
  if (order.entryId !== null) return core.orders.has(order.entryId) ? 0 : 1;
  return 1 + exitPlacesOf(order);
}

/** Number of exits that an order's fills activate. */
export const exitPlacesOf = ({ takeProfit, stopLoss }: LiveOrder): number =>
  (takeProfit === null ? 0 : 1) + (stopLoss === null ? 0 : 1);

/** Waiting exits of one entry; empty for an order that is not an exit. */
export const exitsOf = (marketAccount: MarketAccount, entryId: number | null): readonly LiveOrder[] =>
  marketAccount.exitCount === 0 || entryId === null
    ? []
    : ordersIn(marketAccount).filter((order) => order.untriggered && order.entryId === entryId);

/** A copy, so that orders may be added or removed during iteration. */
export function ordersIn(marketAccount: MarketAccount): readonly LiveOrder[] {
  const orders: LiveOrder[] = [];
  for (let order = marketAccount.oldest; order !== null; order = order.newer) orders.push(order);
  return orders;
}

/** All live orders of an account, oldest first. */
export function ordersOf(account: Account): readonly LiveOrder[] {
  const orders: LiveOrder[] = [];
  for (const marketAccount of account.markets.values()) orders.push(...ordersIn(marketAccount));
  return orders.sort((a, b) => a.id - b.id);
}
