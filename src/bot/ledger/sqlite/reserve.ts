// Space reserved for records that must be written on a full disk: a file of real bytes next to the ledger, deleted when a write fails. The
// freed space is enough for hours of reductions and cancels.

import { createHash } from "node:crypto";
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";

const CHUNK = 1 << 20;
const RESERVE_BYTES = 16 * CHUNK;

export class Reserve {
  readonly #file: string;
  #isHeld = false;

  constructor(file: string) {
    this.#file = `${file}.reserve`;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Takes the space if the disk has twice as much: a reserve that fills the disk would have to be freed at once. */
  take(): void {
    if (this.#isHeld) return;
    try {
      if (sizeOf(this.#file) !== RESERVE_BYTES) {
        const { bavail, bsize } = statfsSync(dirname(this.#file));
        if (bavail * bsize < 2 * RESERVE_BYTES) return;
        this.#write();
      }
      this.#isHeld = true;
    } catch {
      this.give();
    }
  }

  /** Frees the space; returns true if there was some. */
  give(): boolean {
    const hadSome = sizeOf(this.#file) > 0;
    this.#isHeld = false;
    try {
      rmSync(this.#file, { force: true });
      return hadSome;
    } catch {
      return false; // Read-only file system: freeing would not help.
    }
  }

  /** Writes bytes that no file system can compress. */
  #write(): void {
    // Opening a pipe in its place would wait for a reader.
    rmSync(this.#file, { force: true });
    const descriptor = openSync(this.#file, "wx", 0o600);
    try {
      const chunk = createHash("shake256", { outputLength: CHUNK }).digest();
      for (let written = 0; written < RESERVE_BYTES; written += CHUNK) writeSync(descriptor, chunk);
    } finally {
      closeSync(descriptor);
    }
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
