// What must survive, as types: the ledger that the bot writes to, and the engine behind it that holds the rows. One ledger over
// several engines (SQLite, memory for simulation); one contract suite holds them all to the same behavior. No secret is ever
// part of a record.

import type { Command } from "../../domain/command.ts";
import type { Dialect, DialectKey, DialectWord } from "../../domain/dialect.ts";
import type { Ending, ResolutionStep, StoredIntent } from "../../domain/intent.ts";
import type { LatchEvent } from "../../domain/latch.ts";
import type { StoredOrder } from "../../domain/order.ts";
import type { AccountId, MarketId, Nonce, OrderId, Price, Usdc } from "../../domain/units.ts";
import { CodedError } from "../../kernel/errors.ts";
import type { FundingEvent, PrintEvent, TransferEvent } from "../accounting/account-book.ts";
import type { AcceptedEvent, FillEvent, PositionEvent } from "../accounting/market-book.ts";
import type { Opening } from "../accounting/opening.ts";

/** `damaged`: the file is there and is not whole; `foreign`: another program's; `newer`: written by a later version; `closed`: used after its end; `full`, `held`, `moved`: as in `StorageFault`. */
export class LedgerError extends CodedError<
  "damaged" | "foreign" | "newer" | "unopenable" | "malformed" | "closed" | "full" | "held" | "moved"
> {}

/** A read of a position as it lies there. */
export type StoredPosition = { readonly position: PositionEvent; readonly isAccepted: boolean };

/** The prices that a market was last valued at on one day (UTC), and the name that it had then. */
export type StoredMark = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly name: string;
  readonly print: Price;
  readonly mid: Price;
  readonly atMs: number;
};

/** How a market was quoted in one hour (UTC) of one run, and the prices that it was last valued at in it. */
export type StoredHour = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Hours since 1970-01-01. */
  readonly hour: number;
  /** When the run began, wall ms: runs of one hour have a row each. */
  readonly beganMs: number;
  /** Null: the market was not valued yet. */
  readonly prices: { readonly print: Price; readonly mid: Price } | null;
  /** Text of `hourText`. */
  readonly state: string;
  readonly atMs: number;
};

export type EquitySnapshot = {
  readonly accountId: AccountId;
  readonly atMs: number;
  readonly collateral: Usdc;
  readonly unrealizedPnl: Usdc;
  /** Collateral less what the book expected of it then; null in rows of an older version. */
  readonly unexplained: Usdc | null;
};

/** What the bot made of its fills so far, in its own words: the newest replaces the one before. `marketId` null: of the whole account. */
export type StoredResult = {
  readonly accountId: AccountId;
  readonly marketId: MarketId | null;
  readonly state: string;
  readonly atMs: number;
};

/** What was learned, in the bot's own words: the newest replaces the one before. `marketId` null: of the account's markets together. */
export type StoredEstimates = {
  readonly accountId: AccountId;
  readonly marketId: MarketId | null;
  readonly state: string;
  readonly atMs: number;
};

/** A word of the dialect, learned from an account's orders; a newer one replaces it. */
export type StoredWord = {
  readonly accountId: AccountId;
  readonly key: DialectKey;
  readonly word: DialectWord;
  readonly atMs: number;
};

/** What an account shows of its chain: where these differ, its chain began again. */
export type ChainMark = {
  /** The account's `createdAt`, Unix ms; 0: unknown. */
  readonly createdAtMs: number;
  /** The most that it had traded as last reconciled; 0 also where unknown. */
  readonly lifetimeVolume: Usdc;
};

