// Measures each call of a running strategy and marks it while it lasts, so that another thread can end a call that does not return. Reports
// a strategy that uses too much processor time, or waits without using the processor: the daemon then stops calling it.

import { quantile } from "../../kernel/quantile.ts";
import { loopTiming } from "../timing.ts";
import type { RunningStrategy } from "./loader.ts";

export type CallMeter = {
  /** Mark the start and the end of a call. They cost nanoseconds. */
  readonly begins: () => void;
  readonly ended: () => void;
  /** Milliseconds from an unknown origin. */
  readonly nowMs: () => number;
  /** Read only while calls are long. */
  readonly usage: () => Usage;
};

/** What this thread has used so far, in milliseconds. */
export type Usage = {
  readonly cpuMs: number;
  /** Time that it waited for a free processor. 0 where the system does not show it. */
  readonly queuedMs: number;
  /** Time that a second thread ran meanwhile. It stops counting when the process stops or the machine sleeps. */
  readonly besideMs: number;
};

/**
 * Starts a strategy under supervision. `onSlow` is called at the end of each call after which it is too slow, with the reason as a clause.
 */
export type Supervise = (start: () => RunningStrategy, onSlow: (why: string) => void) => RunningStrategy;

const TURNS = 20;
/** Number of turns, and how many of them may wait. */
const WAIT_TURNS = 10;
const WAITS = 3;

export const supervise =
  (meter: CallMeter): Supervise =>
  (start, onSlow) => {
    const marked = <T>(call: () => T): T => {
      meter.begins();
      try {
        return call();
      } finally {
        meter.ended();
      }
    };
    const running = marked(start);
    const judge = new SlowCalls(meter, onSlow);
    const { memory, reads, drifts } = running;
    return {
      memory,
      reads: reads && ((view) => marked(() => reads(view))),
      drifts: drifts && ((view) => marked(() => drifts(view))),
      quote(view) {
        const since = judge.begin();
        try {
          return marked(() => running.quote(view));
        } finally {
          judge.end(since);
        }
      },
    };
  };

type Since = { readonly nowMs: number; readonly usage: Usage | null };

/** Reads usage only while calls take too long by the clock, since processor time cannot be longer. */
class SlowCalls {
  readonly #meter: CallMeter;
  /** Milliseconds of the last calls, a ring. */
  readonly #took: number[] = [];
  #next = 0;
  #slow = 0;
  /** Milliseconds that the last calls waited while the process ran; 0 for short waits. */
  #waited: readonly number[] = [];
  /** Calls for which usage is still read, after one that was long by the clock. */
  #suspectFor = 0;
  readonly #onSlow: (why: string) => void;

  constructor(meter: CallMeter, onSlow: (why: string) => void) {
    this.#meter = meter;
    this.#onSlow = onSlow;
  }

  begin(): Since {
    return { nowMs: this.#meter.nowMs(), usage: this.#suspectFor > 0 ? this.#meter.usage() : null };
  }

  end({ nowMs, usage: before }: Since): void {
    const tookMs = this.#meter.nowMs() - nowMs;
    if (tookMs <= loopTiming.strategyMaxMs) {
      this.#suspectFor = Math.max(0, this.#suspectFor - 1);
      this.#note(tookMs);
      if (this.#waited.length > 0) this.#noteWait(0);
      return;
    }
    this.#suspectFor = TURNS;
    if (before === null) {
      this.#note(0);
      return;
    }
    const after = this.#meter.usage();
    const cpuMs = after.cpuMs - before.cpuMs;
    this.#note(cpuMs);
    const waitedMs = tookMs - cpuMs - (after.queuedMs - before.queuedMs);
    const ran = after.besideMs - before.besideMs >= tookMs / 2;
    this.#noteWait(ran && waitedMs > loopTiming.strategyWaitMaxMs ? waitedMs : 0);
  }

  #noteWait(waitedMs: number): void {
    const waited = [...this.#waited, waitedMs].slice(-WAIT_TURNS);
    const waits = waited.filter((ms) => ms > 0);
    this.#waited = waits.length === 0 ? [] : waited;
    if (waits.length < WAITS) return;
    const [least = 0] = waits.toSorted((a, b) => a - b);
    this.#onSlow(
      `waits without using the processor, ${least.toFixed(0)} ms and more in ${waits.length} of its last ${waited.length} turns, and ${loopTiming.strategyWaitMaxMs} ms are allowed; it is not called again until it or its parameters change`,
    );
  }

  #note(tookMs: number): void {
    if ((this.#took[this.#next] ?? 0) > loopTiming.strategyMaxMs) this.#slow -= 1;
    if (tookMs > loopTiming.strategyMaxMs) this.#slow += 1;
    this.#took[this.#next] = tookMs;
    this.#next = (this.#next + 1) % TURNS;
    if (this.#slow <= TURNS / 2) return;
    this.#onSlow(
      `takes ${(quantile(this.#took, 0.5) ?? 0).toFixed(1)} ms of processor time a turn, the median of ${TURNS}, and ${loopTiming.strategyMaxMs} ms are allowed; it is not called again until it or its parameters change`,
    );
  }
}
