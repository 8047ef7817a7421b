// Time that runs faster, for tests that only wait until a command's own limit has passed.

import { type Clock, systemClock } from "../../src/kernel/clock.ts";

/** The system's clocks and timers until `hurry` is called; from then on monotonic time and new timers are `factor` times as fast. */
export function hurriedClock(factor: number): Clock & { readonly hurry: () => void } {
  let sinceMs: number | null = null;
  const rate = (): number => (sinceMs === null ? 1 : factor);
  return {
    hurry() {
      sinceMs = systemClock.monotonicMs();
    },
    wallMs: systemClock.wallMs,
    monotonicMs() {
      const nowMs = systemClock.monotonicMs();
      return sinceMs === null ? nowMs : sinceMs + (nowMs - sinceMs) * factor;
    },
    after: (delayMs, run) => systemClock.after(delayMs / rate(), run),
    every: (periodMs, run) => systemClock.every(periodMs / rate(), run),
  };
}
