// Checks whether a maker's account can carry a fill. Considers the fills planned earlier in the same match, so that a taker who hits
// several orders of one account leaves it with enough margin.

import { LEAVES, type MatchPlan, planMatch, STOP } from "../book/match-plan.ts";
import { feeTierOf } from "../clearing.ts";
import { bpsCeil, tickValueFloor } from "../exact.ts";
import { freeMargin } from "../margin/margin.ts";
import { beginTrial, equityIn, fillInTrial, freeMarginIn, releaseInTrial, type Trial } from "../margin/trial.ts";
import type { LiveOrder, MarketAccount } from "../records.ts";
import type { Core } from "../state.ts";

/** Plans an order's match with its market's book, up to `limitTicks`; overwrites the core's plan. */
export function planOrder(core: Core, order: LiveOrder, limitTicks: number): void {
  let ample: bigint | null = null;
  const judge = (maker: LiveOrder, taker: LiveOrder, plan: MatchPlan<LiveOrder>): number => {
    if (maker.marketAccount.account === taker.marketAccount.account) return STOP;
    ample ??= mostCost(core, taker, taker.side === "buy" ? limitTicks : maker.ticks);
    return isAmple(maker, ample) ? maker.remaining : judgeClosely(maker, taker.remaining - plan.filled, plan);
  };
  planMatch(order.marketAccount.market.book, order, limitTicks, judge, core.plan);
}

/** Most base units that rounding can cost one fill: fee, value, and loss against the risk price. */
const ROUNDING = 4n;

/** Most that one match can cost a maker beyond the margin reserved for its orders: fees at the highest price, and rounding. */
function mostCost({ openOrderCap }: Core, taker: LiveOrder, dearestTicks: number): bigint {
  const { market } = taker.marketAccount;
  const rounded = ROUNDING * BigInt(openOrderCap);
  let bps = 0;
  for (const tier of market.feeTiers) if (tier.makerFeeBps > bps) bps = tier.makerFeeBps;
  return bps === 0 ? rounded : rounded + bpsCeil(tickValueFloor(dearestTicks, taker.remaining, market.tickRate), bps);
}

/**
 * True if no fills of this match can use up the account's free margin, because its orders have reserved theirs. Not for accounts with
 * reduce-only orders on that side: their fills may use reserved margin, because the other orders then lead to a larger position.
 */
const isAmple = ({ marketAccount, side }: LiveOrder, ample: bigint): boolean =>
  (side === "buy" ? marketAccount.reducingBuys : marketAccount.reducingSells) === 0 &&
  marketAccount.mode === "Cross" &&
  freeMargin(marketAccount.account) >= ample;

/**
 * A fill that may open needs free margin before and after it, with all of the account's remaining orders counted. A fill that only reduces
 * may use up margin, but must not cause debt. `wanted`: units that the taker still takes.
 */
function judgeClosely(maker: LiveOrder, wanted: number, plan: MatchPlan<LiveOrder>): number {
  const trial = trialIn(plan, maker.marketAccount);
  const closable = Math.max(0, maker.side === "buy" ? -trial.units : trial.units);
  const most = maker.reduceOnly ? Math.min(maker.remaining, closable) : maker.remaining;
  if (most === 0) return 0;
  const [equity, free] = [equityIn(trial), freeMarginIn(trial)];
  fillMaker(trial, maker, Math.min(most, wanted));
  if (trial.debt > 0n) return LEAVES;
  if (free >= 0n && freeMarginIn(trial) >= 0n) return most;
  const left = equityIn(trial);
  return (maker.reduceOnly || maker.remaining <= closable) && (left >= 0n || left >= equity) ? most : LEAVES;
}

/** The market account after everything that is planned so far. */
function trialIn(plan: MatchPlan<LiveOrder>, marketAccount: MarketAccount): Trial {
  const trial = beginTrial(marketAccount, marketAccount.mode);
  for (let row = 0; row < plan.count; row += 1) {
    const maker = plan.makers[row];
    if (maker?.marketAccount !== marketAccount) continue;
    if (plan.leaves[row]) releaseInTrial(trial, maker, maker.remaining);
    else fillMaker(trial, maker, plan.units[row] ?? 0);
  }
  return trial;
}

function fillMaker(trial: Trial, maker: LiveOrder, units: number): void {
  if (units === 0) return;
  const { account, market } = maker.marketAccount;
  const value = tickValueFloor(maker.ticks, units, market.tickRate);
  releaseInTrial(trial, maker, units);
  fillInTrial(trial, maker, units, value);
  trial.gained -= bpsCeil(value, feeTierOf(account, market).makerFeeBps);
}
