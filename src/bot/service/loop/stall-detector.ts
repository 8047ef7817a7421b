// How long the process stood still: the timer of the loop says when it should have run, and the clocks when it did. A suspended machine
// does not count the time on its monotonic clock; its wall clock shows it.

import type { Fact } from "../../../domain/view.ts";
import type { Instant } from "../../../kernel/clock.ts";

/** The loop's timer, ms. */
export const TICK_MS = 100;
/** A stall is remembered for so long: until every fact had the time to be read again. */
const REMEMBERED_MS = 5000;
/** A wall clock that gains more than this on the monotonic one was set, or the machine slept. */
const SLEPT_MS = 1000;
/** Longer than any pause of a healthy process, shorter than any silence that a watchdog acts on. */
const STALLED_MS = 3000;

export class StallDetector {
  #last: Instant | null = null;
  #stalls: { readonly atMs: number; readonly lagMs: number }[] = [];

  /**
   * To be called each time the timer fires, and where `wasAway`. `slept`: facts are older than the monotonic clock says. `stalled`: others may
   * have acted on the account meanwhile, and we hear of it only now.
   */
  tick(now: Instant): "ran" | "slept" | "stalled" {
    const last = this.#last;
    this.#last = now;
    if (last === null) return "ran";
    const elapsedMs = elapsed(last, now);
    this.#stalls = this.#stalls.filter(({ atMs }) => now.monotonicMs - atMs <= REMEMBERED_MS);
    if (elapsedMs > TICK_MS) this.#stalls.push({ atMs: now.monotonicMs, lagMs: elapsedMs - TICK_MS });
    if (sleptMs(last, now) > SLEPT_MS) return "slept";
    return elapsedMs > STALLED_MS ? "stalled" : "ran";
  }

  /** True where the process stood still since the timer last fired: frames may come before it does. */
  wasAway(now: Instant): boolean {
    return this.#last !== null && (sleptMs(this.#last, now) > SLEPT_MS || elapsed(this.#last, now) > STALLED_MS);
  }

  /** Longest stall remembered, or the one that is going on. Absent before the first tick. */
  longest(now: Instant): Fact<number> {
    if (this.#last === null) return { state: "absent" };
    let longest = Math.max(0, elapsed(this.#last, now) - TICK_MS);
    for (const { lagMs } of this.#stalls) if (lagMs > longest) longest = lagMs;
    return { state: "fresh", value: longest, ageMs: 0 };
  }
}

/** What the wall clock counted and the monotonic one did not. */
const sleptMs = (last: Instant, now: Instant): number =>
  now.wallMs - last.wallMs - (now.monotonicMs - last.monotonicMs);

/** Time since the last tick, sleep included. */
function elapsed(last: Instant, now: Instant): number {
  const slept = sleptMs(last, now);
  const monotonicMs = now.monotonicMs - last.monotonicMs;
  return slept > SLEPT_MS ? monotonicMs + slept : monotonicMs;
}
