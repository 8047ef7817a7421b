// Every input of the machine, as a closed union. Each carries its instant and the readings that a decision may use: the same inputs give
// the same outputs on every computer.

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

/** Facts that no event carries. The same object while nothing in it changes. */
export type Readings = {
  readonly journal: "healthy" | StorageFault;
  /** The ledger writes to the space reserved for reductions and cancels. */
  readonly isReserveUsed: boolean;
  /** The ledger accepts records for later reading only, such as decisions: it has space, and somebody reads them. */
  readonly takesMore: boolean;
  /** Another node of the fleet may hold the accounts by now. */
  readonly isElsewhere: boolean;
  /** Why the account's key has no nonce for a new order; null: it has one. No entry: the account has no key. */
  readonly nonceRefusals: ReadonlyMap<AccountId, Facts | null>;
  /** Accounts whose key is approved on another account too, so that a CancelAllOrders may reach orders there. */
  readonly keysElsewhere: ReadonlySet<AccountId>;
};

/** A change of the configuration, with its strategies loaded. */
export type Change =
  | { readonly kind: "account"; readonly quoted: QuotedAccount }
  /** `kept`: what earlier runs left of the market. */
  | { readonly kind: "take"; readonly accountId: AccountId; readonly quoted: QuotedMarket; readonly kept: LedgerReads }
  /** `goesOn`: the former strategy continues where it was. */
  | {
      readonly kind: "requote";
      readonly accountId: AccountId;
      readonly quoted: QuotedMarket;
      readonly goesOn: boolean;
    }
  /** Cancels what rests in the market until it can be dropped. */
  | { readonly kind: "drain"; readonly accountId: AccountId; readonly marketId: MarketId }
  | { readonly kind: "rekey"; readonly accountId: AccountId; readonly publicKey: string };

export type Lift = {
  readonly kind: "lift";
  readonly accountId: AccountId;
  readonly marketId: MarketId | null;
  readonly latch: Liftable | null;
  readonly reason: string;
};

/** A list of an account that is read alone and not folded. */
export type Listed =
  | { readonly of: "orders"; readonly list: OpenOrders }
  | { readonly of: "positions"; readonly list: Positions };

/** Why a read failed. `isImplausible`: the exchange answered, with values that no market or account can have. */
export type Unread = { readonly why: string; readonly isImplausible: boolean };

export type FlattenOptions = {
  /** How far from oracle and mark price a step may trade; the guard's own collar may narrow it. */
  readonly maxSlippageBps: number;
  readonly deadlineMs: number;
};

/** What an operator, or the start, asks the machine to do: the output `done` with its number reports the end. */
export type Act =
  /** The exchange's state of the account at the start, before anything of it is folded. `open`: unanswered transactions of earlier runs. */
  | {
      readonly kind: "found";
      readonly account: Account;
      readonly open: readonly StoredIntent[];
      /** The records of earlier runs are lost. */
      readonly isLedgerLost: boolean;
      /** The ledger knows of no order of the account. */
      readonly isLedgerNew: boolean;
    }
  | { readonly kind: "cancelOrder"; readonly order: CancelCommand }
  | { readonly kind: "flatten"; readonly accountId: AccountId; readonly options: FlattenOptions }
  /** The last cancel of all; no market turns from then on. */
  | { readonly kind: "stop" }
  /** Reads the last trades and the accounts. */
  | { readonly kind: "closeBooks" };

/** An input without its instant and readings. */
export type InputBody =
  /** An event of the stream, of a read by its number, or of a submit. */
  | {
      readonly kind: "event";
      readonly event: VenueEvent;
      readonly read?: number | undefined;
      /** For an answer: the submit that it answers. */
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
  /** Orders may be sent and every latch enforced. `lastOrderedMs`: when earlier runs last sent an order, monotonic; no entry: never. */
  | { readonly kind: "start"; readonly lastOrderedMs: ReadonlyMap<AccountId, number> }
  /** An operator repeats a halt that holds already: its orders are checked again. */
  | { readonly kind: "enforceAgain"; readonly accountId: AccountId; readonly marketId: MarketId | null }
  | { readonly kind: "act"; readonly number: number; readonly act: Act }
  /** The first command that waits in the lane may start. */
  | { readonly kind: "slot"; readonly accountId: AccountId; readonly lane: WaitingLane }
  /** `tick`: ten times a second. `look`: checks only the clocks, before anything turns. */
  | { readonly kind: "tick" | "look" }
  /** Requested by the outputs of the same names. */
  | { readonly kind: "again" | "wake" }
  /** The market turns even if idle: used to ask what another configuration would do where a recorded market turned. */
  | {
      readonly kind: "turn";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly causeMs: number | null;
    }
  /** Each second, and at the end: writes down changed results and sums up ended days. */
  | { readonly kind: "results" }
  /** Writes down the worth of accounts and markets. */
  | { readonly kind: "equity" }
  /** The market's strategy takes too long: it is not called again until it or its parameters change. `why`: a clause. */
  | { readonly kind: "slow"; readonly accountId: AccountId; readonly marketId: MarketId; readonly why: string }
  /** After a fault: no more orders are sent. */
  | { readonly kind: "abandon" }
  /** No more reads are sent. */
  | { readonly kind: "stopReads" }
  | { readonly kind: "trip"; readonly latch: Latch }
  | Lift
  /** Markets whose channels the stream was asked for. */
  | { readonly kind: "streamed"; readonly markets: readonly MarketId[] }
  | Change;

/** `mayTurn`: false while a step's outputs are carried out, and while turns have taken long: then no market turns in this step. */
export type Input = InputBody & { readonly instant: Instant; readonly readings: Readings; readonly mayTurn: boolean };
