// A long list worked off in slices, so that whatever else the event loop has to do waits for one slice and not for the whole list.

import type { Clock } from "../../../kernel/clock.ts";

/** Markets of a slice: their turns take one to two milliseconds. */
export const SLICE = 16;

/**
 * Runs `work` on the first slice at once and on the others `everyMs` apart, counted from now so that late timers do not add up. An
 * empty list is one empty slice. `done` follows the last one.
 */
export function runInSlices<T>(
  items: readonly T[],
  everyMs: number,
  clock: Pick<Clock, "after">,
  work: (slice: readonly T[]) => void,
  done = (): void => {},
): void {
  const count = Math.max(1, Math.ceil(items.length / SLICE));
  const run = (at: number): void => {
    work(items.slice(at * SLICE, (at + 1) * SLICE));
    if (at + 1 === count) done();
  };
  for (let at = 1; at < count; at += 1) clock.after(at * everyMs, () => run(at));
  run(0);
}

/** Rounds of a timer, each spread over the timer's period. While one is late, the next is left out. */
export class Rounds {
  readonly #periodMs: number;
  readonly #clock: Pick<Clock, "after">;
  #isUnderWay = false;

  constructor(periodMs: number, clock: Pick<Clock, "after">) {
    this.#periodMs = periodMs;
    this.#clock = clock;
  }

  run<T>(items: readonly T[], work: (slice: readonly T[]) => void): void {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    const everyMs = this.#periodMs / Math.ceil(items.length / SLICE);
    runInSlices(items, everyMs, this.#clock, work, () => {
      this.#isUnderWay = false;
    });
  }
}
