// A market's tick, as the operator changes it while the market is open. What rests was priced in the old one, so the book is cleared;
// positions stay as they are.

import type { MarketId, Price } from "../../domain/units.ts";
import type { Receipt } from "../event.ts";
import type { Context } from "./calls.ts";
import { rateAt } from "./exact.ts";
import { refresh } from "./margin/margin.ts";
import { setBand } from "./market/prices.ts";
import { cancelOrder } from "./orders/live-orders.ts";
import type { MarketState } from "./records.ts";
import { ordersIn } from "./roster.ts";
import type { Core } from "./state.ts";
import { beginStep, failed, refuse, succeeded } from "./step.ts";

export function setTickSize(core: Core, id: MarketId, tickSize: Price, ctx: Context): Receipt {
  const market = core.markets.get(id);
  if (market === undefined) return failed(refuse("UnknownMarket", `market ${id} does not exist`));
  if (tickSize <= 0n) return failed(refuse("InvalidPrice", "a tick is above zero"));
  const step = beginStep(core, ctx);
  if (market.tickSize === tickSize) return succeeded(step);
  for (const holding of market.holdings) {
    for (const order of ordersIn(holding)) cancelOrder(step, order, "MarketClosed");
    refresh(holding);
  }
  takeTickSize(market, tickSize);
  core.log.tickSize(market);
  return succeeded(step);
}

/** With nothing resting. */
export function takeTickSize(market: MarketState, tickSize: Price): void {
  market.tickSize = tickSize;
  market.tickRate = rateAt(tickSize);
  if (market.oraclePrice !== 0n) setBand(market);
}
