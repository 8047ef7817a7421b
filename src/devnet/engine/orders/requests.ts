// PlaceOrder, ModifyOrder, CancelOrder and CancelAllOrders: each is refused as a whole or executed as a whole in one step.

import { type AccountId, type MarketId, type OrderId, type Price, size } from "../../../domain/units.ts";
import type { Receipt } from "../../event.ts";
import { keepMarketAccount } from "../accounts/market-accounts.ts";
import type { Context, ModifyOrder, PlaceOrder, Refusal } from "../calls.ts";
import { orderOf } from "../describe.ts";
import { closableUnits, modeOf, refreshMargin } from "../margin/margin.ts";
import { type Account, keyOf, type LiveOrder } from "../records.ts";
import { beginStep, type Core, failed, isRefusal, markBook, refuse, type Step, succeeded } from "../state.ts";
import { checkLimitPrice, draftOrder, unitsOf } from "./draft-order.ts";
import { checkEntry, checkSlots, checkStatus, enter, isMarketKind } from "./entry.ts";
import {
  awaitTrigger,
  cancelOrder,
  exitsOf,
  findOrder,
  numberOrder,
  ordersIn,
  ordersOf,
  reserve,
} from "./live-orders.ts";
import { shrinkResting, tellModified } from "./resize.ts";

export function place(core: Core, input: PlaceOrder, ctx: Context): Receipt {
  const order = draftOrder(core, input, ctx);
  if (isRefusal(order)) return failed(order);
  const waits = order.triggers !== null;
  const refusal = waits ? checkWaiting(core, order) : checkEntry(core, order, null);
  if (refusal !== null) return failed(refusal);
  const step = beginStep(core, ctx);
  if (!waits) order.mode = modeOf(order);
  numberOrder(core, order);
  if (waits) {
    keepMarketAccount(order.marketAccount);
    awaitTrigger(step, order);
  }
  step.events.push({ type: "OrderPlaced", order: orderOf(order) });
  if (!waits) enter(step, order);
  return succeeded(step);
}

/** Early checks of a conditional order; its margin and position are checked when it triggers. */
function checkWaiting(core: Core, order: LiveOrder): Refusal | null {
  return checkStatus(order) ?? checkSlots(core, order, 1);
}

type Target = Pick<LiveOrder, "price" | "ticks" | "triggerPrice" | "size" | "remaining">;

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

/**
 * Requested new state of the order; `newSize` includes the filled part. `newPrice` is the limit price, or the trigger price of a waiting
 * stop without a limit (such as an attached exit).
 */
function targetOf(order: LiveOrder, change: ModifyOrder): Target | Refusal {
  const { newPrice, newSize } = change;
  if (newPrice === null && newSize === null)
    return refuse("NothingToModify", "a new price or a new size must be given");
  const { market } = order.marketAccount;
  const movesTrigger = isMarketKind(order);
  if (newPrice !== null) {
    const refusal = movesTrigger ? checkTrigger(order, newPrice) : checkLimitPrice(market, newPrice);
    if (refusal !== null) return refusal;
  }
  const price = movesTrigger ? order.price : (newPrice ?? order.price);
  const triggerPrice = movesTrigger ? (newPrice ?? order.triggerPrice) : order.triggerPrice;
  const units = unitsOf(newSize ?? order.size);
  if (typeof units !== "number") return units;
  if (units <= order.filled) {
    return refuse("InvalidSize", `new size ${units} must be above the ${order.filled} size units already filled`);
  }
  const remaining = Math.min(units - order.filled, exitLimit(order));
  return {
    price,
    ticks: Number(price / market.tickSize),
    triggerPrice,
    size: size(BigInt(order.filled + remaining)),
    remaining,
  };
}

/** A waiting exit must stay on its side of the other exit of its entry. */
function checkTrigger(order: LiveOrder, trigger: Price): Refusal | null {
  if (trigger <= 0n) return refuse("InvalidTrigger", "trigger price must be above 0");
  const crossed = exitsOf(order.marketAccount, order.entryId).some(
    ({ triggers, triggerPrice }) =>
      triggers !== order.triggers &&
      triggerPrice !== null &&
      (triggers === "below" ? trigger <= triggerPrice : trigger >= triggerPrice),
  );
  return crossed ? refuse("InvalidExit", "take profit must lie on the profit side of the stop loss") : null;
}

/** An exit is never larger than the position. */
const exitLimit = ({ entryId, marketAccount, side }: LiveOrder): number =>
  entryId === null ? Number.MAX_SAFE_INTEGER : closableUnits(marketAccount, side);

function changeInPlace(step: Step, order: LiveOrder, target: Target): Receipt {
  const { marketAccount } = order;
  if (order.level !== null && target.remaining < order.remaining) {
    shrinkResting(step, order, order.remaining - target.remaining);
  }
  adopt(step, order, target);
  refreshMargin(marketAccount);
  return succeeded(step);
}

function requeue(step: Step, order: LiveOrder, moved: LiveOrder): Receipt {
  const { market } = order.marketAccount;
  reserve(order, -order.remaining);
  market.book.remove(order);
  markBook(step, market);
  adopt(step, order, moved);
  enter(step, order);
  return succeeded(step);
}

function adopt(step: Step, order: LiveOrder, target: Target): void {
  if (order.triggerPrice !== target.triggerPrice) {
    order.triggerPrice = target.triggerPrice;
    order.marketAccount.market.triggersDue = true;
    step.core.log.terms(order);
  }
  order.price = target.price;
  order.ticks = target.ticks;
  order.remaining = target.remaining;
  tellModified(step, order);
}

export function cancel(core: Core, id: OrderId, ctx: Context): Receipt {
  const order = findOrder(core, id);
  if (order === undefined) return failed(refuse("UnknownOrder", `order ${id} is not open`));
  const step = beginStep(core, ctx);
  cancelOrder(step, order, "UserCanceled");
  refreshMargin(order.marketAccount);
  return succeeded(step);
}

/** If there is nothing to cancel, it succeeds without events. */
export function cancelAll(core: Core, accountId: AccountId, marketId: MarketId | null, ctx: Context): Receipt {
  const account = core.accounts.get(keyOf(accountId));
  if (account === undefined) return failed(refuse("UnknownAccount", `account ${accountId} does not exist`));
  if (marketId !== null && !core.markets.has(marketId)) {
    return failed(refuse("UnknownMarket", `market ${marketId} does not exist`));
  }
  const step = beginStep(core, ctx);
  for (const order of marketId === null ? ordersOf(account) : ordersInMarket(account, marketId)) {
    cancelOrder(step, order, "UserCanceled");
    refreshMargin(order.marketAccount);
  }
  return succeeded(step);
}

function ordersInMarket(account: Account, marketId: MarketId): readonly LiveOrder[] {
  const marketAccount = account.markets.get(marketId);
  return marketAccount === undefined ? [] : ordersIn(marketAccount);
}
