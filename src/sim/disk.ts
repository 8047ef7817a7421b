// The disk of a simulated ledger: it may fail, be slow, or lose power, and it outlives the processes that write to it.

import { type DiskCopy, MemoryDisk } from "../bot/ledger/memory/memory.ts";
import { sleep } from "../kernel/clock.ts";
import type { Prng } from "../kernel/prng.ts";
import type { ProcessRun } from "./process-run.ts";

/** Time of a sync on a healthy disk, ms. */
const FLUSH_MS = 2;
/** Time for one turn and an order in flight, ms. */
const KNOWN_MS = 1000;

export class SimulatedDisk {
  readonly rows: MemoryDisk;
  readonly #prng: Prng;
  readonly #processRun: () => ProcessRun;
  /** Null: the disk works. */
  failure: string | null = null;
  flushMs = FLUSH_MS;
  /** Another program has filled it. */
  isFull = false;
  /** Since when its reserve is in use; null: it is not. */
  #shortMs: number | null = null;
  #snapshot: DiskCopy | null = null;

  constructor(modules: { readonly prng: Prng; readonly processRun: () => ProcessRun }) {
    this.#prng = modules.prng;
    this.#processRun = modules.processRun;
    this.rows = new MemoryDisk({
      failing: () => this.failure,
      isFull: () => this.isFull,
      flush: () => sleep(this.#processRun().clock, this.flushMs),
    });
  }

  heal(): void {
    this.failure = null;
    this.isFull = false;
    this.flushMs = FLUSH_MS;
  }

  /** Whether writes have used the reserve for long enough that the bot must know. */
  isShort(nowMs: number): boolean {
    this.#shortMs = this.rows.isReserveHeld ? null : (this.#shortMs ?? nowMs);
    return this.#shortMs !== null && nowMs - this.#shortMs > KNOWN_MS;
  }

  takeSnapshot(): void {
    this.#snapshot = this.rows.copy();
  }

  /** Restores the snapshot; returns false if there is none. */
  restore(): boolean {
    if (this.#snapshot !== null) this.rows.restore(this.#snapshot);
    return this.#snapshot !== null;
  }

  /** Keeps a random number of whole commits that were not synced. Returns how many were lost. */
  losePower(): number {
    const { unsyncedCommits } = this.rows;
    const left = this.#prng.below(unsyncedCommits + 1);
    this.rows.losePower(left);
    return unsyncedCommits - left;
  }
}
