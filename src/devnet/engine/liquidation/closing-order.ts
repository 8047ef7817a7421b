// The exchange's own market order, which takes a position to the book: of liquidations, and of the backstop account.

import { orderOf } from "../describe.ts";
import { notionalAtRisk } from "../margin/margin.ts";
import { reducingOrder } from "../orders/draft-order.ts";
import { enter } from "../orders/entry.ts";
import { numberOrder } from "../orders/live-orders.ts";
import { planOrder } from "../orders/maker-margin.ts";
import type { MarketAccount } from "../records.ts";
import type { Step } from "../state.ts";

/** Positions above this go to the book by a fifth first, and the rest after the pause. */
const LARGE_NOTIONAL = 100_000_000_000n;
export const PAUSE_MS = 30_000;

/** What goes first, in size units: a fifth of a large position, else all of it. */
export function firstPart({ market, units }: MarketAccount): number {
  const held = Math.abs(units);
  return notionalAtRisk(market, held) > LARGE_NOTIONAL ? Math.ceil(held / 5) : held;
}

/** Takes `units` to the book, at `limitTicks` at worst. False where the book has nothing there: then nothing has happened. */
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
