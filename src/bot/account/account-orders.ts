// The tracker's effects on the account itself: when it should be read again, and what must be resynchronized.

import type { FeedEffect, FoldEffects, Suspicion } from "../feed/effects.ts";
import type { AccountState } from "./account-state.ts";
import type { OrderEvent } from "./order-event.ts";

/** Applies an event to the account's orders. */
export const foldOrderEvent = (account: AccountState, event: OrderEvent): FoldEffects =>
  noteOrderEffects(account, account.orders.apply(event), event.receivedMs);

/** Takes note of what the tracker brought to light; returns the same effects. */
export function noteOrderEffects(account: AccountState, effects: FoldEffects, nowMs: number): FoldEffects {
  for (const { kind } of effects) if (kind === "reconcileWanted") account.reconcile.suspectedMs = nowMs;
  return effects;
}

/** Something does not fit: the account should be read again. */
export function wantReconcile(account: AccountState, why: Suspicion, nowMs: number): FeedEffect {
  account.reconcile.suspectedMs = nowMs;
  return { kind: "reconcileWanted", accountId: account.accountId, why };
}
