// ModifyOrder: an order that only gets smaller keeps its place; any other change sends it to the back of its new queue as if it
// had just arrived, so that it may also trade at once.

import { type Size, size } from "../../../domain/units.ts";
import type { Receipt } from "../../event.ts";
import type { Context, ModifyOrder, Refusal } from "../calls.ts";
import { orderOf } from "../describe.ts";
import { refreshMargin } from "../margin/margin.ts";
import type { LiveOrder } from "../records.ts";
import type { Core } from "../state.ts";
import { beginStep, failed, isRefusal, markBook, refuse, type Step, succeeded } from "../step.ts";
import { checkLimitPrice, unitsOf } from "./draft-order.ts";
import { checkEntry, enter, isMarketKind } from "./entry.ts";
import { findOrder, reserve } from "./live-orders.ts";

type Target = Pick<LiveOrder, "price" | "ticks" | "size" | "remaining">;

export function modify(core: Core, change: ModifyOrder, ctx: Context): Receipt {
  const order = findOrder(core, change.orderId);
  if (order === undefined) return failed(refuse("UnknownOrder", `order ${change.orderId} is not open`));
  const target = targetOf(order, change);
  if (isRefusal(target)) return failed(target);
  const inPlace = order.untriggered || (target.ticks === order.ticks && target.remaining <= order.remaining);
  if (inPlace) return changeInPlace(beginStep(core, ctx), order, target);
  const moved: LiveOrder = { ...order, ...target, level: null, ahead: null, behind: null };
  const refusal = checkEntry(core, moved, order);
  if (refusal !== null) return failed(refusal);
  return requeue(beginStep(core, ctx), order, moved);
}

/** What the order is asked to become; `newSize` counts what is filled. */
function targetOf(order: LiveOrder, change: ModifyOrder): Target | Refusal {
  const { newPrice, newSize } = change;
  if (newPrice === null && newSize === null)
    return refuse("NothingToModify", "a new price or a new size must be given");
  const { market } = order.holding;
  if (newPrice !== null) {
    if (isMarketKind(order)) return refuse("InvalidPrice", "an order without a limit price keeps none");
    const refusal = checkLimitPrice(market, newPrice);
    if (refusal !== null) return refusal;
  }
  const price = newPrice ?? order.price;
  const whole: Size = newSize ?? order.size;
  const units = unitsOf(whole);
  if (typeof units !== "number") return units;
  if (units <= order.filled) {
    return refuse("InvalidSize", `new size ${whole} must be above the ${order.filled} size units already filled`);
  }
  return { price, ticks: Number(price / market.tickSize), size: whole, remaining: units - order.filled };
}

function changeInPlace(step: Step, order: LiveOrder, target: Target): Receipt {
  const { holding } = order;
  if (order.level !== null && target.remaining < order.remaining) {
    reserve(order, target.remaining - order.remaining);
    holding.market.book.reduce(order, order.remaining - target.remaining);
    markBook(step, holding.market);
  }
  adopt(step, order, target);
  refreshMargin(holding);
  return succeeded(step);
}

function requeue(step: Step, order: LiveOrder, moved: LiveOrder): Receipt {
  const { market } = order.holding;
  reserve(order, -order.remaining);
  market.book.remove(order);
  markBook(step, market);
  adopt(step, order, moved);
  enter(step, order);
  return succeeded(step);
}

function adopt(step: Step, order: LiveOrder, target: Target): void {
  order.price = target.price;
  order.ticks = target.ticks;
  order.remaining = target.remaining;
  order.size = size(BigInt(order.filled + target.remaining));
  order.updatedAtMs = step.ctx.timeMs;
  step.core.log.order(order);
  step.events.push({ type: "OrderModified", order: orderOf(order) });
}
