// What must survive, as types: the ledger that the bot writes to, and the engine behind it that holds the rows. One ledger over
// several engines (SQLite, memory for simulation); one contract suite holds them all to the same behavior. No secret is ever
// part of a record.

import type { Command } from "../../domain/command.ts";
import type { Fill } from "../../domain/fill.ts";
import type { Ending, SettlingStep, StoredIntent } from "../../domain/intent.ts";
import type { LatchEvent } from "../../domain/latch.ts";
import type { KnownOrder } from "../../domain/order.ts";
import type { AccountId, MarketId, Nonce, Usdc } from "../../domain/units.ts";
import { CodedError } from "../../kernel/errors.ts";

/** `damaged`: the file is there and is not whole; `foreign`: another program's; `newer`: written by a later version; `closed`: used after its end. */
export class LedgerError extends CodedError<"damaged" | "foreign" | "newer" | "unopenable" | "malformed" | "closed"> {}

export type FundingPayment = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly atSec: number;
  /** What collateral gained; negative when we paid. */
  readonly amount: Usdc;
};

/** `covered`: a transfer stands for its money, so that it is not counted by itself. */
export type BookedFill = Fill & { readonly covered: boolean };

/**
 * `opening`: what the account held when the ledger first saw it. `whileAway`: what changed while the bot was down and no fill
 * explains. The others are what feed found in reconciling, named as it names them.
 */
export type TransferReason =
  | "opening"
  | "whileAway"
  | "inflow"
  | "rounding"
  | "fills"
  | "adoptedPosition"
  | "unexplained";

/** Collateral that came or went otherwise than by fills with their fees, and funding. */
export type Transfer = {
  readonly accountId: AccountId;
  /** Unique an account: the same movement is booked once. */
  readonly key: string;
  readonly reason: TransferReason;
  readonly amount: Usdc;
  /**
   * Keys of fills whose fee and profit nobody had told and which this amount stands for: should a copy tell them later, the row
   * is completed and nothing is booked again.
   */
  readonly covers?: readonly string[];
  readonly atMs: number;
};

export type EquitySnapshot = {
  readonly accountId: AccountId;
  readonly atMs: number;
  readonly collateral: Usdc;
  readonly unrealizedPnl: Usdc;
};

/** As it lies there: `unexplained` is collateral less what the book expected then; null in rows of an older version. */
export type StoredEquity = EquitySnapshot & { readonly unexplained: Usdc | null };

/** What the bot made of its fills so far, in its own words: the newest replaces the one before. `marketId` null: of the whole account. */
export type StoredResult = {
  readonly accountId: AccountId;
  readonly marketId: MarketId | null;
  readonly state: string;
  readonly atMs: number;
};

/** All that was ever booked of an account: collateral = realized + funding - fees + transfers, to the base unit. */
export type Totals = {
  readonly realizedPnl: Usdc;
  readonly fees: Usdc;
  readonly funding: Usdc;
  readonly transfers: Usdc;
};

/** What one turn decided, for those who ask later. */
export type Decision = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly atMs: number;
  /** Hash over the view that it was decided on. */
  readonly viewHash: string;
  readonly commands: readonly Command[];
  readonly denials: readonly { readonly kind: Command["kind"]; readonly reason: string }[];
};

export type LedgerRecord =
  | { readonly kind: "intent"; readonly intent: StoredIntent }
  | { readonly kind: "ending"; readonly ending: Ending }
  | { readonly kind: "settling"; readonly step: SettlingStep }
  | { readonly kind: "fill"; readonly fill: Fill; readonly receivedMs: number }
  | { readonly kind: "funding"; readonly payment: FundingPayment }
  | { readonly kind: "transfer"; readonly transfer: Transfer }
  | { readonly kind: "equity"; readonly snapshot: StoredEquity }
  | { readonly kind: "result"; readonly result: StoredResult }
  | { readonly kind: "reservation"; readonly signer: string; readonly until: Nonce }
  | { readonly kind: "latch"; readonly event: LatchEvent; readonly atMs: number }
  | { readonly kind: "order"; readonly order: KnownOrder }
  | { readonly kind: "decision"; readonly decision: Decision }
  | { readonly kind: "totals"; readonly accountId: AccountId; readonly totals: Totals };

