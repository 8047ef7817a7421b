// The events of a simulated world as a hash chain: the same seed gives the same last hash. The newest lines are kept for reading.

import { createHash, type Hash } from "node:crypto";

const LINES_MAX = 200;

export class Trace {
  readonly #hash: Hash = createHash("sha256");
  readonly #lines: string[] = [];
  readonly #elapsedMs: () => number;
  readonly #onLine: ((line: string) => void) | undefined;
  #count = 0;

  constructor(modules: { readonly elapsedMs: () => number; readonly onLine?: ((line: string) => void) | undefined }) {
    this.#elapsedMs = modules.elapsedMs;
    this.#onLine = modules.onLine;
  }

  /** Number of events so far. */
  get count(): number {
    return this.#count;
  }

  note(actor: string, event: string): void {
    const line = `${this.#elapsedMs().toFixed(3)} ${actor} ${event}\n`;
    this.#hash.update(line);
    this.#count += 1;
    this.#lines.push(line);
    this.#onLine?.(line.trimEnd());
    if (this.#lines.length > 2 * LINES_MAX) this.#lines.splice(0, LINES_MAX);
  }

  /** The newest `count` lines, oldest first. */
  newest(count: number): readonly string[] {
    return this.#lines.slice(-count).map((line) => line.trimEnd());
  }

  /** 64 hex characters over all lines so far. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }
}
