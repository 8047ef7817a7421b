// Types of the ledger that the bot writes to, and of the engine behind it that holds the rows. One ledger over several engines (SQLite;
// memory for simulation); one contract test suite for all of them. Records never contain secrets.

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

/**
 * `damaged`: the file exists but is incomplete; `foreign`: another program's; `newer`: written by a later version; `closed`: used after its
 * end; `full`, `held`, `moved`: see `StorageFault`.
 */
export class LedgerError extends CodedError<
  "damaged" | "foreign" | "newer" | "unopenable" | "malformed" | "closed" | "full" | "held" | "moved"
> {}

/** A stored read of a position. */
export type StoredPosition = { readonly position: PositionEvent; readonly isAccepted: boolean };

/** The last valuation prices of a market on one day (UTC), and its name then. */
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

/** How a market was quoted in one hour (UTC) of one run, and its last valuation prices in that hour. */
export type StoredHour = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Hours since 1970-01-01. */
  readonly hour: number;
  /** Start of the run, wall ms: each run has its own row per hour. */
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
  /** Collateral minus the book's expectation at that time; null in rows of an older version. */
  readonly unexplained: Usdc | null;
};

/** The bot's judgment of its fills so far, in its own format: a newer one replaces it. `marketId` null: of the whole account. */
export type StoredResult = {
  readonly accountId: AccountId;
  readonly marketId: MarketId | null;
  readonly state: string;
  readonly atMs: number;
};

/** Estimates, in the bot's own format: newer ones replace them. `marketId` null: of all the account's markets together. */
export type StoredEstimates = StoredResult;

/** A word of the dialect, learned from an account's orders; a newer one replaces it. */
export type StoredWord = {
  readonly accountId: AccountId;
  readonly key: DialectKey;
  readonly word: DialectWord;
  readonly atMs: number;
};

/** What an account shows of its chain: if it differs, the chain was restarted. */
export type ChainMark = {
  /** The account's `createdAt`, Unix ms; 0: unknown. */
  readonly createdAtMs: number;
  /** Its highest lifetime volume, as of the last reconcile; 0 if unknown. */
  readonly lifetimeVolume: Usdc;
};

/** The chain to which an account's rows belong. */
export type StoredChain = ChainMark & {
  /** Number of the account's chain in the ledger, from 1. */
  readonly number: number;
};

/** The decision of one turn, for later questions. */
export type Decision = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly atMs: number;
  /** Hash of the view on which it was decided. */
  readonly viewHash: string;
  readonly commands: readonly Command[];
  readonly denials: readonly { readonly kind: Command["kind"]; readonly reason: string }[];
};

/**
 * One POST at the daemon's HTTP: the request, its origin, reason and result. Or something that the daemon itself found, booked or changed.
 */
export type AuditEntry = {
  readonly atMs: number;
  /** `POST /halt`; a single word for a finding of the daemon. */
  readonly call: string;
  /** Its remote address, after `NAME at ` with a token below the administrator's; `daemon`. */
  readonly caller: string;
  readonly isAuthorized: boolean;
  /** The operator's reason, or the daemon's sentence; null: none was given, or it was not read. */
  readonly reason: string | null;
  /** As sent, cut to a limit; null: not read. */
  readonly body: string | null;
  /** HTTP status of the answer; 0: there was no request. */
  readonly status: number;
};

/** `hash`: of the row and the hash before it, see `audit-chain.ts`; null: an earlier version wrote it. */
export type StoredAudit = AuditEntry & { readonly hash: string | null };

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
  /** What the account shows of its chain, as of the last reconcile. */
  | { readonly kind: "chain"; readonly accountId: AccountId; readonly mark: ChainMark; readonly atMs: number }
  /**
   * The chain was restarted: the account's rows of money, orders and equity go to the archive, its results and estimates are deleted.
   * Latches and the exchange's dialect stay.
   */
  | { readonly kind: "chainBegan"; readonly accountId: AccountId; readonly mark: ChainMark; readonly atMs: number }
  | { readonly kind: "reservation"; readonly signer: string; readonly until: Nonce }
  | { readonly kind: "latch"; readonly event: LatchEvent; readonly atMs: number }
  | { readonly kind: "order"; readonly order: StoredOrder }
  | { readonly kind: "foreignOrder"; readonly accountId: AccountId; readonly orderId: OrderId }
  | { readonly kind: "decision"; readonly decision: Decision }
  /** The ledger itself adds the hash. */
  | { readonly kind: "audit"; readonly entry: AuditEntry & { readonly hash?: string | null } };

/** Space that the ledger uses, and its limit. */
export type LedgerSpace = {
  readonly bytes: number;
  readonly limitBytes: number;
  /** Writes use the space reserved for reductions and cancels. */
  readonly isReserveUsed: boolean;
};

/** How many rows are kept when old ones are deleted. Money (fills, positions, funding, prints, transfers) is archived instead. */
export type Retention = {
  readonly decisions: number;
  readonly intents: number;
  readonly snapshots: number;
  readonly orders: number;
  readonly audit: number;
  readonly hours: number;
};

/**
 * Holds rows; knows nothing about batches, retries or the meaning of rows. Every write may throw, because the disk may fail. No write waits
 * for another program.
 */
