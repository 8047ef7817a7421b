// The disk under a simulated ledger: it may fail, be slow, or lose power, and it outlives the processes that write to it.

import { type DiskCopy, MemoryDisk } from "../bot/ledger/memory/memory.ts";
import { sleep } from "../kernel/clock.ts";
import type { Prng } from "../kernel/prng.ts";
import type { Life } from "./life.ts";

/** A sync of a healthy disk, milliseconds. */
const FLUSH_MS = 2;
/** A turn, and an order that was on its way. */
const KNOWN_MS = 1000;

export class SimulatedDisk {
  readonly rows: MemoryDisk;
  readonly #prng: Prng;
  readonly #life: () => Life;
  /** Null: it works. */
  failure: string | null = null;
  /** Since when nothing was written; null: it works. */
  #failedMs: number | null = null;
  flushMs = FLUSH_MS;
  /** Something else has filled it. */
  isFull = false;
  /** Since when its reserve is in use; null: it is not. */
  #shortMs: number | null = null;
  #snapshot: { readonly rows: DiskCopy; readonly takenMs: number } | null = null;

  constructor(modules: { readonly prng: Prng; readonly life: () => Life }) {
    this.#prng = modules.prng;
    this.#life = modules.life;
    this.rows = new MemoryDisk({
      failing: () => this.failure,
      isFull: () => this.isFull,
      flush: () => sleep(this.#life().clock, this.flushMs),
    });
  }

  fail(why: string, nowMs: number): void {
    this.failure = why;
    this.#failedMs = nowMs;
  }

  heal(): void {
    this.failure = null;
    this.#failedMs = null;
    this.isFull = false;
    this.flushMs = FLUSH_MS;
  }

  /** Whether what is written has taken from the reserve for long enough to be known. */
  isShort(nowMs: number): boolean {
    this.#shortMs = this.rows.isReserveHeld ? null : (this.#shortMs ?? nowMs);
    return this.#shortMs !== null && nowMs - this.#shortMs > KNOWN_MS;
  }

  takeSnapshot(nowMs: number): void {
    this.#snapshot = { rows: this.rows.copy(), takenMs: this.#failedMs ?? nowMs };
  }

  /** Sets it back to the snapshot, if there is one; returns the time up to which the snapshot has all that was written. */
  restore(): number | null {
    if (this.#snapshot !== null) this.rows.restore(this.#snapshot.rows);
    return this.#snapshot?.takenMs ?? null;
  }

  /** Some of what was not synced is left: any number of whole commits. Returns how many were lost. */
  losePower(): number {
    const { unsyncedCommits } = this.rows;
    const left = this.#prng.below(unsyncedCommits + 1);
    this.rows.losePower(left);
    return unsyncedCommits - left;
  }
}
