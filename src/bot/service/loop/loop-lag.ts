// How long the process stood still: the timer of the loop says when it should have run, and the clocks when it did. A machine that was
// suspended has not counted the time on its monotonic clock; its wall clock tells.

import type { Fact } from "../../../domain/view.ts";

/** The loop's timer, ms. */
export const TICK_MS = 100;
/** A stall is remembered for so long: until every fact had the time to be read again. */
const REMEMBERED_MS = 5000;
/** A wall clock that gains more than this on the monotonic one was set, or the machine slept. */
const SLEPT_MS = 1000;

export type LoopTime = { readonly monotonicMs: number; readonly wallMs: number };

export class LoopLag {
  #last: LoopTime | null = null;
  #stalls: { readonly atMs: number; readonly lagMs: number }[] = [];

  /** To be called each time the timer fires. `slept`: facts are older than the monotonic clock says. */
  tick(now: LoopTime): "ran" | "slept" {
    const last = this.#last;
    this.#last = now;
    if (last === null) return "ran";
    const lagMs = gapMs(last, now);
    this.#stalls = this.#stalls.filter(({ atMs }) => now.monotonicMs - atMs <= REMEMBERED_MS);
    if (lagMs > 0) this.#stalls.push({ atMs: now.monotonicMs, lagMs });
    return sleptMs(last, now) > SLEPT_MS ? "slept" : "ran";
  }

  /** Longest stall remembered, or the one that is going on. Before the first tick nobody knows. */
  longest(now: LoopTime): Fact<number> {
    if (this.#last === null) return { state: "absent" };
    let longest = Math.max(0, gapMs(this.#last, now));
    for (const { lagMs } of this.#stalls) if (lagMs > longest) longest = lagMs;
    return { state: "fresh", value: longest, ageMs: 0 };
  }
}

/** What the wall clock counted and the monotonic one did not. */
const sleptMs = (last: LoopTime, now: LoopTime): number =>
  now.wallMs - last.wallMs - (now.monotonicMs - last.monotonicMs);

/** Time beyond the timer's period, sleep included. */
function gapMs(last: LoopTime, now: LoopTime): number {
  const slept = sleptMs(last, now);
  const gap = now.monotonicMs - last.monotonicMs - TICK_MS;
  return slept > SLEPT_MS ? gap + slept : gap;
}