export type LedgerEngine = {
  readonly begin: () => void;
  /** Writes into the open transaction; reads see it at once. */
  readonly apply: (record: LedgerRecord) => void;
  /** After it returns, the transaction survives a crash of the process. */
  readonly commit: () => void;
  /**
   * After it returns, these intents survive a crash of the process, in one write and before any commit: an engine opened later has them as
   * if they were committed. Their ids must continue after the last call or commit.
   */
  readonly writeAhead: (intents: readonly StoredIntent[]) => void;
  /**
   * Throws LedgerError `moved`, which names the file, if a storage file is no longer the one that was opened: further writes would be lost
   * with the process.
   */
  readonly checkPlace: () => void;
  /** Rolls back the open transaction; never throws. */
  readonly rollback: () => void;
  /** After it returns, everything committed survives a loss of power. Blocks. */
  readonly syncNow: () => void;
  /** Like `syncNow`, without blocking the loop. */
  readonly sync: () => Promise<void>;
  /** Deletes old rows, a limited number per call, and moves the log into the file. */
  readonly tidy: (retention: Retention) => void;
  /**
   * Copies rows of money older than `beforeMs` (wall) to the archive, a limited number per call. Once these survive a loss of power,
   * resolves with a function that replaces the rows by their opening balance, in one transaction; null: nothing is that old. First takes
   * the reserve again if the disk has space.
   */
  readonly archive: (beforeMs: number) => Promise<(() => void) | null>;
  readonly space: () => LedgerSpace;
  /** False if no later run reads it: decisions and estimates would be dropped at once, so they need not be made. */
  readonly isForLater: boolean;
  /** Frees the reserved space after a failed write; true if there was some, so that the write is worth a retry. */
  readonly useReserve: () => boolean;
  /** Faults of the storage itself, as text; empty if there are none. Reads everything: takes seconds on a large ledger. */
  readonly faults: () => readonly string[];
  readonly read: LedgerReads;
  readonly close: () => void;
};

export type LedgerReads = {
  readonly lastIntentId: () => number;
  /** When the account last sent a place or a modify, wall ms; null: never. */
  readonly lastOrderedMs: (account: AccountId) => number | null;
  /** Intents without an end, oldest first. */
  readonly openIntents: () => readonly StoredIntent[];
  /** Sent since (wall, ms), oldest first, with unknown execution: without an end, or given up as harmless. */
  readonly unansweredIntents: (account: AccountId, sinceMs: number) => readonly StoredIntent[];
  readonly reservation: (signer: string) => Nonce | null;
  /** Nonces of at most the newest `count` intents of a key, oldest first. */
  readonly newestNonces: (signer: string, count: number) => readonly Nonce[];
  /** All of them since the beginning, in order. */
  readonly latchEvents: () => readonly LatchEvent[];
  /** At most the newest `count`, oldest first. */
  readonly knownOrders: (account: AccountId, count: number) => readonly StoredOrder[];
  /** The chain of the account's rows; null: an earlier version wrote them, or there are none. */
  readonly chain: (account: AccountId) => StoredChain | null;
  /** Accounts with money events, by id. */
  readonly accounts: () => readonly AccountId[];
  readonly lastEquity: (account: AccountId) => EquitySnapshot | undefined;
  readonly results: (account: AccountId) => readonly StoredResult[];
  readonly estimates: (account: AccountId) => readonly StoredEstimates[];
  /** What the account's orders showed about the exchange on any chain; omits what this version does not know. */
  readonly dialect: (account: AccountId) => Partial<Dialect>;
  /** Sums of the archived rows. */
  readonly openings: (account: AccountId) => Iterable<Opening>;
  /** In writing order, like the next four. */
  readonly fills: (account: AccountId) => Iterable<FillEvent>;
  readonly positions: (account: AccountId) => Iterable<StoredPosition>;
  readonly fundings: (account: AccountId) => Iterable<FundingEvent>;
  readonly prints: (account: AccountId) => Iterable<PrintEvent>;
  /** Without the keys of the fills that they cover, because these are marked. */
  readonly transfers: (account: AccountId) => Iterable<TransferEvent>;
  /** The same rows with their times: fills in writing order, and so for every other kind. Openings are not included. */
  readonly timeline: (account: AccountId) => Timeline;
  /** By market, the oldest day first. */
  readonly marks: (account: AccountId) => readonly StoredMark[];
  /** Ordered by the start of the hour. */
  readonly hours: (account: AccountId) => readonly StoredHour[];
  /** Actions of operators, the guard and the daemon itself, in writing order. */
  readonly trail: () => Trail;
  /** Hash of the newest audit row; null: none has one. */
  readonly lastAuditHash: () => string | null;
  /** Rows as text for export, in writing order: those of each account's current chain. */
  readonly rows: (table: LedgerTable) => Iterable<LedgerRow>;
  /** Rows of the accounts' nth chain, counted from 1. Ended chains are in the archive. */
  readonly chainRows: (table: ChainedTable, chain: number) => Iterable<LedgerRow>;
};

/** Tables that start over with a chain. Every other table continues. */
export const chainedTables = ["fills", "positions", "funding", "prints", "transfers", "orders", "equity"] as const;
export type ChainedTable = (typeof chainedTables)[number];

/** An event with its time, ms: the exchange's time if known, else the wall clock. */
export type Timed<Event> = { readonly atMs: number; readonly event: Event };

export type Timeline = {
  readonly fills: Iterable<Timed<FillEvent>>;
  readonly positions: Iterable<Timed<StoredPosition>>;
  readonly sums: Iterable<Timed<FundingEvent | PrintEvent | TransferEvent>>;
};

export type Trail = {
  /** All halts and resumes since the beginning. */
  readonly latches: Iterable<Timed<LatchEvent>>;
  /** Since the oldest that is kept. */
  readonly audit: Iterable<StoredAudit>;
  /** Hash of the newest audit row that was deleted; "" if there is none. */
  readonly auditBase: string;
  /** Kept decisions of turns with commands, including those without a denial. */
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
/** Column to text; null for an empty cell. */
export type LedgerRow = Readonly<Record<string, string | null>>;
/** As the storage declares it. */
export type LedgerColumn = { readonly name: string; readonly isInteger: boolean };
