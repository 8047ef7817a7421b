// How long the process was paused: the loop's timer says when it should have run, the clocks when it did. A suspended machine does not
// advance its monotonic clock; its wall clock shows the gap.

import type { Fact } from "../../../domain/view.ts";
import type { Instant } from "../../../kernel/clock.ts";
import { loopTiming } from "../../timing.ts";

export class StallDetector {
  #last: Instant | null = null;
  #stalls: { readonly atMs: number; readonly lagMs: number }[] = [];

  /**
   * Call it each time the timer fires, and where `wasAway`. `slept`: facts are older than the monotonic clock says. `stalled`: others may
   * have acted on the account meanwhile, and we learn of it only now.
   */
  tick(now: Instant): "ran" | "slept" | "stalled" {
    const last = this.#last;
    this.#last = now;
    if (last === null) return "ran";
    const elapsedMs = elapsed(last, now);
    this.#stalls = this.#stalls.filter(({ atMs }) => now.monotonicMs - atMs <= loopTiming.stallKeptMs);
    if (elapsedMs > loopTiming.tickMs)
      this.#stalls.push({ atMs: now.monotonicMs, lagMs: elapsedMs - loopTiming.tickMs });
    if (sleptMs(last, now) > loopTiming.sleptMs) return "slept";
    return elapsedMs > loopTiming.stalledMs ? "stalled" : "ran";
  }

  /** True where the process was paused since the timer last fired: frames may arrive before it fires again. */
  wasAway(now: Instant): boolean {
    return (
      this.#last !== null &&
      (sleptMs(this.#last, now) > loopTiming.sleptMs || elapsed(this.#last, now) > loopTiming.stalledMs)
    );
  }

  /** The longest remembered stall, or the current one. Absent before the first tick. */
  longest(now: Instant): Fact<number> {
    if (this.#last === null) return { state: "absent" };
    let longest = Math.max(0, elapsed(this.#last, now) - loopTiming.tickMs);
    for (const { lagMs } of this.#stalls) if (lagMs > longest) longest = lagMs;
    return { state: "fresh", value: longest, ageMs: 0 };
  }
}

/** Time that the wall clock counted and the monotonic clock did not. */
const sleptMs = (last: Instant, now: Instant): number =>
  now.wallMs - last.wallMs - (now.monotonicMs - last.monotonicMs);

/** Time since the last tick, sleep included. */
function elapsed(last: Instant, now: Instant): number {
  const slept = sleptMs(last, now);
  const monotonicMs = now.monotonicMs - last.monotonicMs;
  return slept > loopTiming.sleptMs ? monotonicMs + slept : monotonicMs;
}
