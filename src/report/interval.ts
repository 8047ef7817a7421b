// Confidence intervals of means over fills. Fills come in bursts and are no independent observations: what is counted is stretches of time
// (hours, days) or runs, each with as many fills as it had.

import { studentT95 } from "../kernel/student.ts";

/** The fills of one stretch or run: the sum of their values, and how many they are. */
export type Cluster = { readonly sum: number; readonly count: number };
/** `ci95` null: fewer than two clusters have fills, and nothing is known of how they differ. */
export type Interval = { readonly mean: number; readonly ci95: readonly [low: number, high: number] | null };

/**
 * Mean over all fills with its 95 % interval, by Student's t over clusters: the ratio estimator of a sum over a count (Cochran, 1977,
 * section 6.3). Null where nothing was counted.
 */
export function meanInterval(clusters: readonly Cluster[]): Interval | null {
  const counted = clusters.filter(({ count }) => count > 0);
  const count = counted.reduce((total, of) => total + of.count, 0);
  if (count === 0) return null;
  const mean = counted.reduce((total, { sum }) => total + sum, 0) / count;
  const degrees = counted.length - 1;
  if (degrees < 1) return { mean, ci95: null };
  const squares = counted.reduce((total, of) => total + (of.sum - mean * of.count) ** 2, 0);
  const half = (studentT95(degrees) * Math.sqrt((squares * counted.length) / degrees)) / count;
  return { mean, ci95: [mean - half, mean + half] };
}
