// Orders that wait for a price: stops of their own and attached exits. They go by the risk price and are looked at when a block
// begins, oldest first; a triggered one enters the market like an order that has just come. A market stop goes off only where the
// book has something for it, so that an empty book leaves no position without its stop.

import type { Price } from "../../../domain/units.ts";
import type { Refusal } from "../calls.ts";
import { closableUnits, refresh } from "../margin/margin.ts";
import type { LiveOrder, MarketState } from "../records.ts";
import type { Core, Step } from "../state.ts";
import { checkEntry, enter, isMarketKind, reasonOf } from "./entry.ts";
import { cancelOrder, exitsOf, stopAwaiting } from "./live-orders.ts";
import { tellModified } from "./resize.ts";

/** Triggers what the risk price has reached. Where the market or its oracle stands still, only what reduces goes. */
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
 * A market stop that would fill nothing stays as it is, for the next block to try. Of one that only reduces, what does not fill waits
 * on, and its account hears of it. The exit that fills whole cancels the other one of its entry. Any other order that may not go on is canceled with the reason.
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
  // Clipped to what its position leaves it.
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

/** True where the book has nothing for a market stop, or nothing that an order which only reduces may take. */
const fillsNothing = ({ plan }: Core, refusal: Refusal | null, protects: boolean): boolean =>
  refusal === null
    ? plan.filled === 0
    : protects && (refusal.code === "FokUnfilled" || refusal.code === "InsufficientMargin");
