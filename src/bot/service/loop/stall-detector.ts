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
/** An absence: longer than any pause of a healthy process, shorter than any silence that a watchdog acts on. */
const ABSENT_MS = 3000;
/** After an absence everything is read again; what changed meanwhile is found within this. */
const ABSENCE_REMEMBERED_MS = 30_000;

/** From when the timer should have fired until it did, monotonic ms; and how long that was, ms, a sleep of the machine included. */
export type Absence = { readonly sinceMs: number; readonly backMs: number; readonly forMs: number };

export class StallDetector {
  #last: Instant | null = null;
  #stalls: { readonly atMs: number; readonly lagMs: number }[] = [];
  /** Oldest first. */
  #absences: Absence[] = [];

  /** To be called each time the timer fires, and where `hasSlept`. `slept`: facts are older than the monotonic clock says. */
  tick(now: Instant): "ran" | "slept" {
    const last = this.#last;
    this.#last = now;
    if (last === null) return "ran";
    const elapsedMs = elapsed(last, now);
    this.#stalls = this.#stalls.filter(({ atMs }) => now.monotonicMs - atMs <= REMEMBERED_MS);
    if (elapsedMs > TICK_MS) this.#stalls.push({ atMs: now.monotonicMs, lagMs: elapsedMs - TICK_MS });
    if (elapsedMs > ABSENT_MS) {
      const sinceMs = Math.min(last.monotonicMs + TICK_MS, now.monotonicMs);
      this.#wasAbsent({ sinceMs, backMs: now.monotonicMs, forMs: elapsedMs });
    }
    return sleptMs(last, now) > SLEPT_MS ? "slept" : "ran";
  }

  /** True where the machine has slept since the timer last fired: frames may come before it does. */
  hasSlept(now: Instant): boolean {
    return this.#last !== null && sleptMs(this.#last, now) > SLEPT_MS;
  }

  /** Longest stall remembered, or the one that is going on. Absent before the first tick. */
  longest(now: Instant): Fact<number> {
    if (this.#last === null) return { state: "absent" };
    let longest = Math.max(0, elapsed(this.#last, now) - TICK_MS);
    for (const { lagMs } of this.#stalls) if (lagMs > longest) longest = lagMs;
    return { state: "fresh", value: longest, ageMs: 0 };
  }

  /**
   * The latest absence of more than three seconds that began before `monotonicMs` and ended at most thirty seconds before it; null: none.
   * During one the exchange and a watchdog may have done things that no frame reported, or that are heard of only afterwards.
   */
  absenceBefore(monotonicMs: number): Absence | null {
    const isBefore = ({ sinceMs, backMs }: Absence): boolean =>
      monotonicMs >= sinceMs && monotonicMs - backMs <= ABSENCE_REMEMBERED_MS;
    return this.#absences.findLast(isBefore) ?? null;
  }

  #wasAbsent(absence: Absence): void {
    this.#absences = this.#absences.filter(({ backMs }) => absence.backMs - backMs <= ABSENCE_REMEMBERED_MS);
    this.#absences.push(absence);
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
