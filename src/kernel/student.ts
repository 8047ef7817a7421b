// Student's t: intervals of a mean, and the probability that a mean this far from zero is chance.

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
