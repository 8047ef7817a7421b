// The instants at which the machine wants to be called: asked for with a wake each, run once, the earliest first, never within the step that sets them.

import { beforeEach, describe, expect, test } from "vitest";
import type { Output } from "../../../../src/bot/decider/output.ts";
import { Timers } from "../../../../src/bot/decider/timers.ts";
import { loopTiming } from "../../../../src/bot/timing.ts";

let nowMs: number;
let outputs: Output[];
let ran: string[];
let timers: Timers;
beforeEach(() => {
  nowMs = 1000;
  outputs = [];
  ran = [];
  const clock = { monotonicMs: () => nowMs, wallMs: () => 0 };
  timers = new Timers({ clock, put: (output) => outputs.push(output) });
});

const set = (delayMs: number, name: string, run = (): void => {}) =>
  timers.after(delayMs, () => {
    ran.push(name);
    run();
  });
function runDueAt(atMs: number): readonly string[] {
  nowMs = atMs;
  timers.runDue();
  return ran.splice(0);
}

test("each asks to be called at its instant", () => {
  set(100, "late");
  set(0, "now");
  expect(outputs).toEqual([
    { kind: "wake", atMs: 1100 },
    { kind: "wake", atMs: 1000 },
  ]);
  expect(ran).toEqual([]);
});

test("runs once, and not before its instant, but for the part of a millisecond that timers of the outside run early", () => {
  set(100, "one");
  expect(runDueAt(1100 - loopTiming.earlyMs)).toEqual([]);
  expect(runDueAt(1100 - loopTiming.earlyMs / 2)).toEqual(["one"]);
  expect(runDueAt(1200)).toEqual([]);
});

test("the earliest first; those of one instant in the order in which they were set", () => {
  set(50, "second");
  set(10, "first");
  set(50, "third");
  set(500, "not due");
  expect(runDueAt(1100)).toEqual(["first", "second", "third"]);
});

describe("forbidden: to run", () => {
  test("what was canceled, and what another of the same instant cancels", () => {
    const gone = set(10, "gone");
    gone.cancel();
    set(10, "canceling", () => other.cancel());
    const other = set(10, "other");
    expect(runDueAt(1100)).toEqual(["canceling"]);
    other.cancel();
  });

  test("what is set while others run, before the next call, even without a delay", () => {
    set(10, "first", () => set(0, "set within"));
    expect(runDueAt(1100)).toEqual(["first"]);
    expect(outputs.at(-1)).toEqual({ kind: "wake", atMs: 1100 });
    expect(runDueAt(1100)).toEqual(["set within"]);
  });
});
