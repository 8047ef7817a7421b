// Latches: halts that stay until an operator lifts them, for incidents that must not repeat unnoticed. They are written to the ledger
// before they act.

import type { Latch, LatchEvent } from "../../domain/latch.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import { strictest, type TradingState } from "./trading-state.ts";

/** At most one latch of a kind per account or market: the first reason stays, the stricter state applies. */
export type Latches = readonly Latch[];

export function foldLatch(latches: Latches, event: LatchEvent): Latches {
  if (event.kind === "tripped") return withLatch(latches, event.latch);
  return latches.filter(
    (latch) =>
      latch.accountId !== event.accountId ||
      (event.marketId !== null && latch.marketId !== event.marketId) ||
      (event.latch !== null && latch.kind !== event.latch),
  );
}

function withLatch(latches: Latches, latch: Latch): Latches {
  const held = sameLatch(latches, latch);
  if (held === undefined) return [...latches, latch];
  const holds = strictest([held.holds, latch.holds]);
  if (holds === "active" || holds === held.holds) return latches;
  return latches.map((other) => (other === held ? { ...held, holds } : other));
}

/** Whether `latch` would change nothing, because an equal or stricter one is active. */
export const isLatched = (latches: Latches, latch: Latch): boolean => withLatch(latches, latch) === latches;

const isSame = (a: Latch, b: Latch): boolean =>
  a.kind === b.kind && a.accountId === b.accountId && a.marketId === b.marketId;

/** Since when a latch of this kind and place has been active, wall clock in ms, from all events in order; null: none is active. */
export function heldSinceMs(
  events: Iterable<{ readonly atMs: number; readonly event: LatchEvent }>,
  latch: Latch,
): number | null {
  let latches: Latches = [];
  let sinceMs: number | null = null;
  for (const { atMs, event } of events) {
    latches = foldLatch(latches, event);
    sinceMs = latches.some((other) => isSame(other, latch)) ? (sinceMs ?? atMs) : null;
  }
  return sinceMs;
}

/** The active latch of the same kind and place; its reason stays. Undefined: there is none. */
export const sameLatch = (latches: Latches, latch: Latch): Latch | undefined =>
  latches.find((other) => isSame(other, latch));

/** The latches that apply to a market: its own and those of the whole account. With null, only the account's. */
export function latchesOn(latches: Latches, accountId: AccountId, marketId: MarketId | null): Latches {
  return latches.filter(
    (latch) => latch.accountId === accountId && (latch.marketId === null || latch.marketId === marketId),
  );
}

/** The latches that a resume of the market would have to lift; with null, those of the account and all its markets. */
export const holdsOn = (latches: Latches, accountId: AccountId, marketId: MarketId | null): Latches =>
  marketId === null
    ? latches.filter((latch) => latch.accountId === accountId)
    : latchesOn(latches, accountId, marketId);

/** Active, reducing or halted, by the latches that apply to the market. */
export function tradingStateOf(latches: Latches, accountId: AccountId, marketId: MarketId | null): TradingState {
  return strictest(latchesOn(latches, accountId, marketId).map(({ holds }) => holds));
}

/** A latch that an operator requested, or that counts as such. */
export const operatorLatch = (
  verb: "halt" | "reduce",
  account: AccountId,
  marketId: MarketId | null,
  reason: string,
): Latch => ({
  kind: "operator",
  accountId: account,
  marketId,
  holds: verb === "halt" ? "halted" : "reducing",
  reason,
  numbers: {},
});
