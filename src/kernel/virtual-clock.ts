// Time that moves only on demand: the same program over it takes the same turns in the same order, every time. Timers wait in
// a heap; those of one instant run in the order they were set. Several processes may look at the one time through clocks of their
// own, each off by its skew and drift.

import { assert } from "./assert.ts";
import type { Clock } from "./clock.ts";
import { createHeap } from "./heap.ts";

export type VirtualClockOptions = {
  /** Unix milliseconds at the start, whole. */
  readonly startMs: number;
  /**
   * Lets everything that an event has set going settle before the next event: `microtasks` of clock.ts for programs that only await promises,
   * `macrotask` for others. Only `advance` and `runUntil` need it.
   */
  readonly settle?: () => Promise<void>;
};

export type ViewOptions = {
  /** How far this process's wall clock is ahead (behind: below zero), milliseconds. */
  readonly skewMs: number;
  /** How much faster its clocks run than time, parts per million, above -1,000,000. */
  readonly driftPpm: number;
};

/** Every clock that is given out is one `Clock`; the rest steers time. */
export type VirtualClock = Clock & {
  /** Virtual milliseconds since the start, with fractions. */
  readonly elapsedMs: () => number;
  /** Runs what falls due within the next `ms` milliseconds, settling after each event. Time ends there. */
  readonly advance: (ms: number) => Promise<void>;
  /** The same up to a wall time of this clock. */
  readonly runUntil: (wallMs: number) => Promise<void>;
  /** `advance` without settling, for programs that never await. */
  readonly advanceSync: (ms: number) => void;
  /** When the next timer falls due, in elapsed milliseconds; undefined when none waits. */
  readonly nextDueMs: () => number | undefined;
  /** The clock of a process: its wall is skewed, and both its clocks drift. */
  readonly viewOf: (options: ViewOptions) => SkewedClock;
};

/** A view whose wall can be set, as an operator or a time service would. */
export type SkewedClock = Clock & {
  /** Steps the wall clock by `ms`; the monotonic clock does not notice. */
  readonly step: (ms: number) => void;
};

type Event = { readonly dueMs: number; readonly sequence: number; readonly run: () => void; canceled: boolean };

const isBefore = (a: Event, b: Event): boolean => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence);

export function createVirtualClock(options: VirtualClockOptions): VirtualClock {
  const timeline = createTimeline();

  async function advance(ms: number): Promise<void> {
    const { settle } = options;
    assert(settle !== undefined, "advance needs a way to settle; use advanceSync");
    const untilMs = timeline.nowMs() + ms;
    await settle();
    while (timeline.runNext(untilMs)) await settle();
    timeline.moveTo(untilMs);
  }

  return {
    ...clockOver(timeline, 1, () => Math.floor(options.startMs + timeline.nowMs())),
    elapsedMs: timeline.nowMs,
    advance,
    runUntil: (wallMs) => advance(Math.max(0, wallMs - options.startMs - timeline.nowMs())),
    advanceSync(ms) {
      const untilMs = timeline.nowMs() + ms;
      while (timeline.runNext(untilMs));
      timeline.moveTo(untilMs);
    },
    nextDueMs: timeline.nextDueMs,
    viewOf({ skewMs, driftPpm }) {
      assert(driftPpm > -1_000_000, "a clock does not stand still");
      const rate = 1 + driftPpm / 1_000_000;
      let offsetMs = skewMs;
      return {
        ...clockOver(timeline, rate, () => Math.floor(options.startMs + timeline.nowMs() * rate + offsetMs)),
        step: (ms) => {
          offsetMs += ms;
        },
      };
    },
  };
}

/** No program does so much at one instant: it keeps waiting for zero time, and time would never advance. */
const AT_ONE_INSTANT_MAX = 100_000;

type Timeline = {
  readonly nowMs: () => number;
  readonly moveTo: (ms: number) => void;
  readonly schedule: (delayMs: number, run: () => void) => Event;
  /** Runs the next event at or before `untilMs`, moving time to it; false when there is none. */
  readonly runNext: (untilMs: number) => boolean;
  readonly nextDueMs: () => number | undefined;
};

function createTimeline(): Timeline {
  const events = createHeap<Event>(isBefore);
  let nowMs = 0;
  let sequence = 0;
  let atThisInstant = 0;

  function nextLive(): Event | undefined {
    let next = events.peek();
    while (next?.canceled) {
      events.pop();
      next = events.peek();
    }
    return next;
  }

  return {
    nowMs: () => nowMs,
    moveTo(ms) {
      nowMs = ms;
    },
    schedule(delayMs, run) {
      assert(delayMs >= 0 && Number.isFinite(delayMs), "a delay is a finite number, 0 or more");
      const event: Event = { dueMs: nowMs + delayMs, sequence, run, canceled: false };
      sequence += 1;
      events.push(event);
      return event;
    },
    runNext(untilMs) {
      const next = nextLive();
      if (next === undefined || next.dueMs > untilMs) return false;
      events.pop();
      atThisInstant = next.dueMs > nowMs ? 0 : atThisInstant + 1;
      assert(atThisInstant < AT_ONE_INSTANT_MAX, "time stands still: timers set timers without end");
      nowMs = next.dueMs;
      next.run();
      return true;
    },
    nextDueMs: () => nextLive()?.dueMs,
  };
}

/** A clock that runs `rate` times as fast as the timeline: its delays are shorter by as much. */
function clockOver(timeline: Timeline, rate: number, wallMs: () => number): Clock {
  return {
    wallMs,
    monotonicMs: () => timeline.nowMs() * rate,
    after(delayMs, run) {
      const event = timeline.schedule(delayMs / rate, run);
      return { cancel: () => cancel(event) };
    },
    every(periodMs, run) {
      assert(periodMs > 0, "a period is above zero");
      let next = timeline.schedule(periodMs / rate, repeat);
      function repeat(): void {
        next = timeline.schedule(periodMs / rate, repeat);
        run();
      }
      return { cancel: () => cancel(next) };
    },
  };
}

function cancel(event: Event): void {
  event.canceled = true;
}
