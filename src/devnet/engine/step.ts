// One call of the engine as it is carried out: the state, where in the chain it happens, and what it has done so far.

import type { CancelReason, ChainEvent, Receipt } from "../event.ts";
import type { Context, Refusal } from "./calls.ts";
import type { LiveOrder, MarketState } from "./records.ts";
import type { Core } from "./state.ts";

export type Step = {
  readonly core: Core;
  readonly ctx: Context;
  readonly events: ChainEvent[];
  /** Markets whose book shows something else now. */
  readonly changedBooks: MarketState[];
};

export const beginStep = (core: Core, ctx: Context): Step => ({ core, ctx, events: [], changedBooks: [] });

export function markBook(step: Step, market: MarketState): void {
  if (step.changedBooks.at(-1) !== market && !step.changedBooks.includes(market)) step.changedBooks.push(market);
}

/** Closes a call that was carried out: tells of changed books and hands over the change records. */
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
  const { account, market } = order.holding;
  step.events.push({
    type: "OrderCanceled",
    orderId: order.orderId,
    accountId: account.id,
    marketId: market.id,
    reason,
  });
}
