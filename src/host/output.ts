// A daemon's output, which never blocks the process: not on a stopped terminal (Ctrl-S), a full pipe or a failed disk. Unwritten lines wait
// in a bounded buffer; then the oldest are dropped, and a line says how many.

import type { Clock } from "../kernel/clock.ts";

/** Calls back with how many of the bytes were written. Never blocks the caller. */
export type WriteSome = (
  bytes: Uint8Array,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

export type OutputModules = {
  readonly write: WriteSome;
  readonly clock: Clock;
  /** The line that is printed in place of dropped lines. */
  readonly gap: (lines: number) => string;
};

/** Hours of output of a quiet daemon, a minute of the busiest. */
const WAITING_BYTES_MAX = 1 << 20;
/** Size of one write. */
const CHUNK_BYTES = 64 << 10;
/** How long to wait before writing again to a terminal or pipe that takes nothing. */
const AGAIN_MS = 20;

export class Output {
  readonly #modules: OutputModules;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  /** The chunk that is being written: its remaining bytes, and the lines that it began with. */
  #chunk: { readonly bytes: Uint8Array; readonly lines: number } | null = null;
  #onIdle: () => void = () => {};

  constructor(modules: OutputModules) {
    this.#modules = modules;
  }

  /** Prints one or more whole lines. Never throws and never waits. */
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

  /** Resolves when everything is written, after `limitMs` at the latest. */
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
    // If this chunk is lost, the lines of its gap count again.
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
