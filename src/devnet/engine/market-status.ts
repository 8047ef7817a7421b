// A market's status, as the operator sets it: Active trades, Paused only reduces, Settling takes no orders, Settled has closed
// every position at the last oracle price.

import type { MarketId } from "../../domain/units.ts";
import type { MarketConfig } from "../config/config.ts";
import type { Receipt } from "../event.ts";
import type { Context } from "./calls.ts";
import { refresh } from "./margin/margin.ts";
import { cancelOrder } from "./orders/live-orders.ts";
import { ordersIn } from "./roster.ts";
import { settlePositions } from "./settlement.ts";
import type { Core } from "./state.ts";
import { beginStep, failed, refuse, succeeded } from "./step.ts";

export function setMarketStatus(core: Core, id: MarketId, status: MarketConfig["status"], ctx: Context): Receipt {
  const market = core.markets.get(id);
  if (market === undefined) return failed(refuse("UnknownMarket", `market ${id} does not exist`));
  if (market.status === "Settled" && status !== "Settled") {
    return failed(refuse("MarketSettled", `market ${id} is settled for good`));
  }
  const step = beginStep(core, ctx);
  if (market.status === status) return succeeded(step);
  market.status = status;
  if (status === "Settling" || status === "Settled") {
    for (const holding of market.holdings) {
      for (const order of ordersIn(holding)) cancelOrder(step, order, "MarketClosed");
      refresh(holding);
    }
  }
  if (status === "Settled") settlePositions(step, market);
  market.triggersDue = true;
  core.log.market(market);
  step.events.push({ type: "MarketStatusChanged", marketId: id, status });
  return succeeded(step);
}
