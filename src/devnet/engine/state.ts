// The whole exchange in memory, and the context of one engine call on it.

import type { FeeTier } from "../../domain/market.ts";
import type { MarketId } from "../../domain/units.ts";
import type { CancelReason, ChainEvent, Receipt } from "../event.ts";
import type { MatchPlan } from "./book/match-plan.ts";
import type { Context, Refusal, SystemLedger } from "./calls.ts";
import type { ChangeLog } from "./persistence/change-log.ts";
import type { Account, Family, LedgerAccount, LiveOrder, MarketState } from "./records.ts";

export type Core = {
  readonly markets: Map<MarketId, MarketState>;
  readonly accounts: Map<number | bigint, Account>;
  readonly families: Map<number | bigint, Family>;
  readonly orders: Map<number, LiveOrder>;
  readonly ledgers: Readonly<Record<SystemLedger, LedgerAccount>>;
  readonly feeTiers: readonly FeeTier[];
  readonly openOrderCap: number;
  /** Accounts whose maintenance margin must be checked in the next block, even if their markets do not change. */
  readonly watched: Set<Account>;
  readonly log: ChangeLog;
  /** Scratch space for the match in progress. */
  readonly plan: MatchPlan<LiveOrder>;
  lastOrderId: number;
  /** Time of the newest block. */
  nowMs: number;
  insuranceDeposited: bigint;
};

export type Step = {
  readonly core: Core;
  readonly ctx: Context;
  readonly events: ChainEvent[];
  readonly changedBooks: MarketState[];
};

export const beginStep = (core: Core, ctx: Context): Step => ({ core, ctx, events: [], changedBooks: [] });

export function markBook(step: Step, market: MarketState): void {
  if (step.changedBooks.at(-1) !== market && !step.changedBooks.includes(market)) step.changedBooks.push(market);
}

/** Ends a successful call: emits changed books and passes on the change records. */
export function finishStep(step: Step): readonly ChainEvent[] {
  for (const market of step.changedBooks) step.events.push({ type: "BookChanged", marketId: market.id });
  step.core.log.flush();
  return step.events;
}

export const succeeded = (step: Step): Receipt => ({ status: "success", events: finishStep(step) });
export const failed = (refusal: Refusal): Receipt => ({ status: "failed", ...refusal });
export const refuse = (code: string, error: string): Refusal => ({ code, error });
export const isRefusal = (result: object): result is Refusal => "code" in result;

export function emitCanceled(step: Step, order: LiveOrder, reason: CancelReason): void {
  const { account, market } = order.marketAccount;
  step.events.push({
    type: "OrderCanceled",
    orderId: order.orderId,
    accountId: account.id,
    marketId: market.id,
    reason,
  });
}
