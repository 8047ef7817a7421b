// What a daemon prints. Nobody has to take it: a terminal that was stopped (Ctrl-S), a full pipe or a failed disk never holds up the
// process. What is not taken waits, bounded; then the oldest lines are dropped, and a line says how many.

import type { Clock } from "../kernel/clock.ts";

/** Calls back with how many of the bytes were taken; never blocks the caller. */
export type WriteSome = (
  bytes: Uint8Array,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

export type OutputModules = {
  readonly write: WriteSome;
  readonly clock: Clock;
  /** The line that stands where lines were dropped. */
  readonly gap: (lines: number) => string;
};

/** Hours of a quiet daemon, a minute of the busiest. */
const WAITING_BYTES_MAX = 1 << 20;
/** What one write is given. */
const CHUNK_BYTES = 64 << 10;
/** A terminal or a pipe that takes nothing now is tried again after so long. */
const AGAIN_MS = 20;

export class Output {
  readonly #modules: OutputModules;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  /** On its way: the rest of a chunk, and how many lines it began with. */
  #chunk: { readonly bytes: Uint8Array; readonly lines: number } | null = null;
  #onIdle: () => void = () => {};

  constructor(modules: OutputModules) {
    this.#modules = modules;
  }

  /** One or more whole lines. Never throws, and never waits. */
  print(data: string | Uint8Array): void {
    const bytes = Buffer.from(data as string);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    while (this.#waitingBytes > WAITING_BYTES_MAX) {
      this.#waitingBytes -= this.#waiting.shift()?.length ?? 0;
      this.#dropped += 1;
    }
    if (this.#chunk === null) this.#next();
  }

  /** Resolves when everything was taken, after `limitMs` at the latest. */
  taken(limitMs: number): Promise<void> {
    if (this.#chunk === null) return Promise.resolve();
    return new Promise((resolve) => {
      const end = this.#modules.clock.after(limitMs, resolve);
      this.#onIdle = () => {
        end.cancel();
        resolve();
      };
    });
  }

  #next(): void {
    const lines = this.#takeLines();
    if (lines.length === 0) {
      this.#chunk = null;
      this.#onIdle();
      return;
    }
    const gap = this.#dropped === 0 ? [] : [Buffer.from(this.#modules.gap(this.#dropped))];
    // Should this chunk be lost, its gap is counted again.
    const count = lines.length + this.#dropped;
    this.#dropped = 0;
    this.#write({ bytes: Buffer.concat([...gap, ...lines]), lines: count });
  }

  #takeLines(): readonly Uint8Array[] {
    const lines: Uint8Array[] = [];
    for (let bytes = 0; bytes < CHUNK_BYTES; ) {
      const line = this.#waiting.shift();
      if (line === undefined) break;
      bytes += line.length;
      lines.push(line);
    }
    this.#waitingBytes -= lines.reduce((sum, { length }) => sum + length, 0);
    return lines;
  }

  #write(chunk: { readonly bytes: Uint8Array; readonly lines: number }): void {
    this.#chunk = chunk;
    const { bytes, lines } = chunk;
    this.#modules.write(bytes, (error, written) => {
      if (error?.code === "EAGAIN") this.#modules.clock.after(AGAIN_MS, () => this.#write(chunk));
      else if (error !== null) {
        this.#dropped += lines;
        this.#next();
      } else if (written < bytes.length) this.#write({ bytes: bytes.subarray(written), lines });
      else this.#next();
    });
  }
}
