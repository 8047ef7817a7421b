// Confidence bands of means over fills. Fills of a day come in bursts and are one observation, not many: the bootstrap draws days.

import type { Prng } from "../../kernel/prng.ts";

/** A ratio of sums, one term a day. */
export type Day = { readonly sum: number; readonly count: number };
export type Interval = { readonly mean: number; readonly low: number; readonly high: number };

const RESAMPLES = 500;

/**
 * Mean over all days, weighted by their counts, with a 95 % interval: resamples the days with replacement and takes the mean of each
 * sample (Efron's percentile interval). Null where nothing was counted; with fewer than two days the interval is empty: low and high are the mean.
 */
export function dayBootstrap(days: readonly Day[], prng: Prng): Interval | null {
  const counted = days.filter(({ count }) => count > 0);
  const mean = ratio(counted);
  if (mean === null) return null;
  if (counted.length < 2) return { mean, low: mean, high: mean };
  const means = Array.from({ length: RESAMPLES }, () => ratio(counted.map(() => prng.pick(counted))) ?? mean);
  means.sort((a, b) => a - b);
  return {
    mean,
    low: means[Math.floor(0.025 * RESAMPLES)] ?? mean,
    high: means[Math.ceil(0.975 * RESAMPLES) - 1] ?? mean,
  };
}

function ratio(days: readonly Day[]): number | null {
  const count = days.reduce((total, day) => total + day.count, 0);
  return count === 0 ? null : days.reduce((total, day) => total + day.sum, 0) / count;
}
