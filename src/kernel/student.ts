// Student's t: intervals of a mean, and the probability that a mean this far from zero is chance.

import { exp, ln } from "./real.ts";

/**
 * Two-sided probability that chance alone moves a mean at least `t` standard errors from zero: 1 - A(t | degrees), by the finite sums of
 * Abramowitz and Stegun 26.7.3 and 26.7.4. `degrees` of freedom: a whole number of 1 or more.
 */
export function studentP(t: number, degrees: number): number {
  if (!Number.isFinite(t)) return 0;
  const angle = Math.atan(Math.abs(t) / Math.sqrt(degrees));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = 0;
  for (let power = isOdd ? 1 : 0; power <= degrees - 2; power += 2) {
    sum += term;
    term *= (cosine * cosine * (power + 1)) / (power + 2);
  }
  const within = isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return Math.min(1, Math.max(0, 1 - within));
}

/** Half the width of a 95 % interval in standard errors. `degrees` of freedom, 1 or more. */
export const studentT95 = (degrees: number): number => studentT(0.05, degrees);

/** Half the width, in standard errors, of an interval that chance leaves with this probability, above 0 and below 1. */
export function studentT(probability: number, degrees: number): number {
  let [low, high] = [0, 1];
  while (studentP(high, degrees) > probability) high *= 2;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (studentP(middle, degrees) > probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Variance of the mean, in deviations, that values with a mean other than zero are expected to have. */
const EFFECT_VARIANCE = 1;

/**
 * Probability that chance alone ever takes the mean of values as far above zero as it was after any number of them, however often one looks
 * and whenever one stops: one over the largest Bayes factor of Student's t so far, with a normal effect (Pérez-Ortiz, Lardy, de Heide and
 * Grünwald, 2024, "E-statistics, group invariance and anytime-valid testing", section 4). `values` in order of arrival. 1 below two values.
 */
export function anytimeP(values: readonly number[]): number {
  let [count, sum, squares, largest] = [0, 0, 0, 1];
  for (const value of values) {
    count += 1;
    sum += value;
    squares += value * value;
    if (count < 2 || sum <= 0) continue;
    // t^2 / (t^2 + degrees), which is 1 where all values are the same.
    const share = Math.min(1, (sum * sum) / (count * squares));
    const shrink = 1 / (1 + count * EFFECT_VARIANCE);
    const factor = exp((ln(shrink) - count * ln(1 - share + share * shrink)) / 2);
    largest = Math.max(largest, factor);
  }
  return 1 / largest;
}
