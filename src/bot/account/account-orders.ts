// The tracker's effects on the account itself: when it should be read again, and what must be resynchronized.

import type { MarketId } from "../../domain/units.ts";
import type { AccountState } from "./account-state.ts";
import type { AccountEffect, AccountEffects, Suspicion } from "./effects.ts";
import type { OrderEvent } from "./orders/orders.ts";
import type { ResyncReason } from "./resync-reasons.ts";

/** Applies an event to the account's orders. */
export const foldOrderEvent = (account: AccountState, event: OrderEvent): AccountEffects =>
  noteOrderEffects(account, account.orders.apply(event), event.receivedMs);

/** Returns the tracker's effects together with the resyncs that they need. */
export function noteOrderEffects(account: AccountState, effects: AccountEffects, nowMs: number): AccountEffects {
  const wanted: AccountEffect[] = [];
  for (const effect of effects) {
    if (effect.kind === "reconcileWanted") account.reconcile.unconfirmedMs = nowMs;
    // A cancel can be sent again; the effect of a place or modify stays unknown without a resync.
    if (effect.kind === "notUnderstood" && effect.action !== "cancel")
      wanted.push(...wantResync(account, effect.marketId, "unshown", nowMs));
  }
  return wanted.length === 0 ? effects : [...effects, ...wanted];
}

/** Blocks new exposure in the market (null: on the account) until it is adopted again. */
export function wantResync(
  { accountId, resyncs }: AccountState,
  marketId: MarketId | null,
  reason: ResyncReason,
  nowMs: number,
): AccountEffects {
  if (resyncs.has(null) || resyncs.has(marketId)) return [];
  if (marketId === null) resyncs.clear();
  resyncs.set(marketId, { reason, sinceMs: nowMs });
  return [{ kind: "resyncWanted", accountId, marketId, reason }];
}

/** Something does not match: the account should be read again. */
export function wantReconcile(account: AccountState, why: Suspicion, nowMs: number): AccountEffect {
  account.reconcile.unconfirmedMs = nowMs;
  return { kind: "reconcileWanted", accountId: account.accountId, why };
}
