// What a plan's fills would do to isolated margin, walked one by one as clearing will carry them out: a fill gives what it gains
// away at once, so it pays for none that loses.

import type { MatchPlan } from "./book/match-plan.ts";
import { tickValueFloor } from "./exact.ts";
import { calledFor, closedUnits, releasedOf } from "./margin/isolated.ts";
import { valueAtRisk } from "./margin/margin.ts";
import { bookTrade } from "./margin/position.ts";
import type { LiveOrder } from "./records.ts";

/**
 * USDC: `debt` that the first fill to overdraw the bucket would leave in it, or 0, and what the fills up to there take from the
 * cross collateral for the bucket, less what they give back.
 */
type Walked = { readonly debt: bigint; readonly taken: bigint };

/** `leverage`: the holding's with the order's terms in force. */
export function walkIsolated(order: LiveOrder, plan: MatchPlan<LiveOrder>, leverage: number): Walked {
  const { market, units, cost, bucket } = order.holding;
  const trial = { market, leverage, units, cost };
  let { balance } = bucket;
  let taken = 0n;
  for (let row = 0; row < plan.count; row += 1) {
    const maker = plan.makers[row];
    const filled = plan.units[row] ?? 0;
    if (maker === undefined || filled === 0) continue;
    const { units: held, cost: heldCost } = trial;
    const realized = bookTrade(trial, order.side, filled, tickValueFloor(maker.ticks, filled, market.tickRate));
    const closed = closedUnits(held, trial.units);
    if (closed > 0) {
      const rest = closed === Math.abs(held) ? 0n : valueAtRisk(market, trial.units) - trial.cost;
      const left = balance + realized + rest;
      if (left < 0n) return { debt: -left, taken };
      const released = releasedOf(balance, held, closed, realized);
      balance += realized - released;
      taken -= released;
    }
    taken += calledFor(trial, held, heldCost);
  }
  return { debt: 0n, taken };
}
