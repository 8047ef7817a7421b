// Entering and leaving: an order takes its place in the book, in the list of its account in the market, in the index by id and in
// the account's count together, and its margin reservation goes with it.

import { type OrderId, orderId } from "../../../domain/units.ts";
import type { CancelReason } from "../../event.ts";
import { adverseOf } from "../margin/margin.ts";
import type { Account, Holding, LiveOrder } from "../records.ts";
import { type Core, emitCanceled, markBook, type Step } from "../state.ts";

/** Gives an order its number. */
export function numberOrder(core: Core, order: LiveOrder): void {
  core.lastOrderId += 1;
  order.id = core.lastOrderId;
  order.orderId = orderId(BigInt(order.id));
  core.log.accepted(order);
}

/** The live order of that id, if there is one. Order numbers are exact; an id too large to be is not rounded onto one. */
export const findOrder = (core: Core, id: OrderId): LiveOrder | undefined => core.orders.get(Number(id));

/** Starts to rest behind all others of its price. */
export function restOrder(step: Step, order: LiveOrder): void {
  order.holding.market.book.add(order);
  reserve(order, order.remaining);
  enlist(step.core, order);
  markBook(step, order.holding.market);
  step.core.log.order(order);
}

/** Starts to wait for its trigger; it reserves no margin. */
export function awaitTrigger(step: Step, order: LiveOrder): void {
  order.untriggered = true;
  const { holding } = order;
  holding.market.untriggered.add(order);
  holding.market.triggersDue = true;
  if (order.entryId !== null) holding.exitCount += 1;
  enlist(step.core, order);
  step.core.log.order(order);
}

/** The trigger has come, or never will. */
export function stopAwaiting(order: LiveOrder): void {
  if (!order.untriggered) return;
  order.untriggered = false;
  order.holding.market.untriggered.delete(order);
  if (order.entryId !== null) order.holding.exitCount -= 1;
}

/** Counts an order that rests or waits. One that is listed already keeps its place. */
function enlist(core: Core, order: LiveOrder): void {
  if (order.listed) return;
  core.orders.set(order.id, order);
  enroll(order);
}

/** Leaves everywhere. The caller refreshes the holding. */
export function dropOrder(step: Step, order: LiveOrder): void {
  const { holding } = order;
  if (order.level !== null) {
    reserve(order, -order.remaining);
    holding.market.book.remove(order);
    markBook(step, holding.market);
  }
  stopAwaiting(order);
  if (!order.listed) return;
  step.core.orders.delete(order.id);
  strikeOff(order);
  step.core.log.orderGone(order);
}

/** Leaves everywhere, and the world is told why. */
export function cancelOrder(step: Step, order: LiveOrder, reason: CancelReason): void {
  dropOrder(step, order);
  emitCanceled(step, order, reason);
}

/** Adds `units` of a resting order to what its holding may have to carry; negative units release. */
export function reserve(order: LiveOrder, units: number): void {
  const { holding } = order;
  holding.adverse += adverseOf(order.side, order.price, units, holding.market);
  if (order.reduceOnly) return;
  if (order.side === "buy") holding.buyUnits += units;
  else holding.sellUnits += units;
}

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

function strikeOff(order: LiveOrder): void {
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

/** All live orders of an account, oldest first. */
export function ordersOf(account: Account): readonly LiveOrder[] {
  const orders: LiveOrder[] = [];
  for (const holding of account.holdings.values()) orders.push(...ordersIn(holding));
  return orders.sort((a, b) => a.id - b.id);
}
