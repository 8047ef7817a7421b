// Orders that wait for a trigger price: stops and attached exits. They use the risk price and are checked when a block begins, oldest
// first; a triggered order enters the market like a new one. A market stop triggers only if the book has something for it, so that an empty
// book does not leave a position without its stop.

import type { Price } from "../../../domain/units.ts";
import type { Refusal } from "../calls.ts";
import { closableUnits, refresh } from "../margin/margin.ts";
import type { LiveOrder, MarketState } from "../records.ts";
import type { Core, Step } from "../state.ts";
import { checkEntry, enter, isMarketKind, reasonOf } from "./entry.ts";
import { cancelOrder, exitsOf, stopAwaiting } from "./live-orders.ts";
import { tellModified } from "./resize.ts";

/**
 * Triggers orders whose price the risk price has reached. If the market is not Active or its oracle is halted, only reducing orders
 * trigger.
 */
export function runTriggers(step: Step, market: MarketState): void {
  if (!market.triggersDue) return;
  market.triggersDue = false;
  const open = market.status === "Active" && market.oracleStatus !== "Halted";
  for (const order of [...market.untriggered]) {
    const waits = !isReached(order, market.risk.price) || !(open || order.reduceOnly);
    if (!waits && order.untriggered) trigger(step, order);
    if (!waits && order.untriggered) market.triggersDue = true;
  }
}

const isReached = (order: LiveOrder, at: Price): boolean =>
  order.triggerPrice !== null && (order.triggers === "above" ? at >= order.triggerPrice : at <= order.triggerPrice);

/**
 * A market stop that would fill nothing stays as it is; the next block tries again. If it only reduces, the unfilled part keeps waiting,
 * and its account gets an event. An exit that fills completely cancels the other exit of its entry. Any other order that may not continue
 * is canceled with the reason.
 */
function trigger(step: Step, order: LiveOrder): void {
  const { core } = step;
  const { marketAccount, size, remaining, filled } = order;
  const protects = isMarketKind(order) && (order.reduceOnly || remaining <= closableUnits(marketAccount, order.side));
  const refusal = checkEntry(core, order, null);
  if (isMarketKind(order) && fillsNothing(core, refusal, protects)) {
    order.size = size;
    order.remaining = remaining;
    return;
  }
  const fillsWhole = refusal === null && core.plan.filled === order.remaining;
  const waitsOn = refusal === null && protects && !fillsWhole;
  if (!waitsOn) stopAwaiting(order);
  core.log.order(order);
  step.events.push({
    type: "OrderTriggered",
    orderId: order.orderId,
    accountId: marketAccount.account.id,
    marketId: marketAccount.market.id,
  });
  // It was clipped to the position.
  if (refusal === null && !waitsOn && order.remaining < remaining) tellModified(step, order);
  if (fillsWhole) for (const exit of exitsOf(marketAccount, order.entryId)) cancelOrder(step, exit, "Oco");
  if (refusal === null) enter(step, order);
  else cancelOrder(step, order, reasonOf(refusal));
  if (waitsOn) {
    order.remaining = remaining - (order.filled - filled);
    tellModified(step, order);
  }
  refresh(marketAccount);
}

/** True if the book has nothing for a market stop, or nothing that a reducing order may take. */
const fillsNothing = ({ plan }: Core, refusal: Refusal | null, protects: boolean): boolean =>
  refusal === null
    ? plan.filled === 0
    : protects && (refusal.code === "FokUnfilled" || refusal.code === "InsufficientMargin");
