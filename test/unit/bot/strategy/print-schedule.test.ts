// When the next print is expected, whatever the publications before it did.

import { expect, test } from "vitest";
import { observePublication, type PrintSchedule } from "../../../../src/bot/strategy/print-schedule.ts";

const DAY_MS = 86_400_000;

const after = (publishedMs: readonly number[]): PrintSchedule | null =>
  publishedMs.reduce<PrintSchedule | null>(
    (state, at) => observePublication(state, at, (at + DAY_MS) / 1000 + 60),
    null,
  );
const nextMs = (publishedMs: readonly number[]): number => {
  const { publishedMs: last, everyMs } = after(publishedMs) ?? { publishedMs: Number.NaN, everyMs: 0 };
  return last + everyMs;
};

test("of one publication its validity tells when the next is due at the latest", () => {
  expect(nextMs([0])).toBe(DAY_MS + 60_000);
});

test("two publications have a rhythm, and the same one read again is one", () => {
  expect(nextMs([0, DAY_MS])).toBe(2 * DAY_MS);
  expect(nextMs([0, DAY_MS, DAY_MS, DAY_MS])).toBe(2 * DAY_MS);
});

test("prints that come late now and then do not change the rhythm", () => {
  expect(nextMs([0, 1, 2.5, 3, 4].map((day) => day * DAY_MS))).toBe(5 * DAY_MS);
});

test("a correction in between is not in the rhythm: the next print comes when it would have come", () => {
  expect(nextMs([0, DAY_MS, 2 * DAY_MS, 2.1 * DAY_MS])).toBe(3 * DAY_MS);
  expect(nextMs([0, DAY_MS, 2 * DAY_MS, 2.1 * DAY_MS, 3 * DAY_MS])).toBe(4 * DAY_MS);
});

test("a publication from the future is forgotten with the next true one", () => {
  expect(nextMs([0, DAY_MS, 400 * DAY_MS, 2 * DAY_MS])).toBeLessThan(500 * DAY_MS);
  expect(nextMs([0, DAY_MS, 2 * DAY_MS, 3 * DAY_MS, 400 * DAY_MS, 4 * DAY_MS])).toBe(5 * DAY_MS);
});
