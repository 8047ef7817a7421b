// What the fills of one strategy were worth a while later, counted so that two strategies can be compared, with the error of either mean.

/** Basis points a fill. */
export type MarkoutTally = { readonly count: number; readonly sum: number; readonly squares: number };

export const noMarkouts: MarkoutTally = { count: 0, sum: 0, squares: 0 };

export const withMarkout = ({ count, sum, squares }: MarkoutTally, bps: number): MarkoutTally => ({
  count: count + 1,
  sum: sum + bps,
  squares: squares + bps * bps,
});

/** Fewer fills say nothing of a strategy. */
export const COMPARED_MIN = 20;
/** How many standard errors the difference must exceed: looked at after each fill, chance alone exceeds three in few of a thousand trials. */
const ERRORS = 3;
/** A strategy that quotes nearer earns less a fill and is filled more often: so much less of its predecessor's mean is no fault. */
const SHARE_KEPT = 0.5;

/**
 * Whether fills are worth less than those of the strategy before, beyond chance: below half of its mean, or of a mean that loses below that.
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

/** Mean, and its standard error. */
function momentsOf({ count, sum, squares }: MarkoutTally): { readonly mean: number; readonly error: number } {
  const mean = sum / count;
  const variance = Math.max(0, squares / count - mean * mean) * (count / (count - 1));
  return { mean, error: Math.sqrt(variance / count) };
}
