// The orders that the exchange makes itself: they close a position, whole or in part, at what the market gives.

import type { OrderType } from "../../domain/order.ts";
import { orderId, price, size } from "../../domain/units.ts";
import type { Holding, LiveOrder } from "./records.ts";

/** Not numbered yet, and waiting for nothing. */
export function reducingOrder(
  holding: Holding,
  orderType: Extract<OrderType, "Market" | "StopMarket">,
  units: number,
  timeMs: number,
): LiveOrder {
  return {
    id: 0,
    orderId: orderId(0n),
    holding,
    side: holding.units > 0 ? "sell" : "buy",
    orderType,
    price: price(0n),
    ticks: 0,
    size: size(BigInt(units)),
    remaining: units,
    filled: 0,
    level: null,
    ahead: null,
    behind: null,
    listed: false,
    older: null,
    newer: null,
    triggerPrice: null,
    triggers: null,
    reduceOnly: true,
    postOnly: false,
    timeInForce: "IOC",
    maxSlippageBps: null,
    mode: holding.mode,
    leverage: holding.leverage,
    takeProfit: null,
    stopLoss: null,
    entryId: null,
    untriggered: false,
    createdAtMs: timeMs,
    updatedAtMs: timeMs,
  };
}
