// The standard normal distribution.

import { exp } from "./real.ts";

/** Beyond it the tail is below what a double adds to one half. */
const FAR = 8;
const ROOT_OF_TWO_PI = Math.sqrt(2 * Math.PI);

/** Probability of a value below `x`: the series of Marsaglia (2004, "Evaluating the normal distribution", section 3). */
export function normalCdf(x: number): number {
  if (x < -FAR) return 0;
  if (x > FAR) return 1;
  let term = x;
  let sum = x;
  for (let power = 3; Math.abs(term) > 1e-17; power += 2) {
    term *= (x * x) / power;
    sum += term;
  }
  return Math.min(1, Math.max(0, 0.5 + (sum * exp((-x * x) / 2)) / ROOT_OF_TWO_PI));
}

/** The value that chance stays below with this probability, above 0 and below 1. */
export function normalQuantile(probability: number): number {
  let [low, high] = [-FAR, FAR];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
