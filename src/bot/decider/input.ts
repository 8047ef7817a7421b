// Every input of the machine, as a closed union. Each carries its instant and the readings that a decision may use, so the same inputs give the
// same outputs on every computer.

import type { Account, OpenOrders, Positions } from "../../domain/account.ts";
import type { CancelCommand } from "../../domain/command.ts";
import type { SendRefusalCode } from "../../domain/drop-reason.ts";
import type { VenueEvent } from "../../domain/event.ts";
import type { StoredIntent } from "../../domain/intent.ts";
import type { WaitingLane } from "../../domain/lane.ts";
import type { Latch, Liftable } from "../../domain/latch.ts";
import type { StorageFault } from "../../domain/storage.ts";
import type { Recovered, Submitted } from "../../domain/submit.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
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
  /** Accounts whose key is approved on another account, whose orders a CancelAllOrders may take. */
  readonly keysElsewhere: ReadonlySet<AccountId>;
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
  /** The market cancels what rests, until it is left. */
  | { readonly kind: "drain"; readonly accountId: AccountId; readonly marketId: MarketId }
  | { readonly kind: "rekey"; readonly accountId: AccountId; readonly publicKey: string };

export type Lift = {
  readonly kind: "lift";
  readonly accountId: AccountId;
  readonly marketId: MarketId | null;
  readonly latch: Liftable | null;
  readonly reason: string;
};

/** A list of an account that is read alone: nothing of it is folded. */
export type Listed =
  | { readonly of: "orders"; readonly list: OpenOrders }
  | { readonly of: "positions"; readonly list: Positions };

/** Why a read gave nothing. `isImplausible`: the exchange answered, with what no market or account can be. */
export type Unread = { readonly why: string; readonly isImplausible: boolean };

export type FlattenOptions = {
  /** How far from oracle and mark price a step may trade; the guard's own collar may make it less. */
  readonly maxSlippageBps: number;
  readonly deadlineMs: number;
};

/** What an operator, or the start, has the machine do: the output `done` with its number says how it ended. */
export type Act =
  /** The exchange's word on the account at the start, before anything of it is folded. `open`: what earlier runs sent and nobody answered. */
  | {
      readonly kind: "found";
      readonly account: Account;
      readonly open: readonly StoredIntent[];
      /** What earlier runs wrote is gone. */
      readonly isLedgerLost: boolean;
      /** The ledger knows of no order of the account. */
      readonly isLedgerNew: boolean;
    }
  | { readonly kind: "cancelOrder"; readonly order: CancelCommand }
  | { readonly kind: "flatten"; readonly accountId: AccountId; readonly options: FlattenOptions }
  /** The last cancel of all; no market turns from then on. */
  | { readonly kind: "stop" }
  /** The last trades, and what the accounts say. */
  | { readonly kind: "closeBooks" };

/** What an input says, apart from its instant and readings. */
export type InputBody =
  /** Of the stream, a read by its number, or a submit. */
  | {
      readonly kind: "event";
      readonly event: VenueEvent;
      readonly read?: number | undefined;
      /** Of an answer. */
      readonly submitted?: Submitted | undefined;
    }
  | { readonly kind: "listed"; readonly read: number; readonly listed: Listed }
  | { readonly kind: "unread"; readonly read: number; readonly unread: Unread }
  | (Recovered & { readonly kind: "recovered" })
  /** A submit was not sent. */
  | {
      readonly kind: "refused";
      readonly accountId: AccountId;
      readonly submit: number;
      readonly reason: SendRefusalCode;
      readonly facts: Facts;
    }
  /** Orders of this run may be sent, and what rests is known: from now on every latch is enforced. `lastOrderedMs`: when earlier runs last sent one, monotonic; no entry: never. */
  | { readonly kind: "start"; readonly lastOrderedMs: ReadonlyMap<AccountId, number> }
  /** An operator asks again for what holds already: its orders are looked at again. */
  | { readonly kind: "enforceAgain"; readonly accountId: AccountId; readonly marketId: MarketId | null }
  | { readonly kind: "act"; readonly number: number; readonly act: Act }
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
  /** After a fault: no order is sent from now on. */
  | { readonly kind: "abandon" }
  /** No read leaves from now on. */
  | { readonly kind: "stopReads" }
  | { readonly kind: "trip"; readonly latch: Latch }
  | Lift
  /** Markets whose channels the stream has been asked for. */
  | { readonly kind: "streamed"; readonly markets: readonly MarketId[] }
  | Change;

/** `mayTurn`: false while outputs of a step before are carried out, and while turns have taken long: then no market turns in this step. */
export type Input = InputBody & { readonly instant: Instant; readonly readings: Readings; readonly mayTurn: boolean };
