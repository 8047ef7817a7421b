// Tapes on disk, named by what determines them, so that a market is made once for all settings and threads. The oldest are deleted when
// there are too many, and a missing or damaged one is made again.

import { readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { Clock } from "../../kernel/clock.ts";
import { makeFolder } from "../../kernel/folder.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import type { Tape } from "./tape.ts";

const GIB = 2 ** 30;
const ENDING = ".tape";

/** `maxBytes`: of all tapes in the folder together. Two processes may share it. */
export class TapeCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #clock: Pick<Clock, "wallMs">;

  constructor(folder: string, clock: Pick<Clock, "wallMs">, maxBytes = 2 * GIB) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /** Resolves with the tape of this name, or the one that `make` makes, which is kept. A failing disk costs only time. */
  async get(name: string, make: () => Promise<Tape>): Promise<Tape> {
    const file = join(this.#folder, `${sha256Hex(name)}${ENDING}`);
    const known = this.#read(file);
    if (known !== null) return known;
    const tape = await make();
    try {
      this.#keep(file, tape);
    } catch {
      // It is made again next time.
    }
    return tape;
  }

  #keep(file: string, tape: Tape): void {
    const bytes = serialize(tape);
    if (bytes.byteLength > this.#maxBytes) return;
    makeFolder(this.#folder);
    this.#clear(bytes.byteLength);
    // A reader hardly ever sees half a tape, and then makes it again: whoever else writes this file writes the same bytes.
    const own = `${file}.new`;
    writeFileSync(own, bytes, { mode: 0o600 });
    this.#used(own);
    renameSync(own, file);
  }

  /** Deletes the least recently used until `wanted` more bytes have room. */
  #clear(wanted: number): void {
    const kept = readdirSync(this.#folder)
      .filter((name) => name.includes(ENDING))
      .flatMap((name) => {
        const path = join(this.#folder, name);
        const stat = statSync(path, { throwIfNoEntry: false });
        return stat === undefined ? [] : [{ path, bytes: stat.size, usedMs: stat.mtimeMs }];
      })
      .sort((a, b) => a.usedMs - b.usedMs);
    let bytes = kept.reduce((sum, each) => sum + each.bytes, wanted);
    for (const { path, bytes: freed } of kept) {
      if (bytes <= this.#maxBytes) return;
      rmSync(path, { force: true });
      bytes -= freed;
    }
  }

  /** Null: it is missing or damaged. */
  #read(file: string): Tape | null {
    try {
      const tape = deserialize(readFileSync(file)) as Tape;
      this.#used(file);
      return tape;
    } catch {
      return null;
    }
  }

  #used(file: string): void {
    const usedSec = this.#clock.wallMs() / 1000;
    utimesSync(file, usedSec, usedSec);
  }
}
