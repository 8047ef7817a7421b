// PlaceOrder: a plain order enters the market at once, a conditional one waits for its trigger.

import type { Receipt } from "../event.ts";
import { keepHolding } from "./accounts/holdings.ts";
import type { Context, PlaceOrder, Refusal } from "./calls.ts";
import { orderOf } from "./describe.ts";
import { draftOrder } from "./orders/draft-order.ts";
import { checkEntry, checkSlots, enter } from "./orders/entry.ts";
import { awaitTrigger, numberOrder } from "./orders/live-orders.ts";
import type { LiveOrder } from "./records.ts";
import type { Core } from "./state.ts";
import { beginStep, failed, isRefusal, refuse, succeeded } from "./step.ts";

export function place(core: Core, input: PlaceOrder, ctx: Context): Receipt {
  const order = draftOrder(core, input, ctx);
  if (isRefusal(order)) return failed(order);
  const waits = order.triggers !== null;
  const refusal = waits ? checkWaiting(core, order) : checkEntry(core, order, null);
  if (refusal !== null) return failed(refusal);
  const step = beginStep(core, ctx);
  numberOrder(core, order);
  if (waits) {
    keepHolding(order.holding);
    awaitTrigger(step, order);
  }
  step.events.push({ type: "OrderPlaced", order: orderOf(order) });
  if (!waits) enter(step, order);
  return succeeded(step);
}

/** What can be said of a conditional order before its time: its margin and its position are looked at when it triggers. */
function checkWaiting(core: Core, order: LiveOrder): Refusal | null {
  const { market } = order.holding;
  if (market.oraclePrice === 0n) return refuse("NoOraclePrice", "the market has no oracle price yet");
  if (
    market.status === "Settling" ||
    market.status === "Settled" ||
    (market.status !== "Active" && !order.reduceOnly)
  ) {
    return refuse("MarketNotActive", `market ${market.id} is ${market.status}`);
  }
  return checkSlots(core, order, 1);
}
