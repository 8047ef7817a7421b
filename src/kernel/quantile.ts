// Order statistics of samples, which need no order.

/** The sample below which the share `q` (0 to 1) of all lies; of an even count, 0.5 is the upper of the two in the middle. Undefined of none. */
export const quantile = (samples: readonly number[], q: number): number | undefined =>
  samples.toSorted((a, b) => a - b)[Math.min(samples.length - 1, Math.floor(q * samples.length))];

/** The sample in the middle; the lower of two there, since of two that disagree nobody can tell which is wrong. Undefined of none. */
export const median = (samples: readonly number[]): number | undefined =>
  samples.toSorted((a, b) => a - b)[(samples.length - 1) >> 1];
