// Scales, ticks and the bootstrap behind the pictures.

import { expect, test } from "vitest";
import { dayBootstrap } from "../../../../src/backtest/report/bootstrap.ts";
import { scaleOf, ticksOf } from "../../../../src/backtest/report/scale.ts";
import { leastOf, minutesOf, stretchesOf } from "../../../../src/backtest/report/time-chart.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

test("a scale takes its least value to one end and its largest to the other", () => {
  const { at } = scaleOf([5, -5, 0], [100, 0]);
  expect([at(-5), at(0), at(5)]).toEqual([100, 50, 0]);
  expect(scaleOf([3], [0, 10]).at(3)).toBe(5);
  expect(scaleOf([], [0, 10]).at(0.5)).toBe(5);
});

test.each([
  [0, 10, 5, [0, 2, 4, 6, 8, 10]],
  [-0.3, 0.31, 6, [-0.2, 0, 0.2]],
  [0, 1e6, 4, [0, 500_000, 1_000_000]],
])("ticks from %d to %d are round", (low, high, most, ticks) => {
  expect(ticksOf({ low, high }, most)).toEqual(ticks);
});

test("the interval holds the mean, shrinks with the days, and is the same every time", () => {
  const days = (count: number) => Array.from({ length: count }, (_, nth) => ({ sum: (nth % 5) * 10, count: 10 }));
  const width = (count: number): number => {
    const { mean, low, high } = dayBootstrap(days(count), createPrng(1n)) ?? { mean: 0, low: 0, high: 0 };
    expect(mean).toBeCloseTo(2, 9);
    expect(low).toBeLessThan(2);
    expect(high).toBeGreaterThan(2);
    return high - low;
  };
  // The mean of n days of 0, 1, 2, 3, 4 has a deviation of sqrt(2 / n).
  expect(width(100)).toBeCloseTo(2 * 1.96 * Math.sqrt(2 / 100), 1);
  expect(width(400)).toBeLessThan(width(100));
  expect(dayBootstrap(days(100), createPrng(1n))).toEqual(dayBootstrap(days(100), createPrng(1n)));
});

test("days without a fill say nothing; no day at all is no interval", () => {
  expect(dayBootstrap([], createPrng(1n))).toBeNull();
  expect(dayBootstrap([{ sum: 0, count: 0 }], createPrng(1n))).toBeNull();
  expect(dayBootstrap([{ sum: 6, count: 3 }], createPrng(1n))).toEqual({ mean: 2, low: 2, high: 2 });
});

test.each([
  ["an end within the minute of the sample before it", [1 / 60, 2 / 60, 2.4 / 60], 1],
  ["as many as there are", Array.from({ length: 360 }, (_, nth) => (nth + 1) / 60), 4],
  ["more than a chart has room for", Array.from({ length: 2000 }, (_, nth) => (nth + 1) / 20), 100],
])("moments of a chart rise, the end among them: %s", (_, hours, lines) => {
  const minutes = minutesOf(stretchesOf(hours, lines), hours);
  expect(minutes).toEqual([...new Set(minutes)].toSorted((a, b) => a - b));
  expect(minutes.at(-1)).toBe(Math.round((hours.at(-1) ?? 0) * 60));
  expect(minutes.length * lines).toBeLessThanOrEqual(24_000);
});

test("the deepest drawdown of a stretch is kept", () => {
  const drawdown = Array.from({ length: 2000 }, (_, nth) => (nth === 777 ? -9 : -1));
  const ends = stretchesOf(
    drawdown.map((_, nth) => (nth + 1) / 20),
    100,
  );
  expect(leastOf(ends, drawdown).filter((value) => value === -9).length).toBe(1);
});
