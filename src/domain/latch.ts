// A halt that stays, as an event: tripped by what must not happen again unnoticed; only an operator lifts it. What the latches of now are
// is for risk/ to fold.

import type { Facts } from "../kernel/errors.ts";
import type { AccountId, MarketId } from "./units.ts";

/** Closed set: label of `quoin_latch_active`. */
export const latchKinds = [
  "loss",
  "drawdown",
  "repeatedExecution",
  "mismatch",
  "foreignActivity",
  "liquidation",
  "fault",
  "cannotAct",
  "operator",
] as const;
export type LatchKind = (typeof latchKinds)[number];

/** What a resume may name: a kind; or the doubt about a print, or the stop of a premium book, which no other resume ends. */
export const liftables = [...latchKinds, "printMove", "premiumLoss"] as const;
export type Liftable = (typeof liftables)[number];

/** An operator may ask for either; everything else halts. */
export const latchHolds = ["reducing", "halted"] as const;

export type Latch = {
  readonly kind: LatchKind;
  readonly accountId: AccountId;
  /** Null: the whole account. */
  readonly marketId: MarketId | null;
  readonly holds: (typeof latchHolds)[number];
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
      readonly latch: Liftable | null;
      /** The operator's words. */
      readonly reason: string;
    };
