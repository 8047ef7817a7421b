// Order statistics of samples, which need no order.

/** The sample below which the share `q` (0 to 1) of all lies; of an even count, 0.5 is the upper of the two in the middle. Undefined of none. */
export const quantile = (samples: readonly number[], q: number): number | undefined =>
  samples.toSorted((a, b) => a - b)[Math.min(samples.length - 1, Math.floor(q * samples.length))];

/** The middle sample; the lower of two, since either of them may be wrong. Undefined for an empty list. */
export const median = (samples: readonly number[]): number | undefined =>
  samples.toSorted((a, b) => a - b)[(samples.length - 1) >> 1];
