// Scales, ticks and the intervals behind the pictures.

import { expect, test } from "vitest";
import { createPrng } from "../../../src/kernel/prng.ts";
import { meanInterval } from "../../../src/report/interval.ts";
import { scaleOf, ticksOf } from "../../../src/report/scale.ts";
import { leastOf, minutesOf, stretchesOf } from "../../../src/report/time-chart.ts";

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

test.each([2, 3, 5, 10, 40].flatMap((clusters) => [9, 104].map((most) => [clusters, most] as const)))(
  "law: 93 to 97 of 100 intervals over %d days hold the true mean, of 5 to %d fills each",
  (clusters, most) => {
    const prng = createPrng(7n);
    const TRIALS = 2000;
    let held = 0;
    for (let trial = 0; trial < TRIALS; trial += 1) {
      const sample = Array.from({ length: clusters }, () => {
        const count = 5 + prng.below(most - 4);
        return { sum: count * (2 + prng.gaussian()), count };
      });
      const [low, high] = meanInterval(sample)?.ci95 ?? [0, 0];
      if (low < 2 && high > 2) held += 1;
    }
    expect(held / TRIALS).toBeGreaterThanOrEqual(0.93);
    expect(held / TRIALS).toBeLessThanOrEqual(0.97);
  },
);

test("edge: clusters without a fill say nothing, one tells a mean without an interval, and none tells nothing", () => {
  expect(meanInterval([])).toBeNull();
  expect(meanInterval([{ sum: 0, count: 0 }])).toBeNull();
  expect(
    meanInterval([
      { sum: 6, count: 3 },
      { sum: 0, count: 0 },
    ]),
  ).toEqual({ mean: 2, ci95: null });
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
