// A lane counts what is under way and keeps the order of what waits.

import { expect, test } from "vitest";
import { StartLane } from "../../../../src/bot/execution/lane.ts";
import { macrotask } from "../../../../src/kernel/clock.ts";

/** A transaction: resolves when it is answered. */
function transaction() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { answered: promise, answer: resolve };
}

test("is open until all places are taken, and again when one is answered", async () => {
  const lane = new StartLane(2);
  const [first, second] = [transaction(), transaction()];
  lane.hold(first.answered);
  expect(lane.isOpen).toBe(true);
  lane.hold(second.answered);
  expect(lane.isOpen).toBe(false);
  second.answer();
  await macrotask();
  expect(lane.isOpen).toBe(true);
});

test("what waits starts in its order, one for each place that is freed, and nobody passes it meanwhile", async () => {
  const lane = new StartLane(1);
  const under = [transaction(), transaction(), transaction()];
  const started: number[] = [];
  const start = async (at: number) => {
    await lane.place();
    started.push(at);
    lane.hold(under[at]?.answered ?? Promise.resolve());
  };
  lane.line(() => start(0));
  lane.line(() => start(1));
  lane.line(() => start(2));
  await macrotask();
  expect(started).toEqual([0]);
  for (const at of [0, 1]) {
    under[at]?.answer();
    expect(lane.isOpen).toBe(false);
    await macrotask();
    expect(started.at(-1)).toBe(at + 1);
  }
  expect(started).toEqual([0, 1, 2]);
  under[2]?.answer();
  await macrotask();
  expect(lane.isOpen).toBe(true);
});

test("one that leaves the line without starting takes no place", async () => {
  const lane = new StartLane(1);
  lane.line(async () => {});
  await macrotask();
  expect(lane.isOpen).toBe(true);
});
