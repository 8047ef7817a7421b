// Checks whether the account's margin covers what an order would do. Uses the plan: exact fills, exact fees, and the margin of position and
// orders afterwards. Isolated margin is computed fill by fill.

import { leverageCap } from "../../../domain/margin.ts";
import type { MatchPlan } from "../book/match-plan.ts";
import type { Refusal } from "../calls.ts";
import { feeTierOf } from "../clearing.ts";
import { bpsCeil, tickValueFloor } from "../exact.ts";
import {
  adverseOf,
  adverseUsdc,
  type Carried,
  closableUnits,
  freeMargin,
  modeOf,
  notionalAtRisk,
  requirementOf,
  valueAtRisk,
  worstUnits,
} from "../margin/margin.ts";
import { leverageAfter, lowerLeverage } from "../margin/position.ts";
import { beginTrial, fillInTrial, type Trial } from "../margin/trial.ts";
import type { LiveOrder } from "../records.ts";
import { refuse } from "../state.ts";

/** Cost of the plan's fills to the taker in USDC base units, `fees` included. */
type Outlay = { readonly value: bigint; readonly fees: bigint };

/** Null if the order may proceed as planned. `resting`: the part that would rest. `replaced`: the order that it replaces. */
export function checkMargin(
  order: LiveOrder,
  plan: MatchPlan<LiveOrder>,
  resting: number,
  replaced: LiveOrder | null,
): Refusal | null {
  const { marketAccount } = order;
  const { account } = marketAccount;
  const next = marketAccountAfter(order, plan.filled, resting, replaced);
  if (!Number.isSafeInteger(worstUnits(next.units, next.buyUnits, next.sellUnits))) {
    return refuse("SizeLimit", "position is beyond what this market can count exactly");
  }
  const refusal = checkTierLeverage(order, next);
  if (refusal !== null) return refusal;
  const { value, fees } = outlayOf(order, plan);
  const isolated = next.mode === "Isolated" ? walkIsolated(order, plan) : null;
  if (isolated !== null && isolated.debt > 0n) return insufficient(isolated.debt);
  const taken = isolated === null ? lossOf(order, plan.filled, value) : -isolated.gained;
  const kept = freeMargin(account) + marketAccount.initial - requirementOf(marketAccount, next) - fees - taken;
  if (kept >= 0n) return null;
  const left = account.balance + account.unrealized - fees - taken;
  return left >= adverseUsdc(next.adverse) && onlyReduces(order, next, replaced) ? null : insufficient(-kept);
}

/** The market account after the order, under the order's terms. */
function marketAccountAfter(order: LiveOrder, filled: number, resting: number, replaced: LiveOrder | null): Carried {
  const { marketAccount, side, reduceOnly } = order;
  const bought = side === "buy";
  const units = bought ? marketAccount.units + filled : marketAccount.units - filled;
  const opening = reduceOnly ? 0 : resting;
  const freed = replaced === null || replaced.reduceOnly ? 0 : replaced.remaining;
  let { adverse } = marketAccount;
  if (replaced !== null) adverse -= adverseOf(side, replaced.price, replaced.remaining, marketAccount.market);
  if (resting > 0) adverse += adverseOf(side, order.price, resting, marketAccount.market);
  return {
    mode: reduceOnly ? marketAccount.mode : modeOf(order),
    leverage: leverageAfter(marketAccount, units, order.leverage),
    asked: opening > 0 ? lowerLeverage(marketAccount.asked, order.leverage) : marketAccount.asked,
    units,
    buyUnits: bought ? marketAccount.buyUnits - freed + opening : marketAccount.buyUnits,
    sellUnits: bought ? marketAccount.sellUnits : marketAccount.sellUnits - freed + opening,
    adverse,
  };
}

/** The order's leverage must be allowed at the account's worst resulting size, unless that size is no larger than before. */
function checkTierLeverage(order: LiveOrder, next: Carried): Refusal | null {
  if (order.leverage === 0 || order.reduceOnly) return null;
  const { market, units, buyUnits, sellUnits } = order.marketAccount;
  const worst = worstUnits(next.units, next.buyUnits, next.sellUnits);
  if (worst <= worstUnits(units, buyUnits, sellUnits)) return null;
  const cap = leverageCap(market, notionalAtRisk(market, worst));
  if (order.leverage <= cap) return null;
  return refuse("LeverageTooHigh", `leverage ${order.leverage} is above the cap ${cap} of the tier of this size`);
}

function outlayOf(order: LiveOrder, plan: MatchPlan<LiveOrder>): Outlay {
  if (plan.filled === 0) return NO_OUTLAY;
  const { account, market } = order.marketAccount;
  const { takerFeeBps } = feeTierOf(account, market);
  let value = 0n;
  let fees = 0n;
  for (let row = 0; row < plan.count; row += 1) {
    const maker = plan.makers[row];
    const units = plan.units[row];
    if (maker === undefined || units === undefined || units === 0) continue;
    const part = tickValueFloor(maker.ticks, units, market.tickRate);
    value += part;
    fees += bpsCeil(part, takerFeeBps);
  }
  return { value, fees };
}

const NO_OUTLAY: Outlay = { value: 0n, fees: 0n };

/** Loss against the risk price when trading `units` for `value`; negative for a gain. */
function lossOf(order: LiveOrder, units: number, value: bigint): bigint {
  if (units === 0) return 0n;
  const { market, units: held } = order.marketAccount;
  const bought = order.side === "buy";
  const gained = valueAtRisk(market, bought ? held + units : held - units) - valueAtRisk(market, held);
  return (bought ? value : -value) - gained;
}

/** True if the whole order can only reduce the position, whatever else fills, and needs no more margin. */
function onlyReduces(order: LiveOrder, next: Carried, replaced: LiveOrder | null): boolean {
  if (order.reduceOnly) return true;
  const { marketAccount, side } = order;
  const others = (side === "buy" ? marketAccount.buyUnits : marketAccount.sellUnits) - (replaced?.remaining ?? 0);
  if (order.remaining + others > closableUnits(marketAccount, side)) return false;
  return (
    requirementOf(marketAccount, { ...next, adverse: 0n }) <=
    requirementOf(marketAccount, { ...marketAccount, adverse: 0n })
  );
}

const insufficient = (missing: bigint): Refusal =>
  refuse("InsufficientMargin", `insufficient margin: ${missing} USDC base units short`);

/** The account's isolated position after the plan's fills, up to the first fill that would leave its bucket in debt. */
function walkIsolated(order: LiveOrder, plan: MatchPlan<LiveOrder>): Trial {
  const trial = beginTrial(order.marketAccount, "Isolated");
  const { tickRate } = order.marketAccount.market;
  for (let row = 0; row < plan.count && trial.debt === 0n; row += 1) {
    const maker = plan.makers[row];
    const units = plan.units[row] ?? 0;
    if (maker === undefined || units === 0) continue;
    fillInTrial(trial, order, units, tickValueFloor(maker.ticks, units, tickRate));
  }
  return trial;
}
