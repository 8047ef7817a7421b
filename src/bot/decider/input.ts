// Every input of the machine, as a closed union. Each carries its instant and the readings that a decision may use, so the same inputs give the
// same outputs on every computer.

import type { Command } from "../../domain/command.ts";
import type { SendRefusalCode } from "../../domain/drop-reason.ts";
import type { SubmitOutcome, VenueEvent } from "../../domain/event.ts";
import type { WaitingLane } from "../../domain/lane.ts";
import type { Latch, Liftable } from "../../domain/latch.ts";
import type { Order } from "../../domain/order.ts";
import type { StorageFault } from "../../domain/storage.ts";
import type { AccountId, MarketId, Nonce } from "../../domain/units.ts";
import type { Instant } from "../../kernel/clock.ts";
import type { Facts } from "../../kernel/errors.ts";
import type { QuotedAccount, QuotedMarket } from "../config/config.ts";
import type { LedgerReads } from "../ledger/store.ts";

/** What no event tells of. The same object while all of it is the same. */
export type Readings = {
  readonly journal: "healthy" | StorageFault;
  /** The ledger takes from the space kept for reductions and cancels. */
  readonly isReserveUsed: boolean;
  /** The ledger takes what is for later alone, such as decisions: it has space, and somebody reads it. */
  readonly takesMore: boolean;
  /** Another node of the fleet may hold the accounts by now. */
  readonly isElsewhere: boolean;
  /** Why the account's key has no nonce for a new order; null: it has one. No entry: it has no key. */
  readonly nonceRefusals: ReadonlyMap<AccountId, Facts | null>;
};

/** Another configuration, its strategies loaded. */
export type Change =
  | { readonly kind: "account"; readonly quoted: QuotedAccount }
  /** `kept`: what earlier runs left of the market. */
  | { readonly kind: "take"; readonly accountId: AccountId; readonly quoted: QuotedMarket; readonly kept: LedgerReads }
  /** `goesOn`: the strategy before goes on where it was. */
  | {
      readonly kind: "requote";
      readonly accountId: AccountId;
      readonly quoted: QuotedMarket;
      readonly goesOn: boolean;
    }
  /** The market cancels what rests; it is gone. */
  | { readonly kind: "drain" | "drop"; readonly accountId: AccountId; readonly marketId: MarketId }
  | { readonly kind: "rekey"; readonly accountId: AccountId; readonly publicKey: string };

export type Lift = {
  readonly kind: "lift";
  readonly accountId: AccountId;
  readonly marketId: MarketId | null;
  readonly latch: Liftable | null;
  readonly reason: string;
};

export type Told =
  /** Of the stream, a read, or a transaction of ours. */
  | { readonly kind: "event"; readonly event: VenueEvent }
  /** A transaction of an earlier run that may have landed. */
  | { readonly kind: "recovered"; readonly nonce: Nonce; readonly command: Command }
  /** What became of a submit, by its number: it was not sent; its last answer has come; what a lost answer meant is settled. */
  | {
      readonly kind: "refused";
      readonly accountId: AccountId;
      readonly submit: number;
      readonly reason: SendRefusalCode;
      readonly facts: Facts;
    }
  | {
      readonly kind: "ended";
      readonly accountId: AccountId;
      readonly submit: number;
      readonly outcome: SubmitOutcome["kind"];
    }
  | { readonly kind: "settled"; readonly accountId: AccountId; readonly submit: number }
  /** A market begins to have a lost answer, or has none left; null: of a transaction in all markets. */
  | {
      readonly kind: "resolving";
      readonly accountId: AccountId;
      readonly marketId: MarketId | null;
      readonly isResolving: boolean;
    }
  /** The first command that waits in the lane may start. */
  | { readonly kind: "slot"; readonly accountId: AccountId; readonly lane: WaitingLane }
  /** Ten times a second; a look at the clocks alone, before anything turns. */
  | { readonly kind: "tick" | "look" }
  /** Asked for by the outputs of the same names. */
  | { readonly kind: "again" | "wake" }
  /** The market turns whether it rests or not: how another configuration is asked what it would do where a recorded one turned. */
  | {
      readonly kind: "turn";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly causeMs: number | null;
    }
  /** Each second, and at the end: results that have changed are written down, and days that have ended are summed up. */
  | { readonly kind: "results" }
  /** What accounts and markets are worth is written down. */
  | { readonly kind: "equity" }
  /** The market's strategy takes too long: it is not called again until it or its parameters change. `why`: a clause. */
  | { readonly kind: "slow"; readonly accountId: AccountId; readonly marketId: MarketId; readonly why: string }
  /** No market turns after this. */
  | { readonly kind: "stop" }
  | { readonly kind: "trip"; readonly latch: Latch }
  | Lift
  /** Orders that close a position, all of one market: the first that the guard passes is sent. The output `verdict` has its word on the last that it judged. */
  | { readonly kind: "close"; readonly commands: readonly Command[] }
  /** Markets whose channels the stream has been asked for. */
  | { readonly kind: "streamed"; readonly markets: readonly MarketId[] }
  /** Orders that the exchange listed at the start: asked whether they landed late, taken as ours, or left as foreign ones. */
  | { readonly kind: "late"; readonly accountId: AccountId; readonly order: Order }
  | { readonly kind: "claim"; readonly accountId: AccountId; readonly orders: readonly Order[] }
  | { readonly kind: "keep"; readonly accountId: AccountId; readonly orders: readonly Order[] }
  | Change;

/** `mayTurn`: false while outputs of a step before are carried out, and while turns have taken long: then no market turns in this step. */
export type Input = Told & { readonly instant: Instant; readonly readings: Readings; readonly mayTurn: boolean };
