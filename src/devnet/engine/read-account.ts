// An account as the engine knows it, for reads.

import type { Position } from "../../domain/account.ts";
import type { Order } from "../../domain/order.ts";
import { type AccountId, type OrderId, usdc } from "../../domain/units.ts";
import { lifetimeOf, trailingOf } from "./accounts/volume.ts";
import type { TradingAccount } from "./calls.ts";
import { ordersOf } from "./cancel.ts";
import { orderOf, positionOf } from "./describe.ts";
import { availableCollateral, equityBehind, maintenanceOf } from "./margin/margin.ts";
import { findOrder } from "./orders/live-orders.ts";
import { keyOf } from "./records.ts";
import type { Core } from "./state.ts";

export function readOrder(core: Core, id: OrderId): Order | undefined {
  const order = findOrder(core, id);
  return order === undefined ? undefined : orderOf(order);
}

export function readAccount(core: Core, id: AccountId): TradingAccount | undefined {
  const account = core.accounts.get(keyOf(id));
  if (account === undefined) return undefined;
  const holdings = [...account.holdings.values()];
  const cross = holdings.filter((holding) => holding.mode === "Cross");
  const isolated = holdings.filter((holding) => holding.mode === "Isolated" && holding.units !== 0);
  const crossEquity = account.balance + account.unrealized;
  return {
    accountId: account.id,
    masterAccountId: account.masterId,
    collateral: usdc(account.balance),
    availableCollateral: availableCollateral(account),
    equity: usdc(isolated.reduce((sum, holding) => sum + equityBehind(holding), crossEquity)),
    initialMargin: usdc(account.initial),
    maintenanceMargin: usdc(cross.reduce((sum, holding) => sum + maintenanceOf(holding), 0n)),
    positions: holdings.map(positionOf).filter((position): position is Position => position !== undefined),
    openOrders: ordersOf(account).map(orderOf),
    volume30d: usdc(trailingOf(account.volume)),
    feeTierVolume30d: usdc(trailingOf(account.family.volume)),
    lifetimeVolume: usdc(lifetimeOf(account.volume)),
  };
}
