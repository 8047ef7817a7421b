// When the next print is expected, whatever the publications before it did.

import { expect, test } from "vitest";
import { guardPhase } from "../../../../src/bot/strategy/print-guard.ts";
import { isAroundPrint, observePublication, type PrintSchedule } from "../../../../src/bot/strategy/print-schedule.ts";

import { createPrng } from "../../../../src/kernel/prng.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const times = { windowMs: 30 * MINUTE_MS, pullMs: 2 * MINUTE_MS, settleMs: 3000, recoveryMs: 5 * MINUTE_MS };

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

test("prints that nobody saw between the first two, or later, are steps of the rhythm", () => {
  expect(nextMs([0, 3 * DAY_MS])).toBe(4 * DAY_MS);
  expect(nextMs([0, DAY_MS, 2 * DAY_MS, 5 * DAY_MS])).toBe(6 * DAY_MS);
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

test("an index that comes up to 45 minutes early or late is hardly ever met with open quotes, and mostly with pulled ones", () => {
  const draw = createPrng(7n);
  const met = { open: 0, window: 0, pulled: 0, settling: 0 };
  const resting: boolean[] = [];
  let schedule: PrintSchedule | null = null;
  for (let day = 0; day < 400; day += 1) {
    const atMs = day * DAY_MS + (2 * draw.float() - 1) * 45 * MINUTE_MS;
    if (schedule !== null && day > 10) {
      const { publishedMs, everyMs, earlyMs } = schedule;
      const toPrintMs = publishedMs + everyMs - earlyMs - atMs;
      met[guardPhase({ toPrintMs, sincePrintMs: DAY_MS, isBookNew: true }, times)] += 1;
      resting.push(isAroundPrint(schedule, atMs));
      expect(earlyMs).toBeLessThan(100 * MINUTE_MS);
    }
    schedule = observePublication(schedule, atMs, (atMs + DAY_MS) / 1000 + 60);
  }
  const prints = resting.length;
  expect(met.open / prints).toBeLessThan(0.03);
  expect(met.pulled / prints).toBeGreaterThan(0.8);
  expect(resting.filter(Boolean).length / prints).toBeGreaterThan(0.7);
});

test("one that comes on time is expected no earlier; after a late one the next may come at its usual time", () => {
  const early = (days: readonly number[]) => after(days.map((day) => day * DAY_MS))?.earlyMs;
  expect(early([0, 1, 2, 3, 4])).toBe(0);
  expect(early([0, 1, 2, 3, 4.1])).toBeGreaterThan(0.05 * DAY_MS);
  expect(early([0, 1, 2, 3, 4.1])).toBeLessThanOrEqual(0.1 * DAY_MS);
});
