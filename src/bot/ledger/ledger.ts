// The ledger that the bot writes to: intents before they are sent, the events of the account book, halts that stay, and what each turn
// decided. Writing never throws for the disk: one that fails shows in `health` and closes nothing but new exposure.

import type { Ending, Intent, StoredIntent } from "../../domain/intent.ts";
import type { Nonce } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import { processTiming } from "../timing.ts";
import { Batch, type BatchOptions, type LedgerHealth } from "./batch.ts";
import type { LedgerEngine, LedgerReads, LedgerRecord, LedgerSpace, Retention } from "./store.ts";

export type { LedgerHealth } from "./batch.ts";

export type LedgerOptions = BatchOptions & {
  readonly retention: Retention;
  /** Money older than that is archived. */
  readonly archiveAfterMs: number;
  /** Told why old money could not be archived; it stays where it is. */
  readonly onArchiveFailed: (why: string) => void;
};

/** Two hundred thousand rows are days of a busy bot and about 100 MB a table, or the hours of 20 markets for a year; the order tracker remembers as many orders; what waits is an hour. */
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

/** Fuller than that, old money is archived whatever its age. */
const FULL_RATIO = 0.75;

export class Ledger {
  readonly #options: LedgerOptions;
  readonly #clock: Clock;
  readonly #engine: LedgerEngine;
  readonly #batch: Batch;
  #nextIntentId: number;
  #closed = false;
  #isArchiving = false;

  /** Throws LedgerError `malformed`, and what the storage throws. Writing throws LedgerError `closed` after `close`, and nothing else. */
  constructor(options: Partial<LedgerOptions>, modules: { readonly engine: LedgerEngine; readonly clock: Clock }) {
    this.#options = { ...defaults, ...options };
    this.#clock = modules.clock;
    this.#engine = modules.engine;
    this.#batch = new Batch(this.#options, modules);
    this.#nextIntentId = modules.engine.read.lastIntentId() + 1;
  }

  get read(): LedgerReads {
    return this.#engine.read;
  }

  /** Names a transaction before it is sent; the name survives the death of the process once `writeAhead` or `commit` returned true. */
  intent(intent: Intent): number {
    const id = this.#nextIntentId;
    this.#nextIntentId += 1;
    this.#batch.put({ kind: "intent", intent: { ...intent, id } });
    return id;
  }

  end(ending: Ending): void {
    this.#batch.put({ kind: "ending", ending });
  }

  /** Sent, and not known to have ended: after a start, each is an unknown that must be settled before quoting. */
  openIntents(): readonly StoredIntent[] {
    return this.read.openIntents();
  }

  /**
   * What the bot found, decided and halted. While space is short what is for later alone is left out, since reductions need it more. True: it was
   * taken; of a latch, and of a chain that began again, that it survives loss of power. False: the disk failed, and it is written when it can
   * be. Blocks for these two.
   */
  keep(record: LedgerRecord): boolean {
    if (this.#isLeftOut(record)) return true;
    this.#batch.put(record);
    return record.kind === "latch" || record.kind === "chainBegan" ? this.#batch.syncNow() : true;
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
        // Only calls that may have changed something are written then.
        return isReserveUsed && !record.entry.isAuthorized;
      default:
        return false;
    }
  }

  /** Whether decisions, estimates and hours are written: not while space is short, nor where no later run reads them. */
  get takesMore(): boolean {
    return this.#engine.isForLater && !this.#engine.space().isReserveUsed;
  }

  /** Resolves true when the reservation survives loss of power: nonces up to `until` may be used from then on. */
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

  /** True: every intent so far survives the death of the process. Takes less than half of a commit, which follows at the end of the task. */
  writeAhead(): boolean {
    return this.#batch.writeAhead();
  }

  /** True: everything so far survives the death of the process. The ledger does it at the end of each task. */
  commit(): boolean {
    return this.#batch.commit();
  }

  /** Resolves true when everything so far survives loss of power. */
  sync(): Promise<boolean> {
    return this.#batch.sync();
  }

  /** Looks whether the storage's files are still where they were opened; to be called several times a second. */
  look(): void {
    if (!this.#closed) this.#batch.look();
  }

  health(): LedgerHealth {
    return this.#batch.health();
  }

  space(): LedgerSpace {
    return this.#engine.space();
  }

  /** Archives some of the money that is old enough; to be called every few seconds. Never rejects. */
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

  /** Rotates old rows out and moves the log into the file; to be called about once a minute, when nothing is urgent. */
  tidy(): void {
    // Even where the commit failed: rotating may make the space that it lacked.
    this.#batch.commit();
    try {
      this.#engine.tidy(this.#options.retention);
    } catch (thrown) {
      this.#batch.note(thrown);
    }
  }

  /** Writes, syncs and closes. Harmless when repeated. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#batch.close();
    this.#engine.close();
  }
}
