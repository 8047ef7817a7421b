// Why an account, or one of its markets, resynchronizes.

import type { MarketId } from "../../domain/units.ts";

/** Closed set: label of `quoin_resyncs_total`. */
export const resyncReasons = [
  "start",
  "gap",
  "slept",
  "stalled",
  "cannotAct",
  "lostAnswer",
  "unshown",
  "position",
  "orders",
  "liquidation",
] as const;
/**
 * `gap`: frames may have been lost between two connections. `stalled`: the process was paused. `cannotAct`: cancels failed, or the exchange
 * did not answer. `lostAnswer`: a transaction landed without an answer. `unshown`: nothing showed what a success did. `position`, `orders`:
 * a doubt that a second read repeated.
 */
export type ResyncReason = (typeof resyncReasons)[number];

/** Each as a clause for people. */
export const resyncTexts: Readonly<Record<ResyncReason, string>> = {
  start: "the daemon is starting",
  gap: "the stream was interrupted",
  slept: "the machine slept or its clock was set",
  stalled: "the process stalled",
  cannotAct: "the exchange did not answer, or cancels failed",
  lostAnswer: "a transaction whose answer was lost has executed",
  unshown: "a transaction succeeded, and neither its answer nor the stream nor a read shows what it did",
  position: "two reads show another position",
  orders: "two reads list other orders",
  liquidation: "the account was liquidated",
};

/** Markets, or with null the account, that resynchronize: why, and since when, monotonic ms. */
export type Resyncs = Map<MarketId | null, { readonly reason: ResyncReason; readonly sinceMs: number }>;

/** Returns why the market resynchronizes; undefined: it does not, and our state is live. */
export const resyncOf = (
  { resyncs }: { readonly resyncs: Resyncs },
  marketId: MarketId,
): { readonly reason: ResyncReason; readonly sinceMs: number } | undefined =>
  resyncs.get(null) ?? resyncs.get(marketId);
