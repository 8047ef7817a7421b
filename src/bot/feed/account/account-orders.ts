// The tracker's effects on the account itself: when it should be read again, and which differences are searched for again.

import type { FeedEffect, FoldEffects, Suspicion } from "../effects.ts";
import type { OrderEvent } from "../orders/order-event.ts";
import type { AccountState } from "./account-state.ts";
import { searchAgain } from "./differences.ts";

/** Applies an event to the account's orders. */
export const foldOrderEvent = (account: AccountState, event: OrderEvent): FoldEffects =>
  noteOrderEffects(account, account.orders.apply(event), event.receivedMs);

/** Takes note of what the tracker brought to light; returns the same effects. */
export function noteOrderEffects(account: AccountState, effects: FoldEffects, nowMs: number): FoldEffects {
  for (const effect of effects) {
    if (effect.kind === "reconcileWanted") account.reconcile.suspectedMs = nowMs;
    else if (effect.kind === "identified") searchAgain(account, effect.marketId, effect.sentMs, nowMs);
    else if (effect.kind === "lateOrder") searchAgain(account, effect.marketId, Number.NEGATIVE_INFINITY, nowMs);
  }
  return effects;
}

/** Something does not fit: the account should be read again. */
export function wantReconcile(account: AccountState, why: Suspicion, nowMs: number): FeedEffect {
  account.reconcile.suspectedMs = nowMs;
  return { kind: "reconcileWanted", accountId: account.accountId, why };
}
