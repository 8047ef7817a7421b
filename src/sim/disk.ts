// The disk under a simulated ledger: it may fail, be slow, or lose power, and it outlives the processes that write to it.

import { type DiskCopy, MemoryDisk } from "../bot/ledger/memory/memory.ts";
import { sleep } from "../kernel/clock.ts";
import type { Prng } from "../kernel/prng.ts";
import type { ProcessRun } from "./process-run.ts";

/** A sync of a healthy disk, milliseconds. */
const FLUSH_MS = 2;
/** A turn, and an order that was on its way. */
const KNOWN_MS = 1000;

export class SimulatedDisk {
  readonly rows: MemoryDisk;
  readonly #prng: Prng;
  readonly #processRun: () => ProcessRun;
  /** Null: it works. */
  failure: string | null = null;
  flushMs = FLUSH_MS;
  /** Something else has filled it. */
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

  /** Whether what is written has taken from the reserve for long enough to be known. */
  isShort(nowMs: number): boolean {
    this.#shortMs = this.rows.isReserveHeld ? null : (this.#shortMs ?? nowMs);
    return this.#shortMs !== null && nowMs - this.#shortMs > KNOWN_MS;
  }

  takeSnapshot(): void {
    this.#snapshot = this.rows.copy();
  }

  /** Sets it back to the snapshot; returns whether there is one. */
  restore(): boolean {
    if (this.#snapshot !== null) this.rows.restore(this.#snapshot);
    return this.#snapshot !== null;
  }

  /** Some of what was not synced is left: any number of whole commits. Returns how many were lost. */
  losePower(): number {
    const { unsyncedCommits } = this.rows;
    const left = this.#prng.below(unsyncedCommits + 1);
    this.rows.losePower(left);
    return unsyncedCommits - left;
  }
}
