// Confidence intervals of means over fills. Fills come in bursts and are not independent, so the observations are intervals of time (hours,
// days) or runs, each with all its fills.

import { studentT95 } from "../kernel/student.ts";

/** The fills of one interval or run: the sum of their values, and their number. */
export type Cluster = { readonly sum: number; readonly count: number };
/** `ci95` null: fewer than two clusters have fills, so their variation is unknown. */
export type Interval = { readonly mean: number; readonly ci95: readonly [low: number, high: number] | null };

/**
 * Mean over all fills with its 95 % interval, by Student's t over clusters: how far the mean moves without one of them (the jackknife: Tukey,
 * 1958, "Bias and confidence in not quite large samples"), which few clusters of unequal sizes need. Null if there are no fills.
 */
export function meanInterval(clusters: readonly Cluster[]): Interval | null {
  const counted = clusters.filter(({ count }) => count > 0);
  const count = counted.reduce((total, of) => total + of.count, 0);
  if (count === 0) return null;
  const mean = counted.reduce((total, { sum }) => total + sum, 0) / count;
  const degrees = counted.length - 1;
  if (degrees < 1) return { mean, ci95: null };
  const squares = counted.reduce((total, of) => total + ((of.sum - mean * of.count) / (count - of.count)) ** 2, 0);
  const half = studentT95(degrees) * Math.sqrt((squares * degrees) / counted.length);
  return { mean, ci95: [mean - half, mean + half] };
}
