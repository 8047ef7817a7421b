// Gathers records into one transaction per task of the event loop. If the disk fails, nothing is lost at once: unwritten records wait, up
// to a limit, and are written in order when the disk works again.

import type { StoredIntent } from "../../domain/intent.ts";
import type { StorageFault } from "../../domain/storage.ts";
import type { Clock } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import { processTiming } from "../timing.ts";
import { type LedgerEngine, LedgerError, type LedgerRecord } from "./store.ts";

export type LedgerHealth =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly fault: StorageFault;
      /** The storage's error text. */
      readonly reason: string;
      /** Monotonic, ms. */
      readonly sinceMs: number;
      /** Records that wait for the storage to work again. */
      readonly waiting: number;
      /** Records dropped because too many waited. */
      readonly lost: number;
    };

export type BatchOptions = {
  /** Most records that may wait for a failed disk. */
  readonly waitingMax: number;
  /** Called after each commit with its duration and number of records. */
  readonly onCommit: (durationMs: number, records: number) => void;
};

type Failure = { readonly fault: StorageFault; readonly reason: string; readonly sinceMs: number };

function faultOf(thrown: unknown): StorageFault {
  const code = thrown instanceof LedgerError ? thrown.code : "failed";
  return code === "full" || code === "held" || code === "moved" ? code : "failed";
}

export class Batch {
  readonly #options: BatchOptions;
  readonly #engine: LedgerEngine;
  readonly #clock: Clock;
  #records: LedgerRecord[] = [];
  /** The intents among them that are not written ahead. */
  #unwritten: StoredIntent[] = [];
  /** How many of them are in the open transaction. */
  #applied = 0;
  /** True after intents were written ahead: they and later records enter the transaction at its end. */
  #isWaiting = false;
  #open = false;
  #scheduled = false;
  #closed = false;
  #lost = 0;
  #failure: Failure | null = null;
  #unsynced: Failure | null = null;
  /** Set while writes go to files that no longer exist at their path. */
  #moved: Failure | null = null;
  #retryAtMs = 0;

  constructor(options: BatchOptions, { engine, clock }: { readonly engine: LedgerEngine; readonly clock: Clock }) {
    this.#options = options;
    this.#engine = engine;
    this.#clock = clock;
  }

  /** Adds to the transaction, which is committed at the latest at the end of this task. Throws LedgerError `closed`. */
  put(record: LedgerRecord): void {
    if (this.#closed) throw new LedgerError("closed", "the ledger is closed");
    if (this.#records.length >= this.#options.waitingMax) {
      this.#records.shift();
      this.#applied = Math.max(0, this.#applied - 1);
      this.#lost += 1;
    }
    this.#records.push(record);
    if (record.kind === "intent") {
      this.#unwritten.push(record.intent);
      this.#isWaiting = true;
    }
    if (this.#failure === null && !this.#isWaiting && !this.#attempt(() => this.#apply()) && this.#useReserve())
      this.#rewrite();
    if (!this.#scheduled) {
      this.#scheduled = true;
      void Promise.resolve().then(() => this.#endTask());
    }
  }

  /** True: every intent so far survives a crash of the process. */
  writeAhead(): boolean {
    if (this.#failure !== null) return this.commit();
    try {
      this.#engine.writeAhead(this.#unwritten);
      this.#unwritten = [];
      return this.#moved === null;
    } catch {
      return this.commit(); // Takes longer, and shows what the disk has.
    }
  }

  /** True: everything so far survives a crash of the process. */
  commit(): boolean {
    if (this.#records.length === 0) return this.#failure === null && this.#moved === null;
    const startedMs = this.#clock.monotonicMs();
    if (this.#failure !== null && startedMs < this.#retryAtMs) return false;
    const write = (): void => {
      this.#apply();
      this.#engine.commit();
    };
    if (!this.#attempt(write) && !(this.#useReserve() && this.#attempt(write))) return false;
    const count = this.#records.length;
    this.#records = [];
    this.#unwritten = [];
    this.#applied = 0;
    this.#isWaiting = false;
    this.#open = false;
    this.#failure = null;
    this.#options.onCommit(this.#clock.monotonicMs() - startedMs, count);
    return this.#moved === null;
  }

  /** Checks whether the storage's files are still where they were opened; call several times per second. */
  look(): void {
    try {
      this.#engine.checkPlace();
      this.#moved = null;
    } catch (thrown) {
      this.#moved ??= this.#failureOf(thrown);
    }
  }

  /** Commits; true: everything survives a loss of power too. Blocks until the disk has finished. */
  syncNow(): boolean {
    this.look();
    if (!this.commit()) return false;
    try {
      this.#engine.syncNow();
      this.#unsynced = null;
      return true;
    } catch (thrown) {
      this.note(thrown);
      return false;
    }
  }

  /** Commits; resolves true when everything survives a loss of power too. */
  async sync(): Promise<boolean> {
    if (!this.commit()) return false;
    try {
      await this.#engine.sync();
      this.#unsynced = null;
      return true;
    } catch (thrown) {
      this.note(thrown);
      return false;
    }
  }

  /** Notes a storage failure that lost no record. The storage counts as failed until a sync succeeds. */
  note(thrown: unknown): void {
    this.#unsynced ??= this.#failureOf(thrown);
  }

  health(): LedgerHealth {
    const cause = this.#moved ?? this.#failure ?? this.#unsynced;
    if (cause === null) return { ok: true };
    return { ok: false, ...cause, waiting: this.#failure === null ? 0 : this.#records.length, lost: this.#lost };
  }

  /** Writes and syncs what it can; nothing can be added afterwards. */
  close(): void {
    this.#retryAtMs = 0;
    this.syncNow();
    this.#closed = true;
  }

  /** Frees the reserve if the disk is full; that does not help against another program or missing files. */
  #useReserve(): boolean {
    return this.#failure?.fault !== "held" && this.#failure?.fault !== "moved" && this.#engine.useReserve();
  }

  #failureOf(thrown: unknown): Failure {
    return { fault: faultOf(thrown), reason: messageOf(thrown), sinceMs: this.#clock.monotonicMs() };
  }

  #endTask(): void {
    this.#scheduled = false;
    if (!this.#closed) this.commit();
  }

  /** There is space again: writes the waiting records into another transaction. */
  #rewrite(): void {
    if (this.#attempt(() => this.#apply())) this.#failure = null;
  }

  #apply(): void {
    if (!this.#open) this.#engine.begin();
    this.#open = true;
    for (const record of this.#records.slice(this.#applied)) this.#engine.apply(record);
    this.#applied = this.#records.length;
  }

  #attempt(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (thrown) {
      this.#engine.rollback();
      this.#open = false;
      this.#applied = 0;
      this.#failure ??= this.#failureOf(thrown);
      this.#retryAtMs = this.#clock.monotonicMs() + processTiming.diskAgainMs;
      return false;
    }
  }
}
