// CancelOrder and CancelAllOrders: resting and untriggered orders alike, in any status of the market.

import type { AccountId, MarketId, OrderId } from "../../domain/units.ts";
import type { Receipt } from "../event.ts";
import type { Context } from "./calls.ts";
import { refreshMargin } from "./margin/margin.ts";
import { cancelOrder, findOrder } from "./orders/live-orders.ts";
import { type Account, keyOf, type LiveOrder } from "./records.ts";
import { ordersIn } from "./roster.ts";
import type { Core } from "./state.ts";
import { beginStep, failed, refuse, succeeded } from "./step.ts";

export function cancel(core: Core, id: OrderId, ctx: Context): Receipt {
  const order = findOrder(core, id);
  if (order === undefined) return failed(refuse("UnknownOrder", `order ${id} is not open`));
  const step = beginStep(core, ctx);
  cancelOrder(step, order, "UserCanceled");
  refreshMargin(order.holding);
  return succeeded(step);
}

/** With nothing to cancel it is a success without events. */
export function cancelAll(core: Core, accountId: AccountId, marketId: MarketId | null, ctx: Context): Receipt {
  const account = core.accounts.get(keyOf(accountId));
  if (account === undefined) return failed(refuse("UnknownAccount", `account ${accountId} does not exist`));
  if (marketId !== null && !core.markets.has(marketId)) {
    return failed(refuse("UnknownMarket", `market ${marketId} does not exist`));
  }
  const step = beginStep(core, ctx);
  for (const order of marketId === null ? ordersOf(account) : ordersInMarket(account, marketId)) {
    cancelOrder(step, order, "UserCanceled");
    refreshMargin(order.holding);
  }
  return succeeded(step);
}

function ordersInMarket(account: Account, marketId: MarketId): readonly LiveOrder[] {
  const holding = account.holdings.get(marketId);
  return holding === undefined ? [] : ordersIn(holding);
}

/** All live orders of an account, oldest first. */
export function ordersOf(account: Account): readonly LiveOrder[] {
  const orders: LiveOrder[] = [];
  for (const holding of account.holdings.values()) orders.push(...ordersIn(holding));
  return orders.sort((a, b) => a.id - b.id);
}
