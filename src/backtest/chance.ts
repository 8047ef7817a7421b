// How likely chance alone makes a lead, from its differences on equal worlds: after a number of seeds that was fixed beforehand, or at
// whichever look one stops; and what several leads at once take of that.

import { exp, ln } from "../kernel/real.ts";
import { studentP } from "../kernel/student.ts";
import { meanOf, stdOf } from "./summary.ts";

/** Chance of calling any setting better when none is. */
export const LEVEL = 0.05;

/** Differences at the first look. Fewer often lack the rare loss that belongs to their mean, and no figure of theirs shows it. */
export const FIRST_LOOK = 12;

/** Variance of the mean, in deviations, that differences with a mean other than zero are expected to have. */
const EFFECT_VARIANCE = 1;

/** Beyond it the correction for skew no longer grows: it would swallow any t. */
const SKEWED_T_MAX = 3;

/** Two-sided p of Student's t at a number of differences that was fixed beforehand. 1 below two. */
export const fixedP = (differences: readonly number[]): number =>
  differences.length < 2 ? 1 : studentP(skewedT(differences), differences.length - 1);

/**
 * Probability that chance alone takes the mean as far above zero as it is, however often one looks and whenever one stops: one over the Bayes
 * factor of Student's t with a normal effect (Pérez-Ortiz, Lardy, de Heide and Grünwald, 2024, "E-statistics, group invariance and
 * anytime-valid testing", section 4). That holds for normal differences; t is corrected for skew. Null below `FIRST_LOOK` of them.
 */
export function anytimeP(differences: readonly number[]): number | null {
  const count = differences.length;
  if (count < FIRST_LOOK) return null;
  const t = skewedT(differences);
  if (t <= 0) return 1;
  // t^2 / (t^2 + degrees).
  const share = 1 / (1 + (count - 1) / t ** 2);
  const shrink = 1 / (1 + count * EFFECT_VARIANCE);
  return Math.min(1, exp((count * ln(1 - share + share * shrink) - ln(shrink)) / 2));
}

/**
 * t of the mean, corrected for skew (Johnson, 1978) where that brings it nearer to 0. Where a rare run loses much, few runs often lack it, and look
 * surer than they are. Infinite where all are the same and not 0.
 */
function skewedT(differences: readonly number[]): number {
  const mean = meanOf(differences);
  const std = stdOf(differences) ?? 0;
  if (mean === 0) return 0;
  if (std === 0) return mean * Number.POSITIVE_INFINITY;
  const root = Math.sqrt(differences.length);
  const t = Math.abs(mean / (std / root));
  const skew = Math.sign(mean) * meanOf(differences.map((difference) => ((difference - mean) / std) ** 3));
  const correction = (skew * (1 + 2 * Math.min(t, SKEWED_T_MAX) ** 2)) / (6 * root);
  return Math.sign(mean) * Math.max(0, t + Math.min(0, correction));
}

/**
 * The same probabilities corrected by Holm for all `hypotheses`, of which these are the least: the k-th smallest counts (hypotheses + 1 - k)
 * times.
 */
export function holm(ps: readonly number[], hypotheses = ps.length): readonly number[] {
  const corrected = new Map<number, number>();
  let least = 0;
  for (const [rank, nth] of [...ps.keys()].toSorted((a, b) => (ps[a] ?? 1) - (ps[b] ?? 1)).entries()) {
    least = Math.max(least, Math.min(1, (ps[nth] ?? 1) * (hypotheses - rank)));
    corrected.set(nth, least);
  }
  return ps.map((_, nth) => corrected.get(nth) ?? 1);
}