/** The chain that an account's rows are of. */
export type StoredChain = ChainMark & {
  /** Counts the chains of the account that the ledger knew, from 1. */
  readonly number: number;
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

/** One POST at the daemon's HTTP: who asked for what, from where, why, and what came of it. Or what the daemon itself found, booked or changed. */
export type AuditEntry = {
  readonly atMs: number;
  /** `POST /halt`; one word for what the daemon found. */
  readonly call: string;
  /** The address that it came from; `daemon`. */
  readonly caller: string;
  readonly isAuthorized: boolean;
  /** The operator's words, or the daemon's sentence; null: none were given, or they were not read. */
  readonly reason: string | null;
  /** As it was sent, cut; null: not read. */
  readonly body: string | null;
  /** The answer's status of HTTP; 0: nobody asked. */
  readonly status: number;
};

export type LedgerRecord =
  | { readonly kind: "intent"; readonly intent: StoredIntent }
  | { readonly kind: "ending"; readonly ending: Ending }
  | { readonly kind: "resolution"; readonly step: ResolutionStep }
  | { readonly kind: "fill"; readonly event: FillEvent; readonly receivedMs: number }
  | { readonly kind: "position"; readonly accountId: AccountId; readonly event: PositionEvent; readonly atMs: number }
  | { readonly kind: "accepted"; readonly accountId: AccountId; readonly event: AcceptedEvent }
  | { readonly kind: "funding"; readonly accountId: AccountId; readonly event: FundingEvent }
  | { readonly kind: "print"; readonly accountId: AccountId; readonly event: PrintEvent; readonly atMs: number }
  | { readonly kind: "transfer"; readonly accountId: AccountId; readonly event: TransferEvent; readonly atMs: number }
  | { readonly kind: "mark"; readonly mark: StoredMark }
  | { readonly kind: "hour"; readonly hour: StoredHour }
  | { readonly kind: "equity"; readonly snapshot: EquitySnapshot }
  | { readonly kind: "result"; readonly result: StoredResult }
  | { readonly kind: "estimates"; readonly estimates: StoredEstimates }
  | { readonly kind: "dialect"; readonly learned: StoredWord }
  /** What the account shows of its chain, as last reconciled. */
  | { readonly kind: "chain"; readonly accountId: AccountId; readonly mark: ChainMark; readonly atMs: number }
  /** The chain began again: the account's rows of money, orders and worth so far go to the archive, its results and estimates are forgotten. Halts, and what the exchange's dialect is, stay. */
  | { readonly kind: "chainBegan"; readonly accountId: AccountId; readonly mark: ChainMark; readonly atMs: number }
  | { readonly kind: "reservation"; readonly signer: string; readonly until: Nonce }
  | { readonly kind: "latch"; readonly event: LatchEvent; readonly atMs: number }
  | { readonly kind: "order"; readonly order: StoredOrder }
  | { readonly kind: "foreignOrder"; readonly accountId: AccountId; readonly orderId: OrderId }
  | { readonly kind: "decision"; readonly decision: Decision }
  | { readonly kind: "audit"; readonly entry: AuditEntry };

/** How much space the ledger takes and may take. */
export type LedgerSpace = {
  readonly bytes: number;
  readonly limitBytes: number;
  /** What is written now takes from the space kept for reductions and cancels. */
  readonly isReserveUsed: boolean;
};

/** How many rows stay when old ones are rotated out. Money (fills, positions, funding, prints, transfers) is archived instead. */
export type Retention = {
  readonly decisions: number;
  readonly intents: number;
  readonly snapshots: number;
  readonly orders: number;
  readonly audit: number;
  readonly hours: number;
};

/** Holds rows; knows nothing of batches, retries or what rows mean. Every write may throw: the disk may fail. None waits for another program. */
export type LedgerEngine = {
  readonly begin: () => void;
  /** Writes into the open transaction; what was applied is seen by reads at once. */
  readonly apply: (record: LedgerRecord) => void;
  /** On return the transaction survives the death of the process. */
  readonly commit: () => void;
  /**
   * On return these intents survive the death of the process, in one write and before any commit: an engine opened after it has them
   * as if they were committed. Their ids go on where the last call or commit ended.
   */
  readonly writeAhead: (intents: readonly StoredIntent[]) => void;
  /**
   * Throws LedgerError `moved`, which names the file, where one of the storage's files is no longer the one that was opened: what is written
   * then is gone with the process.
   */
  readonly checkPlace: () => void;
  /** Undoes the open transaction; never throws. */
  readonly rollback: () => void;
  /** On return everything committed survives loss of power. Blocks. */
  readonly syncNow: () => void;
  /** The same without blocking the loop. */
  readonly sync: () => Promise<void>;
  /** Rotates old rows out, a bounded number a call, and moves the log into the file. */
  readonly tidy: (retention: Retention) => void;
  /**
   * Copies money older than `beforeMs` (wall) to the archive, a bounded number of rows a call. Resolves, once these survive loss of
   * power, with what replaces the rows by the opening balance that stands for them, in one transaction; null: nothing is that old.
   * Takes the reserve back first, where the disk has space again.
   */
  readonly archive: (beforeMs: number) => Promise<(() => void) | null>;
  readonly space: () => LedgerSpace;
  /** False: no later run reads it. Decisions and estimates are forgotten at once, so that none need be made. */
  readonly isForLater: boolean;
  /** Gives space back that was kept free, after a write failed; true where there was some, so that the write is worth another try. */
  readonly useReserve: () => boolean;
  /** Faults of the storage itself, in words; empty when whole. Reads everything: takes seconds on a large ledger. */
  readonly faults: () => readonly string[];
  readonly read: LedgerReads;
  readonly close: () => void;
};

export type LedgerReads = {
  readonly lastIntentId: () => number;
  /** When the account last asked to place or to modify an order, wall ms; null: it never has. */
  readonly lastOrderedMs: (account: AccountId) => number | null;
  /** Intents without an end, oldest first. */
  readonly openIntents: () => readonly StoredIntent[];
  /** Sent since (wall, ms), oldest first, of which nobody knows whether they landed: without an end, or given up as harmless. */
  readonly unansweredIntents: (account: AccountId, sinceMs: number) => readonly StoredIntent[];
  readonly reservation: (signer: string) => Nonce | null;
  /** Of the newest `count` intents of a key at most, oldest first. */
  readonly newestNonces: (signer: string, count: number) => readonly Nonce[];
  /** Every one there ever was, in order. */
  readonly latchEvents: () => readonly LatchEvent[];
  /** The newest `count` at most, oldest first. */
  readonly knownOrders: (account: AccountId, count: number) => readonly StoredOrder[];
  /** Of the chain that the account's rows are of; null: an earlier version wrote them, or there are none. */
  readonly chain: (account: AccountId) => StoredChain | null;
  /** Whose money moved, by id. */
  readonly accounts: () => readonly AccountId[];
  readonly lastEquity: (account: AccountId) => EquitySnapshot | undefined;
  readonly results: (account: AccountId) => readonly StoredResult[];
  readonly estimates: (account: AccountId) => readonly StoredEstimates[];
  /** What the account's orders showed about the exchange on any chain, without what this version does not know. */
  readonly dialect: (account: AccountId) => Partial<Dialect>;
  /** What the rows that were archived amount to. */
  readonly openings: (account: AccountId) => Iterable<Opening>;
  /** In the order they were written, as the next four. */
  readonly fills: (account: AccountId) => Iterable<FillEvent>;
  readonly positions: (account: AccountId) => Iterable<StoredPosition>;
  readonly fundings: (account: AccountId) => Iterable<FundingEvent>;
  readonly prints: (account: AccountId) => Iterable<PrintEvent>;
  /** Without the keys of the fills that they stand for: these are marked. */
  readonly transfers: (account: AccountId) => Iterable<TransferEvent>;
  /** The same rows with their times: fills in the order they were written, each other kind too. Openings are no part of it. */
  readonly timeline: (account: AccountId) => Timeline;
  /** Of the account, by market, the oldest day first. */
  readonly marks: (account: AccountId) => readonly StoredMark[];
  /** Of the account, in the order their hours began. */
  readonly hours: (account: AccountId) => readonly StoredHour[];
  /** What operators, the guard and the daemon itself did, in the order it was written. */
  readonly trail: () => Trail;
  /** Rows as text for export, in the order they were written: of each account those of its present chain. */
  readonly rows: (table: LedgerTable) => Iterable<LedgerRow>;
  /** The same of the accounts' nth chains, the first is 1. Those that ended are in the archive. */
  readonly chainRows: (table: ChainedTable, chain: number) => Iterable<LedgerRow>;
};

/** What begins again with a chain. Every other table goes on, whatever the chain. */
export const chainedTables = ["fills", "positions", "funding", "prints", "transfers", "orders", "equity"] as const;
export type ChainedTable = (typeof chainedTables)[number];

/** An event, and when it was: the exchange's time where it is known, else the wall clock; ms. */
export type Timed<Event> = { readonly atMs: number; readonly event: Event };

export type Timeline = {
  readonly fills: Iterable<Timed<FillEvent>>;
  readonly positions: Iterable<Timed<StoredPosition>>;
  readonly sums: Iterable<Timed<FundingEvent | PrintEvent | TransferEvent>>;
};

export type Trail = {
  /** Every halt and resume there ever was. */
  readonly latches: Iterable<Timed<LatchEvent>>;
  /** Since the oldest that is kept. */
  readonly audit: Iterable<AuditEntry>;
  /** The same of turns that had commands; those without a denial too. */
  readonly decisions: Iterable<Pick<Decision, "accountId" | "marketId" | "atMs" | "denials">>;
};

export const ledgerTables = [
  "intents",
  "settling",
  "orders",
  "fills",
  "positions",
  "funding",
  "prints",
  "transfers",
  "openings",
  "marks",
  "hours",
  "equity",
  "results",
  "estimates",
  "dialect",
  "latches",
  "decisions",
  "audit",
  "chains",
] as const;
export type LedgerTable = (typeof ledgerTables)[number];
/** Column to text; null where there is nothing. */
export type LedgerRow = Readonly<Record<string, string | null>>;
/** As the storage declares it. */
export type LedgerColumn = { readonly name: string; readonly isInteger: boolean };
