// Gates on our own side: halts, account, process, journal, request rate and daily PnL. Every comparison is written so that NaN closes the
// gate.

import { worstCase } from "../../../domain/exposure.ts";
import { type Fact, fresh, type View } from "../../../domain/view.ts";
import type { Facts } from "../../../kernel/errors.ts";
import { latchesOn } from "../latches.ts";
import { grossNotionalOver, marginOver, positionOver } from "../limits/worst-case.ts";
import type { DailyPnl, RiskInputs } from "../risk-state.ts";
import { type Gate, type GateId, notFresh } from "./gate.ts";

export const ownGates = {
  halted: {
    controls: "B1 B3 A8 C2 C3",
    rule: "No latch halts the market or the account.",
    missing: "closed",
    limits: [],
    closed: (inputs) => heldBy(inputs, "halted"),
  },

  reducing: {
    controls: "B1 B4",
    rule: "No operator asked to reduce only.",
    missing: "closed",
    limits: [],
    closed: (inputs) => heldBy(inputs, "reducing"),
  },

  journal: {
    controls: "A9 B10",
    rule: "The last write to the journal succeeded, and its files lie where they were opened.",
    missing: "closed, also for reductions: the journal must record their nonces",
    limits: [],
    closed: ({ state }) => {
      const journal = fresh(state.journal);
      if (journal === undefined) return notFresh("journal", state.journal);
      return journal === "healthy" ? null : { journal };
    },
  },

  ledgerSpace: {
    controls: "B10",
    rule: "The ledger has space beyond the reserve that is kept for reductions and cancels.",
    missing: "closed",
    limits: [],
    closed: ({ state }) => {
      const space = fresh(state.ledgerSpace);
      if (space === undefined) return notFresh("ledgerSpace", state.ledgerSpace);
      return space === "free" ? null : { space };
    },
  },

  reconciled: {
    controls: "A5 C1 C2 C3",
    rule: "Orders and position agreed with the exchange at the last reconciliation, on this connection.",
    missing: "closed, also for reductions: their size is unknown",
    limits: [],
    closed: ({ view }) =>
      view.resync === null
        ? (notFresh("reconciled", view.reconciled) ?? notFresh("position", view.position))
        : { ...view.resync, ...unfenced(view) },
  },

  exposure: {
    controls: "A5 A6",
    rule: "The worst case of all live orders, per side, is within position limit, account notional and margin.",
    missing: "closed",
    limits: ["maxPosition", "account.maxGrossNotional", "marginHaircutRatio", "marginShockBps", "minMaintenanceRatio"],
    closed: (inputs) => {
      const position = fresh(inputs.view.position);
      if (position === undefined) return notFresh("position", inputs.view.position);
      const { long, short } = worstCase(position, inputs.view.orders);
      const worst = long > short ? long : short;
      return positionOver(worst, inputs) ?? grossNotionalOver(worst, inputs) ?? marginOver(worst, inputs);
    },
  },

  funds: {
    controls: "A6",
    rule: "Collateral, equity and margin are known; of the collateral as expected and as read the smaller counts.",
    missing: "closed",
    limits: [],
    closed: ({ view }) => notFresh("funds", view.funds),
  },

  agentKey: {
    controls: "A15",
    rule: "The agent key is approved on the account and expires later than the margin.",
    missing: "closed",
    limits: ["agentExpiryMarginMs"],
    closed: ({ view, limits }) => {
      const agent = fresh(view.agent);
      if (agent === undefined) return notFresh("agent", view.agent);
      if (agent.expiresAtSec === null) return null;
      const chain = fresh(view.chain);
      if (chain === undefined) return notFresh("chain", view.chain);
      const leftMs = agent.expiresAtSec * 1000 - chain.timeMs;
      const { agentExpiryMarginMs } = limits.market;
      return leftMs > agentExpiryMarginMs ? null : { leftMs, agentExpiryMarginMs };
    },
  },

  nonce: {
    controls: "A9 A14",
    rule: "The key has had a nonce for a new order within the last second.",
    missing: "closed",
    limits: [],
    closed: ({ state }) => {
      const refusal = fresh(state.nonceRefusal);
      return refusal === undefined ? notFresh("nonceRefusal", state.nonceRefusal) : refusal;
    },
  },

  eventLoop: {
    controls: "B9",
    rule: "The event loop did not stall longer than the limit.",
    missing: "closed",
    limits: ["maxEventLoopLagMs"],
    closed: ({ limits, state }) => {
      const lagMs = fresh(state.eventLoopLagMs);
      if (lagMs === undefined) return notFresh("eventLoopLagMs", state.eventLoopLagMs);
      const { maxEventLoopLagMs } = limits.market;
      return lagMs <= maxEventLoopLagMs ? null : { lagMs, maxEventLoopLagMs };
    },
  },

  rejectRatio: {
    controls: "B8",
    rule: "The share of failed places and modifies is within the limit; more pauses for a while, since our model of the exchange is wrong.",
    missing: "open: without answers there is no ratio",
    limits: ["maxRejectRatio", "rejectSamplesMin", "rejectCoolDownMs"],
    closed: ({ view, state }) => {
      const leftMs = state.observed.pausedUntil.rejectRatioMs - view.nowMs;
      return leftMs <= 0 ? null : { pausedMs: leftMs };
    },
  },

  budget: {
    controls: "A7 B1",
    rule: "The on-chain budget leaves more than a reserve: 30 % of what the exchange grants, at most 200 requests, and no less than `budgetReserve` and two requests per open order. In the reserve quotes that are right stay, and one order every 10 s is let through to come back with; the lower half of it is for reductions and cancels.",
    missing: "open where the exchange shows no budget: the queue then learns the rate from HTTP 429",
    limits: ["budgetReserve"],
    closed: ({ view, limits, state }) => {
      if (state.budget.state === "absent" || state.budget.value === null) return null;
      const { remaining, reserve } = state.budget.value;
      const least = BigInt(limits.market.budgetReserve + 2 * view.accountOrderCount);
      return remaining > reserve && remaining > least
        ? null
        : { remaining, reserved: least > reserve ? least : reserve };
    },
  },

  dailyPnl: {
    controls: "B3",
    rule: "The day's loss and drawdown are below a share of their limits; beyond it only reductions pass.",
    missing: "closed: an unknown PnL may be a loss",
    limits: ["maxLoss", "maxDrawdown", "reduceAtLossRatio", "account.maxLoss", "account.maxDrawdown"],
    closed: ({ limits, state }) => {
      const share = limits.market.reduceAtLossRatio;
      const market = nearLimit(state.marketDailyPnl, limits.market, share, "market");
      return market ?? nearLimit(state.accountDailyPnl, limits.account, share, "account");
    },
  },

  cannotAct: {
    controls: "B8",
    rule: "The target quotes of each side rest, or differ from what rests for a few seconds only, whatever the cause. While they are stuck, one order every 10 s is let through to try.",
    missing: "closed",
    limits: [],
    closed: ({ state }) => {
      const { buy, sell } = state.stuckQuotes;
      const first = buy ?? sell;
      if (first === null) return null;
      const side = buy === null ? "sell" : sell === null ? "buy" : "both";
      return { side, forMs: first.forMs, why: first.why };
    },
  },
} as const satisfies Partial<Record<GateId, Omit<Gate, "id">>>;

