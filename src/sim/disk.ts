// The disk under a simulated ledger: it may fail, be slow, or lose power, and it outlives the processes that write to it.

import { type DiskCopy, MemoryDisk } from "../bot/ledger/memory/memory.ts";
import { sleep } from "../kernel/clock.ts";
import type { Prng } from "../kernel/prng.ts";
import type { Life } from "./life.ts";

/** A sync of a healthy disk, milliseconds. */
const FLUSH_MS = 2;

export class SimulatedDisk {
  readonly rows: MemoryDisk;
  readonly #prng: Prng;
  readonly #life: () => Life;
  /** Null: it works. */
  failure: string | null = null;
  flushMs = FLUSH_MS;
  #snapshot: { readonly rows: DiskCopy; readonly takenMs: number } | null = null;

  constructor(modules: { readonly prng: Prng; readonly life: () => Life }) {
    this.#prng = modules.prng;
    this.#life = modules.life;
    this.rows = new MemoryDisk({
      failing: () => this.failure,
      flush: () => sleep(this.#life().clock, this.flushMs),
    });
  }

  heal(): void {
    this.failure = null;
    this.flushMs = FLUSH_MS;
  }

  takeSnapshot(nowMs: number): void {
    this.#snapshot = { rows: this.rows.copy(), takenMs: nowMs };
  }

  /** Sets it back to the snapshot, if there is one; returns when that was taken. */
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
