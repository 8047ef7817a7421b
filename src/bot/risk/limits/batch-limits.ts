// Limits on an order together with all live orders: self trade, count, rate and worst case. Every comparison is written so that NaN exceeds
// the limit.

import { reduced } from "../../../domain/exposure.ts";
import { type Size, size } from "../../../domain/units.ts";
import { fresh, lastKnown } from "../../../domain/view.ts";
import type { Facts } from "../../../kernel/errors.ts";
import type { RiskInputs } from "../risk-state.ts";
import { within } from "../window.ts";
import type { LimitId, LimitRule } from "./limit-rule.ts";
import type { Proposal } from "./proposal.ts";
import { ownAgainst, type Tally } from "./tally.ts";
import { grossNotionalOver, marginBaseOf, marginOver, positionOver } from "./worst-case.ts";

export const batchLimits = {
  selfTrade: {
    controls: "A11",
    rule: "An own bid stays below every own ask; each order counts at its price and at the price that it moves to.",
    missing: "an own order of unresolved price counts at each price that it may have",
    limits: [],
    judges: "every",
    resting: false,
    exceeded: ({ side, price }, _, tally) => {
      const own = ownAgainst(tally, side);
      if (own === null) return null;
      const apart = price !== null && (side === "buy" ? price < own : price > own);
      return apart ? null : { price, own };
    },
  },

  duplicate: {
    controls: "A9",
    rule: "No second order for a slot (side and level) while the first is unanswered.",
    missing: "an order whose answer was lost holds its slot until it is resolved",
    limits: [],
    judges: "every",
    resting: false,
    exceeded: ({ command, side }, _, tally) => {
      const doubled = command.kind === "place" && tally[side].unanswered.has(command.level);
      return doubled ? { side, level: command.level } : null;
    },
  },

  unreadableOrder: {
    controls: "A5",
    rule: "No order that the exchange lists and that could not be read may be of this market and side: it may be of any size.",
    missing: "an order whose side, or market, is not known either counts on both sides, or in all markets",
    limits: [],
    judges: "adding",
    resting: true,
    exceeded: ({ side }, { view }) => {
      const found = view.unreadable.find(
        (item) => item.what === "order" && (item.marketId === null || item.side === null || item.side === side),
      );
      return found === undefined ? null : { order: found.orderId, why: found.why };
    },
  },

  openOrders: {
    controls: "B1",
    rule: "Orders that may be live, per market and per account, stay within our limits and the exchange's cap.",
    missing: "cap unknown: an assumed one",
    limits: ["maxOpenOrders", "assumedOpenOrderCap", "account.maxOpenOrders"],
    judges: "adding",
    resting: true,
    exceeded: ({ command }, { view, limits }, tally) => {
      if (command.kind === "modify") return null;
      const cap = lastKnown(view.openOrderCap) ?? limits.market.assumedOpenOrderCap;
      const inMarket = tally.orders + 1 <= limits.market.maxOpenOrders;
      const { maxOpenOrders } = limits.account;
      const inAccount =
        tally.accountOrders + 1 <= cap && (maxOpenOrders === null || tally.accountOrders + 1 <= maxOpenOrders);
      if (inMarket && inAccount) return null;
      return {
        orders: tally.orders,
        accountOrders: tally.accountOrders,
        cap,
        maxOpenOrders: limits.market.maxOpenOrders,
      };
    },
  },

  cancelCapacity: {
    controls: "B1",
    rule: "Every resting order can be canceled one by one within the kill target at the rate reserved for cancels.",
    missing: "denied",
    limits: ["killTargetMs", "cancelsPerSecond"],
    judges: "adding",
    resting: true,
    exceeded: ({ command }, { limits }, tally) => {
      if (command.kind === "modify") return null;
      const { killTargetMs, cancelsPerSecond } = limits.market;
      const capacity = Math.floor((killTargetMs / 1000) * cancelsPerSecond);
      return tally.accountOrders + 1 <= capacity ? null : { orders: tally.accountOrders, capacity };
    },
  },

  orderRate: {
    controls: "A7",
    rule: "Commands that add risk, sent within the last second or approved in this batch, are within the limit.",
    missing: "denied",
    limits: ["maxAddsPerSecond"],
    judges: "adding",
    resting: false,
    exceeded: (_, { view, limits, state }, tally) => {
      const recent = within(state.observed.adds, view.nowMs).count;
      const { maxAddsPerSecond } = limits.market;
      return recent + tally.adds + 1 <= maxAddsPerSecond ? null : { recent, inBatch: tally.adds, maxAddsPerSecond };
    },
  },

  worstPosition: {
    controls: "A5",
    rule: "The position, if every live order of the side filled, those that reduce only first, is within the limit; bids never net against asks.",
    missing: "position unknown: denied",
    limits: ["maxPosition"],
    judges: "adding",
    resting: false,
    exceeded: (proposal, inputs, tally) => judgeWorst(positionOver, proposal, inputs, tally),
  },

  grossNotional: {
    controls: "A5",
    rule: "The worst-case notional of all the account's markets together, quoted or not, is within the limit; no market nets against another.",
    missing: "denied where the limit is set",
    limits: ["account.maxGrossNotional"],
    judges: "adding",
    resting: false,
    exceeded: (proposal, inputs, tally) => judgeWorst(grossNotionalOver, proposal, inputs, tally),
  },

  margin: {
    controls: "A6",
    rule: "At the margin tier of the worst case, initial margin leaves a haircut of equity, and equity covers maintenance margin with headroom after a shock.",
    missing: "tiers, funds or oracle price unknown: denied",
    limits: ["marginHaircutRatio", "marginShockBps", "minMaintenanceRatio"],
    judges: "adding",
    resting: false,
    exceeded: (proposal, inputs, tally) => judgeWorst(marginHere, proposal, inputs, tally),
  },
} as const satisfies Partial<Record<LimitId, Omit<LimitRule, "id">>>;

/**
 * Judges the worst case of the proposal's side including the proposal. A proposal that cannot fill more leaves the worst case as the gate
 * `exposure` judged it.
 */
function judgeWorst(
  over: (contracts: Size, inputs: RiskInputs, tally: Tally) => Facts | null,
  { side, reduceOnly, growth }: Proposal,
  inputs: RiskInputs,
  tally: Tally,
): Facts | null {
  if (growth === 0n) return null;
  const position = fresh(inputs.view.position);
  if (position === undefined) return { position: "unknown" };
  const added = reduceOnly ? 0n : growth;
  const held = side === "buy" ? position.high : size(-position.low);
  const worst = reduced(held, tally[side].reducing) + tally[side].adding + added;
  return over(size(worst > 0n ? worst : 0n), inputs, tally);
}

function marginHere(contracts: Size, inputs: RiskInputs, tally: Tally): Facts | null {
  tally.margin ??= marginBaseOf(inputs);
  return marginOver(contracts, inputs, tally.margin);
}