/** With a foreign order on the account nothing can be fenced: the number of our orders that may still execute, if any. */
function unfenced({ orders }: View): Facts {
  const count = orders.filter(({ state }) => state === "unknown").length;
  return count > 0 && orders.some(({ isForeign }) => isForeign) ? { unfenced: count } : {};
}

function heldBy({ view, state }: RiskInputs, holds: "reducing" | "halted"): Facts | null {
  const latch = latchesOn(state.latches, view.accountId, view.marketId).find((held) => held.holds === holds);
  return latch === undefined ? null : { kind: latch.kind, why: latch.reason };
}

type LossLimits = { readonly maxLoss: bigint | null; readonly maxDrawdown: bigint | null };

function nearLimit(fact: Fact<DailyPnl>, limits: LossLimits, share: number, of: string): Facts | null {
  if (limits.maxLoss === null && limits.maxDrawdown === null) return null;
  const result = fresh(fact);
  if (result === undefined) return notFresh(`${of}DailyPnl`, fact);
  const isWithin = (loss: bigint, limit: bigint | null) => limit === null || Number(loss) < share * Number(limit);
  const fall = result.best - result.pnl;
  if (isWithin(-result.pnl, limits.maxLoss) && isWithin(fall, limits.maxDrawdown)) return null;
  return { of, pnl: result.pnl, fall, maxLoss: limits.maxLoss, maxDrawdown: limits.maxDrawdown, share };
}
