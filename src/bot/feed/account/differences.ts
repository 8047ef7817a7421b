// Differences with the exchange, from the first look until they are gone or believed. A single one may be a frame on its way.

import type { ReadEvent } from "../../../domain/event.ts";
import type { MarketId } from "../../../domain/units.ts";
import type { FeedEffect, FoldEffects, MismatchKind } from "../effects.ts";
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
  /** The read may be from before what it contradicts: a reason to ask and to search, and none to believe it. */
  readonly mayBeOlder: boolean;
  readonly believe: () => FoldEffects;
};

/** Differences change from read to read while trading goes on around them; after this many the exchange is believed anyway. */
const ROUNDS_MAX = 4;
/** A difference whose trades or settlements cannot be read stays open for so long: they may come back with the exchange, and explain it. */
export const UNSEARCHED_MS = 30_000;

/**
 * Keeps each difference until a read that judges its place no longer finds it, none has judged it for long, or it is believed; returns how many were believed
 * now, and what that brought to light. `skipped` are the places that this read could not judge.
 */
export function settleDoubts(
  state: FeedState,
  account: AccountState,
  event: AccountRead,
  differences: readonly Difference[],
  skipped: ReadonlySet<string>,
): { readonly believed: number; readonly effects: FoldEffects } {
  const standing = new Set(differences.map(({ key }) => key));
  for (const [key, { sinceMs }] of account.doubts) {
    const mayStand = skipped.has(key) && event.receivedMs - sinceMs <= state.ages.reconciledMs;
    if (!standing.has(key) && !mayStand) account.doubts.delete(key);
  }
  const effects: FeedEffect[] = [];
  let believed = 0;
  for (const difference of differences) {
    if (!weigh(state, account, event, difference)) continue;
    const { what, marketId, expected, found } = difference;
    effects.push(...difference.believe());
    effects.push({ kind: "mismatch", accountId: account.accountId, marketId, what, expected, found });
    believed += 1;
  }
  return { believed, effects };
}

/**
 * True when the difference is now believed: the same twice, or four in a row, with the trades of its market looked through in between
 * where they can be read. Never while something of ours may be what differs, and never by a read that may be older.
 */
function weigh(state: FeedState, account: AccountState, event: AccountRead, difference: Difference): boolean {
  const { key, what, marketId, expected, found, stamp, mayBeOlder } = difference;
  const signature = `${what}:${expected}:${found}:${stamp}`;
  const known = account.doubts.get(key);
  // Other words are another question: what may explain them may have left since.
  const same = known?.signature === signature ? known : undefined;
  const sinceMs = same?.sinceMs ?? event.receivedMs;
  const searchAfterMs = same?.searchAfterMs ?? sinceMs;
  const steady = isSearched(state, marketId, searchAfterMs) && event.askedMs > sinceMs;
  const open = mayBeOlder || hasOpenQuestion(account, marketId, sinceMs, event.receivedMs);
  const rounds = (known?.rounds ?? 0) + (open ? 0 : 1);
  const firstMs = known?.firstMs ?? event.receivedMs;
  const wasSearched = isSearched(state, marketId, firstMs) || event.receivedMs - firstMs >= UNSEARCHED_MS;
  if (open || !(steady || (rounds >= ROUNDS_MAX && wasSearched))) {
    account.doubts.set(key, { signature, firstMs, sinceMs, searchAfterMs, rounds, marketId });
    return false;
  }
  account.doubts.delete(key);
  return true;
}

/** True when the public trades of a market were read after `sinceMs`. */
export function isSearched(state: FeedState, marketId: MarketId, sinceMs: number): boolean {
  const { tradesAskedMs } = marketOf(state, marketId);
  return tradesAskedMs !== null && tradesAskedMs > sinceMs;
}

/**
 * True while a difference found at `sinceMs` may be of our own making: a trade of ours whose fill has not been booked, or an order
 * of then that has not been identified yet, so that its trades cannot be known for ours.
 */
export const hasOpenQuestion = (
  { orders }: AccountState,
  marketId: MarketId,
  sinceMs: number,
  nowMs: number,
): boolean => orders.isAnyFillPending(nowMs, marketId) || orders.isAnyUnidentified(marketId, sinceMs);

/** Trades of an order cannot be known for ours before its id is: what differed since it was sent is searched for again. */
export function searchAgain(account: AccountState, marketId: MarketId, sentMs: number, nowMs: number): void {
  for (const [key, doubt] of account.doubts) {
    if (doubt.marketId !== marketId || doubt.sinceMs < sentMs) continue;
    account.doubts.set(key, { ...doubt, searchAfterMs: nowMs, rounds: 0 });
  }
  const { unattributed } = account.collateral;
  if (unattributed !== null && unattributed.sinceMs >= sentMs) {
    account.collateral.unattributed = { ...unattributed, searchAfterMs: nowMs, rounds: 0 };
  }
}
