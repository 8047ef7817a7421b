// Markouts of one strategy's fills, counted so that two strategies can be compared, with the standard error of each mean.

/** Basis points per fill. `products`: of each with the one before. */
export type MarkoutTally = {
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
  readonly products: number;
  readonly last: number;
};

export const noMarkouts: MarkoutTally = { count: 0, sum: 0, squares: 0, products: 0, last: 0 };

export const withMarkout = ({ count, sum, squares, products, last }: MarkoutTally, bps: number): MarkoutTally => ({
  count: count + 1,
  sum: sum + bps,
  squares: squares + bps * bps,
  products: products + last * bps,
  last: bps,
});

/** Fewer fills show nothing of a strategy. */
export const COMPARED_MIN = 20;
/** Standard errors that the difference must exceed: looking after each of 200 fills, chance exceeds four in few of a thousand trials. */
export const ERRORS = 4;
/** A strategy that quotes nearer earns less per fill and is filled more often: a mean above this share of its predecessor's is no fault. */
const SHARE_KEPT = 0.5;

/**
 * Whether fills are worth less than those of the strategy before, beyond chance: below half of its mean, or of a negative mean below that.
 * One that had too few fills to be compared counts as 0. Null: they are not.
 */
export function worseThan(
  before: MarkoutTally,
  now: MarkoutTally,
): { readonly meanBps: number; readonly bound: number; readonly errorBps: number } | null {
  if (now.count < COMPARED_MIN) return null;
  const [was, is] = [before.count < COMPARED_MIN ? { mean: 0, error: 0 } : momentsOf(before), momentsOf(now)];
  const share = was.mean > 0 ? SHARE_KEPT : 1;
  const bound = was.mean * share;
  const errorBps = Math.hypot(is.error, was.error * share);
  return is.mean + ERRORS * errorBps < bound ? { meanBps: is.mean, bound, errorBps } : null;
}

/**
 * Returns the mean and its standard error. One taker's order that fills two of ours is one event, so the covariance of successive fills
 * counts (Newey and West, 1987, with one lag, never reducing the error).
 */
function momentsOf({ count, sum, squares, products }: MarkoutTally): { readonly mean: number; readonly error: number } {
  const mean = sum / count;
  const variance = Math.max(0, squares / count - mean * mean) * (count / (count - 1));
  const shared = Math.min(variance, Math.max(0, products / (count - 1) - mean * mean));
  return { mean, error: Math.sqrt((variance + 2 * shared) / count) };
}
