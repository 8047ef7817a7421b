// The ledger's rows in memory, with a simulated disk: committed rows survive a crash of the process, synced rows survive a loss of power,
// and any prefix of the rows in between may survive, as with a log file. For simulation and tests.

import type { StoredIntent } from "../../../domain/intent.ts";
import type { LedgerEngine, LedgerReads, LedgerRecord } from "../store.ts";
import { foldOldRows, hasOldRows } from "./memory-fold.ts";
import { applyTo, copyRows, noRows, type Rows, readsOf, rotate, wholeOf } from "./memory-rows.ts";

/** Current faults of the simulated disk. `sync` resolves when the flush has finished, which may take time. */
export type DiskFaults = {
  /** Error text with which every write fails. Null: the disk works. */
  readonly failing: () => string | null;
  /** Only the reserve has space left. */
  readonly isFull?: () => boolean;
  readonly flush: () => Promise<void>;
};

/** All rows of a disk at one time. */
export type DiskCopy = Readonly<Rows>;

const goodDisk: DiskFaults = { failing: () => null, flush: () => Promise.resolve() };

/** The disk of a memory ledger: it outlives the processes that open it. */
export class MemoryDisk {
  readonly #faults: DiskFaults;
  #synced: Rows = noRows();
  /** Committed transactions that are not synced yet, oldest first. */
  #unsynced: (readonly LedgerRecord[])[] = [];
  #current: Rows = noRows();
  #ahead: readonly StoredIntent[] = [];
  /** Whether the space reserved for reductions and cancels exists. It outlives processes, like a file. */
  isReserveHeld = true;
  /** Number of dead processes: an engine of an earlier process can no longer reach the disk, even if its code still runs. */
  #deaths = 0;

  constructor(faults: DiskFaults = goodDisk) {
    this.#faults = faults;
  }

  /** Number of commits that a loss of power may lose. */
  get unsyncedCommits(): number {
    return this.#unsynced.length;
  }

  /** The process died: every commit and everything written ahead survives, the open transaction does not. */
  killProcess(): void {
    this.#deaths += 1;
    this.#unsynced.push(this.#aheadOfCommits());
    this.#current = this.#replayed(this.#unsynced.length);
  }

  /** Simulates a power loss: keeps all synced commits and the oldest `kept` of the others. */
  losePower(kept: number): void {
    this.#deaths += 1;
    this.#ahead = [];
    this.#current = this.#replayed(Math.min(kept, this.#unsynced.length));
    this.#synced = copyRows(this.#current);
    this.#unsynced = [];
  }

  /** Content of a snapshot of the machine now: every commit and everything written ahead. */
  copy(): DiskCopy {
    const rows = this.#replayed(this.#unsynced.length);
    for (const record of this.#aheadOfCommits()) applyTo(rows, record);
    return rows;
  }

  /** The machine was restored from a snapshot. */
  restore(copy: DiskCopy): void {
    this.#deaths += 1;
    this.#current = copyRows(copy);
    this.#synced = copyRows(copy);
    this.#unsynced = [];
    this.#ahead = [];
  }

  /** Rows of money since the beginning, including archived ones. */
  whole(): LedgerReads {
    return readsOf(() => wholeOf(this.#current));
  }

  /** An engine for one run of the process. */
  open(): LedgerEngine {
    const deaths = this.#deaths;
    let transaction: LedgerRecord[] = [];
    const check = (): void => {
      const full = this.#isFull() && this.isReserveHeld ? "no space is left" : null;
      const reason = deaths === this.#deaths ? (this.#faults.failing() ?? full) : "this process is dead";
      if (reason !== null) throw new Error(reason);
    };
    const flushed = (count: number): void => {
      for (const records of this.#unsynced.splice(0, count))
        for (const record of records) applyTo(this.#synced, record);
    };
    return {
      begin: check,
      apply: (record) => {
        check();
        transaction.push(record);
        applyTo(this.#current, record);
      },
      writeAhead: (intents) => {
        check();
        this.#ahead = [...this.#ahead, ...intents];
      },
      commit: () => {
        check();
        this.#unsynced.push(transaction);
        transaction = [];
        this.#ahead = [];
      },
      checkPlace: () => {},
      rollback: () => {
        if (transaction.length > 0 && deaths === this.#deaths) this.#current = this.#replayed(this.#unsynced.length);
        transaction = [];
      },
      syncNow: () => {
        check();
        flushed(this.#unsynced.length);
      },
      sync: async () => {
        check();
        const last = this.#unsynced.at(-1);
        await this.#faults.flush();
        check();
        if (last !== undefined) flushed(this.#unsynced.indexOf(last) + 1);
      },
      tidy: (retention) => {
        check();
        rotate(this.#current, retention);
        flushed(this.#unsynced.length);
        rotate(this.#synced, retention);
      },
      archive: async (beforeMs) => {
        this.isReserveHeld ||= !this.#isFull();
        check();
        if (!hasOldRows(this.#current, beforeMs)) return null;
        await this.#faults.flush();
        return () => {
          check();
          foldOldRows(this.#current, beforeMs);
          flushed(this.#unsynced.length);
          foldOldRows(this.#synced, beforeMs);
        };
      },
      space: () => ({ bytes: 0, limitBytes: Number.POSITIVE_INFINITY, isReserveUsed: !this.isReserveHeld }),
      isForLater: true,
      useReserve: () => {
        const gives = deaths === this.#deaths && this.isReserveHeld && this.#isFull();
        if (gives) this.isReserveHeld = false;
        return gives;
      },
      faults: () => [],
      read: readsOf(() => this.#current),
      close: () => {
        transaction = [];
      },
    };
  }

  #aheadOfCommits(): readonly LedgerRecord[] {
    const rows = this.#replayed(this.#unsynced.length);
    const lastId = readsOf(() => rows).lastIntentId();
    return this.#ahead.filter(({ id }) => id > lastId).map((intent) => ({ kind: "intent", intent }));
  }

  #isFull(): boolean {
    return this.#faults.isFull?.() ?? false;
  }

  #replayed(commits: number): Rows {
    const rows = copyRows(this.#synced);
    for (const records of this.#unsynced.slice(0, commits)) for (const record of records) applyTo(rows, record);
    return rows;
  }
}
