// Time that moves when told to: the order of timers, programs that await, clocks that are off.

import { describe, expect, test } from "vitest";
import { InvariantError } from "../../../src/kernel/assert.ts";
import { macrotask, sleep } from "../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../src/kernel/virtual-clock.ts";

const START_MS = 1_790_000_000_000;
const create = () => createVirtualClock({ startMs: START_MS, settle: macrotask });

describe("time", () => {
  test("stands still until told, and ends exactly where it was sent", () => {
    const clock = create();
    expect(clock.wallMs()).toBe(START_MS);
    clock.advanceSync(1500.5);
    expect(clock.elapsedMs()).toBe(1500.5);
    expect(clock.wallMs()).toBe(START_MS + 1500);
    expect(clock.monotonicMs()).toBe(1500.5);
  });

  test("is the timer's own while the timer runs", () => {
    const clock = create();
    const seen: number[] = [];
    clock.after(10, () => seen.push(clock.elapsedMs()));
    clock.after(30, () => seen.push(clock.elapsedMs()));
    clock.advanceSync(100);
    expect(seen).toEqual([10, 30]);
  });
});

describe("timers", () => {
  test("run by due time, those of one instant in the order they were set", () => {
    const clock = create();
    const order: string[] = [];
    clock.after(5, () => order.push("b"));
    clock.after(1, () => order.push("a"));
    clock.after(5, () => order.push("c"));
    clock.advanceSync(5);
    expect(order).toEqual(["a", "b", "c"]);
  });

  test("a timer due at the very end runs, one a hair later does not", () => {
    const clock = create();
    const order: string[] = [];
    clock.after(10, () => order.push("at"));
    clock.after(10.001, () => order.push("later"));
    clock.advanceSync(10);
    expect(order).toEqual(["at"]);
    expect(clock.nextDueMs()).toBe(10.001);
  });

  test("that set timers for the same instant without end are told, not run for ever", () => {
    const clock = create();
    const again = (): void => void clock.after(1e-15, again);
    clock.advanceSync(1000);
    again();
    expect(() => clock.advanceSync(1)).toThrow(/time stands still/);
  });

  test("set while running fall into the same advance", () => {
    const clock = create();
    const order: number[] = [];
    clock.after(1, () => {
      order.push(1);
      clock.after(0, () => order.push(2));
      clock.after(1, () => order.push(3));
    });
    clock.advanceSync(2);
    expect(order).toEqual([1, 2, 3]);
  });

  test("every repeats from one period on, until canceled, also from inside", () => {
    const clock = create();
    let runs = 0;
    const timer = clock.every(10, () => {
      runs += 1;
      if (runs === 3) timer.cancel();
    });
    clock.advanceSync(9);
    expect(runs).toBe(0);
    clock.advanceSync(1000);
    expect(runs).toBe(3);
    expect(clock.nextDueMs()).toBeUndefined();
  });

  test("a canceled one does not run, and canceling again or late is harmless", () => {
    const clock = create();
    let ran = 0;
    const canceled = clock.after(1, () => {
      ran += 1;
    });
    const done = clock.after(1, () => {
      ran += 10;
    });
    canceled.cancel();
    canceled.cancel();
    clock.advanceSync(5);
    done.cancel();
    expect(ran).toBe(10);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("a delay of %d is a fault of the code", (delayMs) => {
    expect(() => create().after(delayMs, () => undefined)).toThrow(InvariantError);
    expect(() => create().every(0, () => undefined)).toThrow(InvariantError);
  });
});

describe("programs that await", () => {
  test("each event settles before the next: chains of promises run at their own instant", async () => {
    const clock = create();
    const seen: string[] = [];
    const run = async (name: string) => {
      for (let step = 1; step <= 3; step += 1) {
        await sleep(clock, 10);
        await Promise.resolve();
        seen.push(`${name}${step}@${clock.elapsedMs()}`);
      }
    };
    const both = Promise.all([run("a"), run("b")]);
    await clock.advance(30);
    await both;
    expect(seen).toEqual(["a1@10", "b1@10", "a2@20", "b2@20", "a3@30", "b3@30"]);
  });

  test("without a way to settle only the synchronous run is offered", async () => {
    await expect(createVirtualClock({ startMs: 0 }).advance(1)).rejects.toThrow(InvariantError);
  });
});

describe("views", () => {
  test("a skewed wall is off by its skew, the monotonic clock is not", () => {
    const clock = create();
    const view = clock.viewOf({ skewMs: -2000, driftPpm: 0 });
    clock.advanceSync(500);
    expect(view.wallMs()).toBe(START_MS - 1500);
    expect(view.monotonicMs()).toBe(500);
  });

  test("a fast clock counts more and its timers fire early", () => {
    const clock = create();
    const fast = clock.viewOf({ skewMs: 0, driftPpm: 100_000 });
    let firedAtMs = 0;
    fast.after(1100, () => {
      firedAtMs = clock.elapsedMs();
    });
    clock.advanceSync(2000);
    expect(firedAtMs).toBeCloseTo(1000, 6);
    expect(fast.monotonicMs()).toBeCloseTo(2200, 6);
  });

  test("a step moves the wall alone", () => {
    const clock = create();
    const view = clock.viewOf({ skewMs: 0, driftPpm: 0 });
    view.step(-3_600_000);
    expect(view.wallMs()).toBe(START_MS - 3_600_000);
    expect(view.monotonicMs()).toBe(0);
  });
});
