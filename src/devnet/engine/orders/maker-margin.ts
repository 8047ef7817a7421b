// May a maker's account carry the fill? Judged as the account will stand once the fills planned before it in the same match are made,
// so that one taker who hits several of its orders leaves it with the margin that it needs.

import { LEAVES, type MatchPlan, planMatch, STOP } from "../book/match-plan.ts";
import { feeTierOf } from "../clearing.ts";
import { bpsCeil, tickValueFloor } from "../exact.ts";
import { freeMargin } from "../margin/margin.ts";
import { beginTrial, equityIn, fillInTrial, freeMarginIn, releaseInTrial, type Trial } from "../margin/trial.ts";
import type { LiveOrder, MarketAccount } from "../records.ts";
import type { Core } from "../state.ts";

/** Plans an order's match with the book of its market, down to `limitTicks` at worst; the core's plan is overwritten. */
export function planOrder(core: Core, order: LiveOrder, limitTicks: number): void {
  let ample: bigint | null = null;
  const judge = (maker: LiveOrder, taker: LiveOrder, plan: MatchPlan<LiveOrder>): number => {
    if (maker.marketAccount.account === taker.marketAccount.account) return STOP;
    ample ??= mostCost(core, taker, taker.side === "buy" ? limitTicks : maker.ticks);
    return isAmple(maker, ample) ? maker.remaining : judgeClosely(maker, taker.remaining - plan.filled, plan);
  };
  planMatch(order.marketAccount.market.book, order, limitTicks, judge, core.plan);
}

/** Base units that rounding can cost one fill: fee, value, and what it would lose against the risk price. */
const ROUNDING = 4n;

/** The most that one match can cost a maker beyond the margin its orders hold: fees at the dearest price, and what is rounded. */
function mostCost({ openOrderCap }: Core, taker: LiveOrder, dearestTicks: number): bigint {
  const { market } = taker.marketAccount;
  const rounded = ROUNDING * BigInt(openOrderCap);
  let bps = 0;
  for (const tier of market.feeTiers) if (tier.makerFeeBps > bps) bps = tier.makerFeeBps;
  return bps === 0 ? rounded : rounded + bpsCeil(tickValueFloor(dearestTicks, taker.remaining, market.tickRate), bps);
}

/**
 * True where no fills of this match can use up what the account has free: the margin that its orders hold is there for them. A fill that
 * only reduces may take some along, since the others then lead to a larger position.
 */
const isAmple = ({ marketAccount, side }: LiveOrder, ample: bigint): boolean =>
  (side === "buy" ? marketAccount.reducingBuys : marketAccount.reducingSells) === 0 &&
  marketAccount.mode === "Cross" &&
  freeMargin(marketAccount.account) >= ample;

/**
 * A fill that may open needs free margin before and after it, all of the account's orders that still rest counted. One that only
 * reduces may use margin up, but run into no debt. `wanted`: what the taker still takes.
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

/** The market account with all that the plan does to it so far. */
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
