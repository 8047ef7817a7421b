// Work in slices: all of it, in its order, and never more at once than a slice.

import { expect, test } from "vitest";
import { Rounds, runInSlices, SLICE } from "../../../../../src/bot/service/loop/slices.ts";
import { createVirtualClock } from "../../../../../src/kernel/virtual-clock.ts";

const itemsOf = (count: number) => Array.from({ length: count }, (_, at) => at);

function createWorld() {
  const clock = createVirtualClock({ startMs: 0 });
  const slices: { readonly atMs: number; readonly items: readonly number[] }[] = [];
  const work = (items: readonly number[]) => slices.push({ atMs: clock.elapsedMs(), items });
  return { clock, slices, work };
}

test("what fits in one slice is done before the call returns", () => {
  const { clock, slices, work } = createWorld();
  let ends = 0;
  runInSlices(itemsOf(SLICE), 10, clock, work, () => {
    ends += 1;
  });
  expect(slices).toEqual([{ atMs: 0, items: itemsOf(SLICE) }]);
  expect(ends).toBe(1);
});

test("the rest follows slice by slice, in its order", () => {
  const { clock, slices, work } = createWorld();
  runInSlices(itemsOf(2 * SLICE + 1), 10, clock, work);
  expect(slices).toHaveLength(1);
  clock.advanceSync(100);
  expect(slices.map(({ atMs }) => atMs)).toEqual([0, 10, 20]);
  expect(slices.flatMap(({ items }) => items)).toEqual(itemsOf(2 * SLICE + 1));
});

test("edge: an empty list is one empty slice", () => {
  const { clock, slices, work } = createWorld();
  runInSlices([], 10, clock, work);
  expect(slices).toEqual([{ atMs: 0, items: [] }]);
});

test("a round is spread over the period, and the next one follows it", () => {
  const { clock, slices, work } = createWorld();
  const rounds = new Rounds(100, clock);
  clock.every(100, () => rounds.run(itemsOf(4 * SLICE), work));
  clock.advanceSync(299);
  expect(slices.map(({ atMs }) => atMs)).toEqual([100, 125, 150, 175, 200, 225, 250, 275]);
});

test("edge: while a round is late the next is left out", () => {
  const { clock, slices, work } = createWorld();
  const rounds = new Rounds(100, clock);
  rounds.run(itemsOf(2 * SLICE), work);
  rounds.run([], work);
  expect(slices).toHaveLength(1);
  clock.advanceSync(50);
  rounds.run([], work);
  expect(slices).toHaveLength(3);
});
