// Every output of the machine, as a closed union: what it wants done. A driver carries them out in order, before the next input.

import type { CancelAllCommand, CancelCommand, Command } from "../../domain/command.ts";
import type { DropReason } from "../../domain/drop-reason.ts";
import type { SubmitOutcome, VenueEvent } from "../../domain/event.ts";
import type { Fill } from "../../domain/fill.ts";
import type { IntentEnd } from "../../domain/intent.ts";
import type { WaitingLane } from "../../domain/lane.ts";
import type { Latch } from "../../domain/latch.ts";
import type { SendBy } from "../../domain/submit.ts";
import type { AccountId, MarketId, Nonce } from "../../domain/units.ts";
import type { Facts } from "../../kernel/errors.ts";
import type { MismatchKind } from "../account/effects.ts";
import type { MarkoutHorizon } from "../analytics/markouts.ts";
import type { LedgerRecord } from "../ledger/store.ts";
import type { ReadRequest } from "../market/schedule.ts";
import type { Approved } from "../risk/approved.ts";
import type { Latches } from "../risk/latches.ts";
import type { QuoteFault } from "../strategy/checked-quotes.ts";
import type { FoldEffect } from "./fold.ts";
import type { Notice } from "./notice.ts";
import type { Turn } from "./turns/turn.ts";

/** A read of the schedule, or a list that is read alone. */
export type Request = ReadRequest | { readonly kind: "ordersAlone" | "positions"; readonly accountId: AccountId };

/** `lines`: the remaining positions, or orders that may still rest. */
export type Flattened = {
  readonly accountId: AccountId;
  readonly kind: "flat" | "notFlat" | "ordersMayRest";
  readonly lines: readonly string[];
};

/** `lines`: orders that may still rest, a line each. */
export type Done =
  | { readonly kind: "found" | "closeBooks" }
  | { readonly kind: "cancelOrder"; readonly outcome: SubmitOutcome }
  | { readonly kind: "flatten"; readonly flattened: Flattened }
  | { readonly kind: "stop"; readonly lines: readonly string[] };

type EffectOf<K extends FoldEffect["kind"]> = Extract<FoldEffect, { readonly kind: K }>;

export type Output =
  /** To be written down, in this order: the record is on disk, or known to have failed, before the next output. */
  | { readonly kind: "record"; readonly record: LedgerRecord }
  | { readonly kind: "notice"; readonly notice: Notice }
  /** Approved by the facts of this step: send now. `causeMs`: when the turn's event was received, monotonic ms; null: none. */
  | {
      readonly kind: "submit";
      readonly accountId: AccountId;
      /** Counts the submits of a run. */
      readonly submit: number;
      readonly command: Approved | CancelCommand | CancelAllCommand;
      /** Null: with the current key, a fresh nonce, and the usual clock. */
      readonly by: SendBy | null;
      readonly causeMs: number | null;
    }
  /** A command waits in the lane: call with `slot` once the commands ahead of it have started, and no sooner than `afterMs` from then. */
  | {
      readonly kind: "line";
      readonly accountId: AccountId;
      readonly lane: WaitingLane;
      readonly afterMs: number;
    }
  | {
      readonly kind: "dropped";
      readonly accountId: AccountId;
      readonly command: Command;
      readonly reason: DropReason;
      readonly facts: Facts;
    }
  /** The fate of a transaction whose answer was lost: its nonce is free, and its intents have ended. */
  | {
      readonly kind: "settled";
      readonly accountId: AccountId;
      readonly signer: string | null;
      readonly nonce: Nonce;
      readonly intentIds: readonly number[];
      readonly end: IntentEnd;
    }
  /** To be read now: it comes back under its number as an event, a list, or a failure. */
  | { readonly kind: "read"; readonly read: number; readonly request: Request }
  /** An event that the machine made and folded in this step. */
  | { readonly kind: "folded"; readonly event: VenueEvent }
  /** How an act ended, by its number. */
  | { readonly kind: "done"; readonly number: number; readonly result: Done }
  /** A drained market was dropped. */
  | { readonly kind: "left"; readonly accountId: AccountId; readonly marketId: MarketId }
  /** The market turned; `turn` null: it threw. */
  | {
      readonly kind: "turned";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly turn: Turn | null;
    }
  /** A latch that holds from now on, and is written down. */
  | { readonly kind: "tripped"; readonly latch: Latch }
  /** Latches that no longer hold. */
  | { readonly kind: "lifted"; readonly latches: Latches }
  /** A day (UTC) of the account has ended: its summary, in a sentence and as data. */
  | {
      readonly kind: "dayEnded";
      readonly accountId: AccountId;
      readonly text: string;
      readonly summary: object;
    }
  | {
      readonly kind: "strategyFault";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly fault: QuoteFault;
    }
  | EffectOf<"resyncWanted">
  /** A fill of the account that was not known before. `isNews`: it happened just now; a list of trades shows fills of any time. */
  | { readonly kind: "fill"; readonly fill: Fill; readonly isNews: boolean }
  /** How far the mid moved for a fill, basis points. */
  | {
      readonly kind: "markout";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly horizon: MarkoutHorizon;
      readonly bps: number;
    }
  /** The exchange's state of the account, or of a market that it quotes, differs from ours. */
  | { readonly kind: "mismatch"; readonly accountId: AccountId; readonly what: MismatchKind }
  /** The effect of some unexplained successes of the account is now known. */
  | { readonly kind: "shown"; readonly accountId: AccountId }
  | { readonly kind: "reconnect" }
  /** Subscribes to the market's book again, on the current connection. */
  | { readonly kind: "resubscribe"; readonly marketId: MarketId }
  /** The chain restarted at a lower height: earlier reads no longer count. */
  | { readonly kind: "startAgain" }
  /** Call with `again` once these outputs are carried out. */
  | { readonly kind: "again" }
  /** Call with `wake` at this instant, monotonic ms; if it has passed: after everything that has arrived by then. */
  | { readonly kind: "wake"; readonly atMs: number };
