// Orders that wait for a price: stops of their own and attached exits. They go by the risk price and are looked at when a block
// begins, oldest first; a triggered one enters the market like an order that has just come.

import type { Price } from "../../../domain/units.ts";
import { refresh } from "../margin/margin.ts";
import type { LiveOrder, MarketState } from "../records.ts";
import type { Step } from "../state.ts";
import { checkEntry, enter, reasonOf } from "./entry.ts";
import { exitsOf } from "./exits.ts";
import { cancelOrder, stopAwaiting } from "./live-orders.ts";

/** Triggers what the risk price has reached. Where the market or its oracle stands still, only what reduces goes. */
export function runTriggers(step: Step, market: MarketState): void {
  if (!market.triggersDue) return;
  market.triggersDue = false;
  const open = market.status === "Active" && market.oracleStatus !== "Halted";
  for (const order of [...market.untriggered]) {
    const waits = !isReached(order, market.risk.price) || !(open || order.reduceOnly);
    if (!waits && order.untriggered) trigger(step, order);
  }
}

const isReached = (order: LiveOrder, at: Price): boolean =>
  order.triggerPrice !== null && (order.triggers === "above" ? at >= order.triggerPrice : at <= order.triggerPrice);

/** One exit of an entry cancels the other. An order that may not go on is canceled with the reason. */
function trigger(step: Step, order: LiveOrder): void {
  const { marketAccount } = order;
  stopAwaiting(order);
  step.core.log.order(order);
  step.events.push({
    type: "OrderTriggered",
    orderId: order.orderId,
    accountId: marketAccount.account.id,
    marketId: marketAccount.market.id,
  });
  for (const exit of exitsOf(marketAccount, order.entryId)) cancelOrder(step, exit, "Oco");
  const refusal = checkEntry(step.core, order, null);
  if (refusal === null) enter(step, order);
  else cancelOrder(step, order, reasonOf(refusal));
  refresh(marketAccount);
}
