// A running strategy that is watched from outside: each call is marked while it lasts, so that a thread beside can end one that does not
// return, and takes processor time that is measured. A strategy that is too slow is not called again.

import { loopTiming } from "../timing.ts";
import { QuoteFault } from "./checked-quotes.ts";
import type { RunningStrategy } from "./loader.ts";

export type CallMeter = {
  /** A call begins, or has ended. Costs nanoseconds. */
  readonly begins: () => void;
  readonly ended: () => void;
  /** Milliseconds from an unknown origin. */
  readonly nowMs: () => number;
  /** Of this thread, milliseconds. */
  readonly cpuMs: () => number;
};

/** What a daemon does to each strategy as it starts it. */
export type Supervise = (start: () => RunningStrategy) => RunningStrategy;

const TURNS = 20;

export const supervise =
  (meter: CallMeter): Supervise =>
  (start) => {
    const marked = <T>(call: () => T): T => {
      meter.begins();
      try {
        return call();
      } finally {
        meter.ended();
      }
    };
    const running = marked(start);
    const judge = new SlowCalls(meter);
    return {
      memory: running.memory,
      quote(view) {
        judge.refuse();
        const since = judge.begin();
        try {
          return marked(() => running.quote(view));
        } finally {
          judge.end(since);
        }
      },
    };
  };

type Since = { readonly nowMs: number; readonly cpuMs: number | null };

/** Processor time is never more than time: it is read only while calls take more than they may by the clock. */
class SlowCalls {
  readonly #meter: CallMeter;
  /** Milliseconds of the last calls, a ring. */
  readonly #took: number[] = [];
  #next = 0;
  #slow = 0;
  /** A call was long by the clock, among the last ones. */
  #suspectFor = 0;
  #fault: QuoteFault | null = null;

  constructor(meter: CallMeter) {
    this.#meter = meter;
  }

  /** Throws QuoteFault for a strategy that has been too slow. */
  refuse(): void {
    if (this.#fault !== null) throw this.#fault;
  }

  begin(): Since {
    return { nowMs: this.#meter.nowMs(), cpuMs: this.#suspectFor > 0 ? this.#meter.cpuMs() : null };
  }

  end({ nowMs, cpuMs }: Since): void {
    const tookMs = this.#meter.nowMs() - nowMs;
    if (tookMs <= loopTiming.strategyMaxMs) {
      this.#suspectFor = Math.max(0, this.#suspectFor - 1);
      this.#note(tookMs);
    } else {
      this.#suspectFor = TURNS;
      this.#note(cpuMs === null ? 0 : this.#meter.cpuMs() - cpuMs);
    }
  }

  #note(tookMs: number): void {
    if ((this.#took[this.#next] ?? 0) > loopTiming.strategyMaxMs) this.#slow -= 1;
    if (tookMs > loopTiming.strategyMaxMs) this.#slow += 1;
    this.#took[this.#next] = tookMs;
    this.#next = (this.#next + 1) % TURNS;
    if (this.#slow <= TURNS / 2) return;
    const median = this.#took.toSorted((a, b) => a - b)[TURNS / 2] ?? 0;
    this.#fault = new QuoteFault(
      "slow",
      `takes ${median.toFixed(1)} ms of processor time a turn, the median of ${TURNS}, and ${loopTiming.strategyMaxMs} ms are allowed; it is not called again until it or its parameters change`,
    );
  }
}
