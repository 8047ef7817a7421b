// Rounds in slices: all of it, in its order, and never more at once than a slice.

import { expect, test } from "vitest";
import { Rounds, SLICE } from "../../../../src/bot/live/rounds.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";

const itemsOf = (count: number) => Array.from({ length: count }, (_, at) => at);

function createWorld() {
  const clock = createVirtualClock({ startMs: 0 });
  const slices: { readonly atMs: number; readonly items: readonly number[] }[] = [];
  const work = (items: readonly number[]) => slices.push({ atMs: clock.elapsedMs(), items });
  return { clock, slices, work, rounds: new Rounds(100, clock) };
}

test("what fits in one slice is done before the call returns, and the next round follows", () => {
  const { rounds, slices, work } = createWorld();
  rounds.run(itemsOf(SLICE), work);
  rounds.run(itemsOf(1), work);
  expect(slices.map(({ items }) => items)).toEqual([itemsOf(SLICE), [0]]);
});

test("edge: no items are one empty slice", () => {
  const { rounds, slices, work } = createWorld();
  rounds.run([], work);
  expect(slices).toEqual([{ atMs: 0, items: [] }]);
});

test("a longer round is spread over the period, in its order, and the next one follows it", () => {
  const { clock, rounds, slices, work } = createWorld();
  clock.every(100, () => rounds.run(itemsOf(3 * SLICE + 1), work));
  clock.advanceSync(299);
  expect(slices.map(({ atMs }) => atMs)).toEqual([100, 125, 150, 175, 200, 225, 250, 275]);
  expect(slices.slice(0, 4).flatMap(({ items }) => items)).toEqual(itemsOf(3 * SLICE + 1));
});

test("edge: while a round is late the next is left out", () => {
  const { clock, rounds, slices, work } = createWorld();
  rounds.run(itemsOf(2 * SLICE), work);
  rounds.run([], work);
  expect(slices).toHaveLength(1);
  clock.advanceSync(50);
  rounds.run([], work);
  expect(slices).toHaveLength(3);
});

test("edge: slices whose timers run in another order are all of the round", () => {
  const { clock, work, slices } = createWorld();
  const timers: (() => void)[] = [];
  const after = (_: number, run: () => void) => {
    timers.push(run);
    return { cancel: () => {} };
  };
  const rounds = new Rounds(100, { ...clock, after });
  rounds.run(itemsOf(3 * SLICE), work);
  for (const run of timers.splice(0).reverse()) run();
  rounds.run([], work);
  expect(slices.map(({ items }) => items[0])).toEqual([0, 2 * SLICE, SLICE, undefined]);
});
