// How long a slot stays quiet after its transactions failed: the strategy asks again each turn, and a failure must not become a storm.

import { createOldestOutMap } from "../../kernel/bounded.ts";
import type { Clock } from "../../kernel/clock.ts";

export type BackOffOptions = { readonly firstMs: number; readonly longestMs: number };

/** More slots than an account has orders. */
const SLOTS_MAX = 2000;

/** Doubles with each failure in a row of one name, and forgets at the first success. */
export class BackOff {
  readonly #options: BackOffOptions;
  readonly #clock: Clock;
  readonly #failed = createOldestOutMap<string, { readonly inRow: number; readonly untilMs: number }>(SLOTS_MAX);

  constructor(options: BackOffOptions, { clock }: { readonly clock: Clock }) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Milliseconds until `name` may try again; 0: now. */
  waitMs(name: string): number {
    const failure = this.#failed.get(name);
    return failure === undefined ? 0 : Math.max(0, failure.untilMs - this.#clock.monotonicMs());
  }

  failed(name: string): void {
    const inRow = (this.#failed.get(name)?.inRow ?? 0) + 1;
    const { firstMs, longestMs } = this.#options;
    const untilMs = this.#clock.monotonicMs() + Math.min(longestMs, firstMs * 2 ** (inRow - 1));
    this.#failed.set(name, { inRow, untilMs });
  }

  succeeded(name: string): void {
    this.#failed.delete(name);
  }
}
