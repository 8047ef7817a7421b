// Halts that stay: tripped by what must not happen again unseen, written to the ledger before they act, lifted by an operator alone.

import type { AccountId, MarketId } from "../../domain/units.ts";
import type { Facts } from "../../kernel/errors.ts";
import { strictest, type TradingState } from "./trading-state.ts";

/** Closed set: label of `quoin_latch_active`. */
export const latchKinds = ["loss", "drawdown", "repeatedExecution", "mismatch", "foreignActivity", "operator"] as const;
export type LatchKind = (typeof latchKinds)[number];

export type Latch = {
  readonly kind: LatchKind;
  readonly accountId: AccountId;
  /** Null: the whole account. */
  readonly marketId: MarketId | null;
  /** An operator may ask for either; everything else halts. */
  readonly holds: Exclude<TradingState, "active">;
  /** One sentence: what happened, or the operator's words. */
  readonly reason: string;
  readonly numbers: Facts;
};

/** What the ledger keeps. Folding all of them in order gives the latches of now. */
export type LatchEvent =
  | { readonly kind: "tripped"; readonly latch: Latch }
  | {
      readonly kind: "lifted";
      readonly accountId: AccountId;
      /** Null: those of the whole account and of each of its markets. */
      readonly marketId: MarketId | null;
      /** Null: every kind. */
      readonly latch: LatchKind | null;
      /** The operator's words. */
      readonly reason: string;
    };

/** At most one latch of a kind for an account or market: the first reason stays, the stricter state holds. */
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
  const held = latches.find((other) => isSame(other, latch));
  if (held === undefined) return [...latches, latch];
  const holds = strictest([held.holds, latch.holds]);
  if (holds === "active" || holds === held.holds) return latches;
  return latches.map((other) => (other === held ? { ...held, holds } : other));
}

/** Whether `latch` would change nothing: it is held already, as strictly. */
export const isLatched = (latches: Latches, latch: Latch): boolean => withLatch(latches, latch) === latches;

const isSame = (a: Latch, b: Latch): boolean =>
  a.kind === b.kind && a.accountId === b.accountId && a.marketId === b.marketId;

/** The latches that bear on a market: its own and those of the whole account. With null those of the account alone. */
export function latchesOn(latches: Latches, accountId: AccountId, marketId: MarketId | null): Latches {
  return latches.filter(
    (latch) => latch.accountId === accountId && (latch.marketId === null || latch.marketId === marketId),
  );
}

/** Active, reducing or halted, by the latches that bear on the market. */
export function tradingStateOf(latches: Latches, accountId: AccountId, marketId: MarketId | null): TradingState {
  return strictest(latchesOn(latches, accountId, marketId).map(({ holds }) => holds));
}
