// A round of many markets in slices over a period, so that whatever else the event loop has to do waits for one slice and not for all.

import type { Clock } from "../../kernel/clock.ts";

/** Markets of a slice: their turns take a millisecond or so. */
export const SLICE = 16;

/** Rounds of a timer, each spread over the timer's period. While one is late, the next is left out. */
export class Rounds {
  readonly #periodMs: number;
  readonly #clock: Pick<Clock, "after">;
  /** Slices of the round under way that have not run. */
  #left = 0;

  constructor(periodMs: number, clock: Pick<Clock, "after">) {
    this.#periodMs = periodMs;
    this.#clock = clock;
  }

  /** Runs `work` on the first slice at once; times are counted from now, so that late timers do not add up. No items are one slice. */
  run<T>(items: readonly T[], work: (slice: readonly T[]) => void): void {
    if (this.#left > 0) return;
    const count = Math.max(1, Math.ceil(items.length / SLICE));
    this.#left = count;
    // Timers of different delays that are late together may run in any order.
    const runSlice = (at: number): void => {
      this.#left -= 1;
      work(items.slice(at * SLICE, (at + 1) * SLICE));
    };
    for (let at = 1; at < count; at += 1) this.#clock.after((at * this.#periodMs) / count, () => runSlice(at));
    runSlice(0);
  }
}
