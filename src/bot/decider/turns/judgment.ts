// What the guard needs beside the view, and its verdict on one command.

import type { Command } from "../../../domain/command.ts";
import { requestBudgetOf } from "../../../domain/request-budget.ts";
import { absent, type View } from "../../../domain/view.ts";
import type { Instant } from "../../../kernel/clock.ts";
import type { BotState } from "../../account/account-state.ts";
import { oraclePriceIn } from "../../account/booking.ts";
import { grossNotionalElsewhere } from "../../account/funds.ts";
import { chainTimeMs } from "../../market/time.ts";
import { check, type Verdict } from "../../risk/guard.ts";
import type { Limits } from "../../risk/limits/limits.ts";
import { nothingStuck, type RiskState } from "../../risk/risk-state.ts";
import { observeLosses, tripsNow } from "../../risk/trips.ts";
import { dayOf } from "../desks/day-tracker.ts";
import type { Readings } from "../input.ts";
import type { StallDetector } from "./stall-detector.ts";
import type { TurnInputs } from "./turn.ts";
import type { DeskPair } from "./turn-queue.ts";

export type Basis = {
  readonly state: BotState;
  readonly now: Instant;
  readonly readings: Readings;
  readonly stalls: Pick<StallDetector, "longest">;
  /** False in replay: submitted orders go nowhere, so no side is judged by whether its orders come to rest. */
  readonly isSending: boolean;
};

export const limitsOf = ({ desk, market }: DeskPair): Limits => ({
  market: market.quoted.limits,
  account: desk.quoted.limits,
  ...(market.quoted.openedGates !== undefined && { openedGates: market.quoted.openedGates }),
});

/** What a turn would start from now, before it looks at the view. */
export type Beginning = Omit<TurnInputs, "strategy"> & {
  readonly now: Instant;
  /** Number of the day (UTC); null while chain time is unknown. */
  readonly day: number | null;
  /** Profit of the account outside its quoted markets; null while unknown. */
  readonly profitBeside: bigint | null;
};

export const dayAt = ({ state, now }: Pick<Basis, "state" | "now">): number | null =>
  dayOf(chainTimeMs(state, now.monotonicMs), now.wallMs);

/** Settings from the configuration, the dialect and earlier turns. */
export const settingsOf = (pair: DeskPair, { state }: Pick<Basis, "state">) => ({
  limits: limitsOf(pair),
  requoteDepths: pair.market.quoted.requoteDepths,
  queueTicks: pair.market.quoted.queueTicks,
  usualHalfSpreadBps: pair.market.halfSpreadBps,
  modifies: state.accounts.get(pair.desk.accountId)?.orders.modifies ?? ("all" as const),
});

/** `view`: at the same instant. */
export const beginningOf = (pair: DeskPair, view: View, basis: Basis): Beginning => ({
  ...settingsOf(pair, basis),
  view,
  state: riskStateOf(pair, basis),
  now: basis.now,
  day: dayAt(basis),
  profitBeside: pair.desk.profitBeside((of) => oraclePriceIn(basis.state, of)),
});

/** Uses the current numbers; the strategy supplies the fair value. */
export function riskStateOf(
  { desk, market }: DeskPair,
  { state, now, readings, stalls, isSending }: Basis,
): Omit<RiskState, "fairValueUsd"> {
  const { journal, isReserveUsed, nonceRefusals } = readings;
  const nowMs = now.monotonicMs;
  const account = state.accounts.get(desk.accountId);
  const rateLimit = account?.rateLimit ?? null;
  const refusal = nonceRefusals.get(desk.accountId);
  return {
    latches: desk.latches,
    journal: { state: "fresh", value: journal, ageMs: 0 },
    ledgerSpace: { state: "fresh", value: isReserveUsed ? "reserve" : "free", ageMs: 0 },
    nonceRefusal: refusal === undefined ? absent : { state: "fresh", value: refusal, ageMs: 0 },
    eventLoopLagMs: stalls.longest(now),
    budget:
      rateLimit === null
        ? absent
        : { state: "fresh", value: requestBudgetOf(rateLimit.value), ageMs: nowMs - rateLimit.askedMs },
    marketDailyPnl: market.pnl.dailyPnl(),
    accountDailyPnl: desk.dailyPnl(),
    isAccountPnlUnconfirmed: desk.isUnconfirmed,
    grossNotionalElsewhere: account === undefined ? absent : grossNotionalElsewhere(state, account, market.marketId),
    observed: market.observed,
    stuckQuotes: isSending ? market.quoting.stuckQuotes(nowMs) : nothingStuck,
    rejections: desk.rejections,
  };
}

/** The same, after every latch that the current numbers trip. `stateNow`: the state at the moment of the call. */
export function stateAfterTrips(
  pair: DeskPair,
  view: View,
  stateNow: () => Omit<RiskState, "fairValueUsd">,
  wallMs: number,
): Omit<RiskState, "fairValueUsd"> {
  const { desk, market } = pair;
  const inputs = { view, limits: limitsOf(pair), state: { ...stateNow(), fairValueUsd: null } };
  market.observed = observeLosses(market.observed, inputs);
  const state = { ...inputs.state, observed: market.observed };
  const tripped = tripsNow({ ...inputs, state });
  for (const latch of tripped) desk.trip(latch, wallMs);
  return tripped.length === 0 ? state : stateNow();
}

/** Returns the guard's verdict on one command by current facts. */
export function judge(command: Command, pair: DeskPair, view: View, basis: Basis): Verdict {
  const fairValueUsd = pair.market.last?.quotes.fairValueUsd ?? null;
  // On a stuck side, or while the budget is short, only the trial order reached the queue.
  const state = { ...riskStateOf(pair, basis), fairValueUsd, stuckQuotes: nothingStuck, budget: absent };
  return check([command], view, limitsOf(pair), state);
}
