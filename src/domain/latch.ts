// Latches: halts that stay until an operator lifts them, as events, for incidents that must not repeat unnoticed. risk/ folds the events
// into the current latches.

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

/**
 * What a resume may name: a latch kind; or `printMove` (the check of an unusual print) or `premiumLoss` (the stop of a premium book), which
 * no other resume ends.
 */
export const liftables = [...latchKinds, "printMove", "premiumLoss"] as const;
export type Liftable = (typeof liftables)[number];

/** An operator may request either; all other latches halt. */
export const latchHolds = ["reducing", "halted"] as const;

export type Latch = {
  readonly kind: LatchKind;
  readonly accountId: AccountId;
  /** Null: the whole account. */
  readonly marketId: MarketId | null;
  readonly holds: (typeof latchHolds)[number];
  /** One sentence: what happened, or the operator's reason. */
  readonly reason: string;
  readonly numbers: Facts;
};

/** As stored in the ledger. Folding all of them in order gives the current latches. */
export type LatchEvent =
  | { readonly kind: "tripped"; readonly latch: Latch }
  | {
      readonly kind: "lifted";
      readonly accountId: AccountId;
      /** Null: latches of the whole account and of each of its markets. */
      readonly marketId: MarketId | null;
      /** Null: every kind. */
      readonly latch: Liftable | null;
      /** The operator's reason. */
      readonly reason: string;
    };
