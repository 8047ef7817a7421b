// The tracker's effects on the account itself: when it should be read again, and what must be resynchronized.

import type { AccountState } from "./account-state.ts";
import type { AccountEffect, AccountEffects, Suspicion } from "./effects.ts";
import type { OrderEvent } from "./order-event.ts";

/** Applies an event to the account's orders. */
export const foldOrderEvent = (account: AccountState, event: OrderEvent): AccountEffects =>
  noteOrderEffects(account, account.orders.apply(event), event.receivedMs);

/** Takes note of what the tracker brought to light; returns the same effects. */
export function noteOrderEffects(account: AccountState, effects: AccountEffects, nowMs: number): AccountEffects {
  for (const { kind } of effects) if (kind === "reconcileWanted") account.reconcile.unconfirmedMs = nowMs;
  return effects;
}

/** Something does not fit: the account should be read again. */
export function wantReconcile(account: AccountState, why: Suspicion, nowMs: number): AccountEffect {
  account.reconcile.unconfirmedMs = nowMs;
  return { kind: "reconcileWanted", accountId: account.accountId, why };
}
