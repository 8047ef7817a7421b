// Differences with the exchange, from the first look until they are gone or believed. A single one may be a frame on its way.

import type { ReadEvent } from "../../../domain/event.ts";
import type { MarketId } from "../../../domain/units.ts";
import type { FeedEffect, MismatchKind } from "../effects.ts";
import { type FeedState, marketOf } from "../state.ts";
import type { AccountState } from "./account-state.ts";

/** Where a difference of a market's position stands. */
export const positionKey = (marketId: MarketId): string => `position:${marketId}`;

type AccountRead = Extract<ReadEvent, { kind: "accountRead" }>;

/** What differs in one place, and how to believe the exchange about it. */
export type Difference = {
  /** Place: the same key in two reads is the same place. */
  readonly key: string;
  readonly what: MismatchKind;
  readonly marketId: MarketId;
  readonly expected: string;
  readonly found: string;
  /** Our own last change in that place: with another one in between the same words are another difference. */
  readonly stamp: number;
  readonly believe: (effects: FeedEffect[]) => void;
};

/** Differences change from read to read while trading goes on around them; after this many the exchange is believed anyway. */
const ROUNDS_MAX = 4;

/**
 * Keeps each difference until a read that judges its place no longer finds it, or it is believed; returns how many were believed
 * now. `skipped` are the places that this read could not judge.
 */
export function settleDoubts(
  state: FeedState,
  account: AccountState,
  event: AccountRead,
  differences: readonly Difference[],
  skipped: ReadonlySet<string>,
  effects: FeedEffect[],
): number {
  const standing = new Set(differences.map(({ key }) => key));
  for (const key of account.doubts.keys()) {
    if (!standing.has(key) && !skipped.has(key)) account.doubts.delete(key);
  }
  let believed = 0;
  for (const difference of differences) if (weigh(state, account, event, difference, effects)) believed += 1;
  return believed;
}

/**
 * True when the difference is now believed: the same twice with the trades of its market looked through in between, or four in a
 * row. Never while something of ours may be what differs.
 */
function weigh(
  state: FeedState,
  account: AccountState,
  event: AccountRead,
  difference: Difference,
  effects: FeedEffect[],
): boolean {
  const { key, what, marketId, expected, found, stamp } = difference;
  const signature = `${what}:${expected}:${found}:${stamp}`;
  const known = account.doubts.get(key);
  // Other words are another question: what may explain them may have left since.
  const same = known?.signature === signature ? known : undefined;
  const sinceMs = same?.sinceMs ?? event.receivedMs;
  const searchAfterMs = same?.searchAfterMs ?? sinceMs;
  const steady = isSearched(state, marketId, searchAfterMs) && event.askedMs > sinceMs;
  const open = hasOpenQuestion(account, marketId, sinceMs, event.receivedMs);
  const rounds = (known?.rounds ?? 0) + (open ? 0 : 1);
  if (open || (!steady && rounds < ROUNDS_MAX)) {
    account.doubts.set(key, { signature, sinceMs, searchAfterMs, rounds, marketId });
    return false;
  }
  account.doubts.delete(key);
  difference.believe(effects);
  effects.push({ kind: "mismatch", accountId: account.accountId, marketId, what, expected, found });
  return true;
}

/** True when the public trades of a market were read after `sinceMs`. */
export function isSearched(state: FeedState, marketId: MarketId, sinceMs: number): boolean {
  const { tradesAskedMs } = marketOf(state, marketId);
  return tradesAskedMs !== null && tradesAskedMs > sinceMs;
}

/** A trade waits for its fill or for a read of the trades to book it; one that neither brings is not waited for any longer. */
const OWED_MS = 10_000;

const isOwed = (owed: { readonly sinceMs: number }, nowMs: number): boolean => nowMs - owed.sinceMs < OWED_MS;

/** True while a trade of ours is known whose fill has not been booked: positions cannot be judged. */
export function isAnyOwed(account: AccountState, nowMs: number): boolean {
  for (const owed of account.owed.values()) if (isOwed(owed, nowMs)) return true;
  return false;
}

/**
 * True while a difference found at `sinceMs` may be of our own making: a trade of ours whose fill has not been booked, or an order
 * of then whose id nobody has told yet, so that its trades cannot be known for ours.
 */
export function hasOpenQuestion(account: AccountState, marketId: MarketId, sinceMs: number, nowMs: number): boolean {
  for (const owed of account.owed.values()) if (owed.marketId === marketId && isOwed(owed, nowMs)) return true;
  return isAnyNameless(account, marketId, sinceMs);
}

/** True while an order sent by `sentByMs` has neither name nor end: its trades cannot be known, and it may have moved the position. */
export function isAnyNameless(account: AccountState, marketId: MarketId, sentByMs: number): boolean {
  for (const { order, sentMs } of account.orders) {
    if (order.orderId === null && order.marketId === marketId && sentMs <= sentByMs) return true;
  }
  return false;
}
