// Time that moves only on demand: a program on this clock runs the same turns in the same order, every time. Timers wait in a heap; those
// of one instant run in the order in which they were set. Several processes can share the time through clocks of their own, each with its
// own skew and drift.

import { assert } from "./assert.ts";
import type { Clock } from "./clock.ts";
import { createHeap } from "./heap.ts";

export type VirtualClockOptions = {
  /** Unix milliseconds at the start, whole. */
  readonly startMs: number;
  /**
   * Lets everything that an event started settle before the next event: `microtasks` of clock.ts for programs that only await promises,
   * `macrotask` for others. Only `advance` needs it.
   */
  readonly settle?: () => Promise<void>;
};

export type ViewOptions = {
  /** How far this process's wall clock is ahead (negative: behind), milliseconds. */
  readonly skewMs: number;
  /** How much faster its clocks run than virtual time, parts per million, above -1,000,000. */
  readonly driftPpm: number;
};

/** The `Clock` part is for programs; the rest moves time. */
export type VirtualClock = Clock & {
  /** Virtual milliseconds since the start, with fractions. */
  readonly elapsedMs: () => number;
  /** Runs everything due within the next `ms` milliseconds, settling after each event; then time is exactly `ms` later. */
  readonly advance: (ms: number) => Promise<void>;
  /** Like `advance` without settling, for programs that never await. */
  readonly advanceSync: (ms: number) => void;
  /** When the next timer is due, in elapsed milliseconds; undefined if there is none. */
  readonly nextDueMs: () => number | undefined;
  /** The clock of a process: its wall time is skewed, and both its clocks drift. */
  readonly viewOf: (options: ViewOptions) => SkewedClock;
};

/** A view whose wall clock can be set, as an operator or a time service would. */
export type SkewedClock = Clock & {
  /** Steps the wall clock by `ms`; the monotonic clock does not change. */
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

/** More runs at one instant mean a program that waits for zero time in a loop, so time would never advance. */
const AT_ONE_INSTANT_MAX = 100_000;

type Timeline = {
  readonly nowMs: () => number;
  readonly moveTo: (ms: number) => void;
  readonly schedule: (delayMs: number, run: () => void) => Event;
  /** Runs the next event at or before `untilMs` and moves time to it; false if there is none. */
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

/** A clock that runs `rate` times as fast as the timeline, so its delays are that much shorter. */
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
