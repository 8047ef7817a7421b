// Attached exits (S4.6): a take profit and a stop loss that become reduce-only stops when their entry fills. They grow with the entry's
// fills, shrink and end with the position; if one fills, it cancels the other.

import type { Price, Side } from "../../../domain/units.ts";
import { orderOf } from "../describe.ts";
import { closableUnits } from "../margin/margin.ts";
import type { LiveOrder, MarketAccount } from "../records.ts";
import type { Step } from "../state.ts";
import { reducingOrder } from "./draft-order.ts";
import { awaitTrigger, cancelOrder, exitsOf, numberOrder, ordersIn } from "./live-orders.ts";
import { tellModified } from "./resize.ts";

/** After a fill of `units`, activates the entry's exits or enlarges them by that amount. */
export function activateExits(step: Step, entry: LiveOrder, units: number): void {
  if (units === 0 || (entry.takeProfit === null && entry.stopLoss === null)) return;
  const { marketAccount } = entry;
  const side: Side = entry.side === "buy" ? "sell" : "buy";
  const standing = exitsOf(marketAccount, entry.id);
  if (standing.length > 0) {
    for (const exit of standing) resize(step, exit, exit.remaining + units);
    return;
  }
  const [profit, loss] = side === "sell" ? (["above", "below"] as const) : (["below", "above"] as const);
  if (entry.takeProfit !== null) addExit(step, entry, side, entry.takeProfit, profit, units);
  if (entry.stopLoss !== null) addExit(step, entry, side, entry.stopLoss, loss, units);
}

function resize(step: Step, exit: LiveOrder, remaining: number): void {
  exit.remaining = Math.min(Number.MAX_SAFE_INTEGER - exit.filled, remaining);
  tellModified(step, exit);
}

function addExit(
  step: Step,
  entry: LiveOrder,
  side: Side,
  triggerPrice: Price,
  triggers: "above" | "below",
  units: number,
): void {
  const bare = reducingOrder(entry.marketAccount, "StopMarket", units, step.ctx.timeMs);
  const exit: LiveOrder = { ...bare, side, triggerPrice, triggers, entryId: entry.id };
  numberOrder(step.core, exit);
  awaitTrigger(step, exit);
  step.events.push({ type: "OrderPlaced", order: orderOf(exit) });
}

/** Shrinks exits that exceed the position; cancels them if there is no position. */
export function fitExits(step: Step, marketAccount: MarketAccount): void {
  if (marketAccount.exitCount === 0) return;
  for (const order of ordersIn(marketAccount)) {
    if (!order.untriggered || order.entryId === null) continue;
    const closable = closableUnits(marketAccount, order.side);
    if (closable === 0) cancelOrder(step, order, "ReduceOnly");
    else if (order.remaining > closable) resize(step, order, closable);
  }
}
