// What a taker may take from each order it meets: never its own account's, of a reduce-only order what it can still close, and
// of an account that could not open the order now nothing (the resting side is checked again at each match).

import { type MatchPlan, STOP } from "./book/match-plan.ts";
import { adverseUsdc, closableUnits, equityBehind, freeMargin } from "./margin/margin.ts";
import type { LiveOrder } from "./records.ts";

/** Judges by how the maker's account stood before the taker came; fills of its own orders do not shrink what stands behind them. */
export function judgeMaker(maker: LiveOrder, taker: LiveOrder, plan: MatchPlan<LiveOrder>): number {
  if (maker.holding.account === taker.holding.account) return STOP;
  if (!carries(maker)) return 0;
  if (!maker.reduceOnly) return maker.remaining;
  return Math.max(0, Math.min(maker.remaining, closableUnits(maker.holding, maker.side) - plannedUnits(maker, plan)));
}

/** True when the maker's account can bear the fill: it has free margin, or the fill only reduces and its loss is covered. */
function carries(maker: LiveOrder): boolean {
  const { holding } = maker;
  if (holding.adverse > 0n && equityBehind(holding) < adverseUsdc(holding.adverse)) return false;
  return freeMargin(holding.account) >= 0n || maker.remaining <= closableUnits(holding, maker.side);
}

/** What the plan already fills of the same holding. */
function plannedUnits(maker: LiveOrder, plan: MatchPlan<LiveOrder>): number {
  let planned = 0;
  for (let row = 0; row < plan.count; row += 1) {
    if (plan.makers[row]?.holding === maker.holding) planned += plan.units[row] ?? 0;
  }
  return planned;
}