/** How many rows stay when old ones are rotated out. Money (fills, funding, transfers) is never rotated. */
export type Retention = {
  readonly decisions: number;
  readonly intents: number;
  readonly snapshots: number;
  readonly orders: number;
};

/** Holds rows; knows nothing of batches, retries or what rows mean. Every write may throw: the disk may fail. */
export type LedgerEngine = {
  readonly begin: () => void;
  /** Writes into the open transaction; what was applied is seen by reads at once. */
  readonly apply: (record: LedgerRecord) => void;
  /** On return the transaction survives the death of the process. */
  readonly commit: () => void;
  /** Undoes the open transaction; never throws. */
  readonly rollback: () => void;
  /** On return everything committed survives loss of power. Blocks. */
  readonly syncNow: () => void;
  /** The same without blocking the loop. */
  readonly sync: () => Promise<void>;
  /** Rotates old rows out, a bounded number a call, and moves the log into the file. */
  readonly tidy: (retention: Retention) => void;
  /** Faults of the storage itself, in words; empty when whole. Reads everything: takes seconds on a large ledger. */
  readonly faults: () => readonly string[];
  readonly read: LedgerReads;
  readonly close: () => void;
};

export type LedgerReads = {
  readonly lastIntentId: () => number;
  /** Intents without an end, oldest first. */
  readonly openIntents: () => readonly StoredIntent[];
  /** Sent since (wall, ms), oldest first, of which nobody knows whether they landed: without an end, or given up as harmless. */
  readonly unansweredIntents: (account: AccountId, sinceMs: number) => readonly StoredIntent[];
  readonly reservation: (signer: string) => Nonce | null;
  readonly fill: (account: AccountId, key: string) => Fill | undefined;
  /** Whether a transfer stands for the fill's money already. */
  readonly isCovered: (account: AccountId, key: string) => boolean;
  readonly hasFunding: (account: AccountId, market: MarketId, atSec: number) => boolean;
  readonly hasTransfer: (account: AccountId, key: string) => boolean;
  readonly totals: (account: AccountId) => Totals;
  /** Every one there ever was, in order. */
  readonly latchEvents: () => readonly LatchEvent[];
  /** The newest `count` at most, oldest first. */
  readonly knownOrders: (account: AccountId, count: number) => readonly KnownOrder[];
  /** Keys of the newest `count` fills at most, oldest first. */
  readonly fillKeys: (account: AccountId, count: number) => readonly string[];
  readonly accounts: () => readonly AccountId[];
  readonly lastEquity: (account: AccountId) => StoredEquity | undefined;
  readonly results: (account: AccountId) => readonly StoredResult[];
  readonly fills: (account: AccountId) => Iterable<BookedFill>;
  readonly fundings: (account: AccountId) => Iterable<FundingPayment>;
  readonly transfers: (account: AccountId) => Iterable<Transfer>;
  /** Rows as text for export, in the order they were written. */
  readonly rows: (table: LedgerTable) => Iterable<LedgerRow>;
};

export const ledgerTables = [
  "intents",
  "settling",
  "orders",
  "fills",
  "funding",
  "transfers",
  "equity",
  "results",
  "latches",
  "decisions",
] as const;
export type LedgerTable = (typeof ledgerTables)[number];
/** Column to text; null where there is nothing. */
export type LedgerRow = Readonly<Record<string, string | null>>;

export const noTotals: Totals = {
  realizedPnl: 0n as Usdc,
  fees: 0n as Usdc,
  funding: 0n as Usdc,
  transfers: 0n as Usdc,
};
