// The bot's ledger: intents before they are sent, events of the account book, latches, and the decisions of each turn. Writing never throws
// because of the disk: a failure shows in `health` and blocks only new exposure.

import type { Ending, Intent, StoredIntent } from "../../domain/intent.ts";
import type { Nonce } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import { processTiming } from "../timing.ts";
import { nextAudit } from "./audit-chain.ts";
import { Batch, type BatchOptions, type LedgerHealth } from "./batch.ts";
import type {
  AuditEntry,
  LedgerEngine,
  LedgerReads,
  LedgerRecord,
  LedgerSpace,
  Retention,
  StoredAudit,
} from "./store.ts";

export type { LedgerHealth } from "./batch.ts";

export type LedgerOptions = BatchOptions & {
  readonly retention: Retention;
  /** Rows of money older than this are archived. */
  readonly archiveAfterMs: number;
  /** Called with the reason if old rows of money could not be archived; they stay where they are. */
  readonly onArchiveFailed: (why: string) => void;
};

/**
 * Two hundred thousand rows are days of a busy bot, about 100 MB per table, or a year of the hours of 20 markets; the order tracker
 * remembers as many orders; `waitingMax` is about an hour of records.
 */
const defaults: LedgerOptions = {
  retention: {
    decisions: 200_000,
    intents: 200_000,
    snapshots: 200_000,
    orders: 20_000,
    audit: 200_000,
    hours: 200_000,
  },
  archiveAfterMs: processTiming.archiveAfterMs,
  waitingMax: 100_000,
  onCommit: () => {},
  onArchiveFailed: () => {},
};

/** Above this share of the limit, rows of money are archived whatever their age. */
const FULL_RATIO = 0.75;

export class Ledger {
  readonly #options: LedgerOptions;
  readonly #clock: Clock;
  readonly #engine: LedgerEngine;
  readonly #batch: Batch;
  #nextIntentId: number;
  #closed = false;
  #isArchiving = false;
  #auditHead: string;

  /** Throws LedgerError `malformed`, and what the storage throws. Writing throws only LedgerError `closed` after `close`. */
  constructor(options: Partial<LedgerOptions>, modules: { readonly engine: LedgerEngine; readonly clock: Clock }) {
    this.#options = { ...defaults, ...options };
    this.#clock = modules.clock;
    this.#engine = modules.engine;
    this.#batch = new Batch(this.#options, modules);
    this.#nextIntentId = modules.engine.read.lastIntentId() + 1;
    this.#auditHead = modules.engine.read.lastAuditHash() ?? "";
  }

  get read(): LedgerReads {
    return this.#engine.read;
  }

  /** Gives a transaction an id before it is sent; the id survives a crash of the process once `writeAhead` or `commit` returned true. */
  intent(intent: Intent): number {
    const id = this.#nextIntentId;
    this.#nextIntentId += 1;
    this.#batch.put({ kind: "intent", intent: { ...intent, id } });
    return id;
  }

  end(ending: Ending): void {
    this.#batch.put({ kind: "ending", ending });
  }

  /** Sent, without a known end: after a start, each must be resolved before quoting. */
  openIntents(): readonly StoredIntent[] {
    return this.read.openIntents();
  }

  /**
   * Records what the bot found, decided and halted. If space is short, records for later use are left out, because reductions need it more.
   * Returns true if the record was taken; for a latch and a restarted chain, if it survives a loss of power (these two block). False: the
   * disk failed, and it will be written when possible.
   */
  keep(record: LedgerRecord): boolean {
    if (this.#isLeftOut(record)) return true;
    this.#batch.put(record.kind === "audit" ? { ...record, entry: this.#chained(record.entry) } : record);
    return record.kind === "latch" || record.kind === "chainBegan" ? this.#batch.syncNow() : true;
  }

  /** Hash of the newest audit row; "" before the first. */
  get auditHead(): string {
    return this.#auditHead;
  }

  #chained(entry: AuditEntry): StoredAudit {
    const next = nextAudit(this.#auditHead, entry);
    this.#auditHead = next.hash ?? "";
    return next;
  }

  #isLeftOut(record: LedgerRecord): boolean {
    const { isReserveUsed } = this.#engine.space();
    switch (record.kind) {
      case "decision":
      case "estimates":
      case "hour":
        return !this.takesMore;
      case "mark":
      case "equity":
        return isReserveUsed;
      case "audit":
        // If space is short, only calls that may have changed something are written.
        return isReserveUsed && !record.entry.isAuthorized;
      default:
        return false;
    }
  }

  /** Whether decisions, estimates and hours are written: not while space is short, nor if no later run reads them. */
  get takesMore(): boolean {
    return this.#engine.isForLater && !this.#engine.space().isReserveUsed;
  }

  /** Resolves true when the reservation survives a loss of power: then nonces up to `until` may be used. */
  reserve(signer: string, until: Nonce): Promise<boolean> {
    this.#batch.put({ kind: "reservation", signer, until });
    return this.#batch.sync();
  }

  reservation(signer: string): Nonce | null {
    return this.read.reservation(signer);
  }

  newestNonces(signer: string, count: number): readonly Nonce[] {
    return this.read.newestNonces(signer, count);
  }

  /**
   * True: every intent so far survives a crash of the process. Takes less than half the time of a commit, which follows at the end of the
   * task.
   */
  writeAhead(): boolean {
    return this.#batch.writeAhead();
  }

  /** True: everything so far survives a crash of the process. The ledger commits at the end of each task. */
  commit(): boolean {
    return this.#batch.commit();
  }

  /** Resolves true when everything so far survives a loss of power. */
  sync(): Promise<boolean> {
    return this.#batch.sync();
  }

  /** Checks whether the storage's files are still where they were opened; call several times per second. */
  look(): void {
    if (!this.#closed) this.#batch.look();
  }

  health(): LedgerHealth {
    return this.#batch.health();
  }

  space(): LedgerSpace {
    return this.#engine.space();
  }

  /** Archives some of the rows of money that are old enough; call every few seconds. Never rejects. */
  async archive(): Promise<void> {
    if (this.#isArchiving || !this.#batch.commit()) return;
    this.#isArchiving = true;
    try {
      const { bytes, limitBytes } = this.#engine.space();
      const nowMs = this.#clock.wallMs();
      const isFull = bytes > FULL_RATIO * limitBytes;
      const replace = await this.#engine.archive(isFull ? nowMs : nowMs - this.#options.archiveAfterMs);
      if (replace !== null && !this.#closed && this.#batch.commit()) replace();
    } catch (thrown) {
      if (!this.#closed) this.#options.onArchiveFailed(messageOf(thrown));
    } finally {
      this.#isArchiving = false;
    }
  }

  /** Deletes old rows and moves the log into the file; call about once a minute, when nothing is urgent. */
  tidy(): void {
    // Even if the commit failed: deleting rows may make the space that it lacked.
    this.#batch.commit();
    try {
      this.#engine.tidy(this.#options.retention);
    } catch (thrown) {
      this.#batch.note(thrown);
    }
  }

  /** Writes, syncs and closes. May be called repeatedly. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#batch.close();
    this.#engine.close();
  }
}
