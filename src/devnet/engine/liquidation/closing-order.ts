// The exchange's own market order that closes a position through the book: for liquidations and for the backstop account.

import { orderOf } from "../describe.ts";
import { notionalAtRisk } from "../margin/margin.ts";
import { reducingOrder } from "../orders/draft-order.ts";
import { enter } from "../orders/entry.ts";
import { numberOrder } from "../orders/live-orders.ts";
import { planOrder } from "../orders/maker-margin.ts";
import type { MarketAccount } from "../records.ts";
import type { Step } from "../state.ts";

/** A position above this notional goes to the book in two parts: a fifth first, the rest after the pause. */
const LARGE_NOTIONAL = 100_000_000_000n;
export const PAUSE_MS = 30_000;

/** Units that go first: a fifth of a large position, else all. */
export function firstPart({ market, units }: MarketAccount): number {
  const held = Math.abs(units);
  return notionalAtRisk(market, held) > LARGE_NOTIONAL ? Math.ceil(held / 5) : held;
}

/** Sends `units` to the book, at `limitTicks` at worst. Returns false, and changes nothing, if the book has nothing there. */
export function closeThroughBook(step: Step, marketAccount: MarketAccount, units: number, limitTicks: number): boolean {
  const { core, ctx } = step;
  const order = reducingOrder(marketAccount, "Market", units, ctx.timeMs);
  planOrder(core, order, limitTicks);
  if (core.plan.filled === 0) return false;
  numberOrder(core, order);
  step.events.push({ type: "OrderPlaced", order: orderOf(order) });
  enter(step, order);
  return true;
}
