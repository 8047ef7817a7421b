// Work in slices: all of it, in its order, and never more at once than a slice.

import { expect, test } from "vitest";
import { runInSlices, SLICE } from "../../../../../src/bot/service/loop/slices.ts";
import { createVirtualClock } from "../../../../../src/kernel/virtual-clock.ts";

function world(count: number, everyMs: number) {
  const clock = createVirtualClock({ startMs: 0 });
  const done: { readonly item: number | "all"; readonly atMs: number }[] = [];
  const note = (item: number | "all") => done.push({ item, atMs: clock.elapsedMs() });
  const items = Array.from({ length: count }, (_, at) => at);
  runInSlices(items, everyMs, clock, note, () => note("all"));
  return { clock, done, items };
}

test("what fits in one slice is done before the call returns", () => {
  const { done, items } = world(SLICE, 10);
  expect(done.map(({ item }) => item)).toEqual([...items, "all"]);
});

test("the rest follows slice by slice, in its order, and the end is told once", () => {
  const { clock, done, items } = world(2 * SLICE + 1, 10);
  expect(done).toHaveLength(SLICE);
  clock.advanceSync(10);
  expect(done).toHaveLength(2 * SLICE);
  clock.advanceSync(100);
  expect(done.map(({ item }) => item)).toEqual([...items, "all"]);
  expect(done.at(-1)?.atMs).toBe(20);
});

test("edge: of nothing the end is told at once", () => {
  expect(world(0, 10).done).toEqual([{ item: "all", atMs: 0 }]);
});
