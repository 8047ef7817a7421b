// Statistics for the table of stylized facts.

type Numbers = readonly number[] | Float64Array;

export const mean = (values: Numbers): number => sum(values) / values.length;

export function sum(values: Numbers): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

export function deviation(values: Numbers): number {
  const center = mean(values);
  let total = 0;
  for (const value of values) total += (value - center) ** 2;
  return Math.sqrt(total / values.length);
}

/** The value below which the share `at` (0 to 1) of all values is. */
export function quantile(values: Numbers, at: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))] ?? Number.NaN;
}

export function autocorrelation(values: Numbers, lag: number): number {
  const center = mean(values);
  let squares = 0;
  let products = 0;
  for (let at = 0; at < values.length; at += 1) {
    const here = (values[at] ?? 0) - center;
    squares += here * here;
    if (at >= lag) products += here * ((values[at - lag] ?? 0) - center);
  }
  return products / squares;
}

/** Fourth standardized moment; 3 for a normal distribution. */
export function kurtosis(values: Numbers): number {
  const center = mean(values);
  let second = 0;
  let fourth = 0;
  for (const value of values) {
    const square = (value - center) ** 2;
    second += square;
    fourth += square * square;
  }
  return (fourth * values.length) / (second * second);
}

/** Hill's estimator of the tail exponent from the largest `share` of absolute values. */
export function tailExponent(values: Numbers, share: number): number {
  const sorted = Float64Array.from(values, Math.abs).sort().reverse();
  const count = Math.max(2, Math.floor(sorted.length * share));
  const least = sorted[count] ?? Number.NaN;
  return 1 / mean(sorted.subarray(0, count).map((value) => Math.log(value / least)));
}

export type Line = { readonly slope: number; readonly intercept: number; readonly rSquared: number };

/** Ordinary least squares. */
export function lineThrough(points: readonly (readonly [number, number])[]): Line {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const covariance = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)));
  const [deviationX, deviationY] = [deviation(xs), deviation(ys)];
  const slope = covariance / deviationX ** 2;
  return {
    slope,
    intercept: meanY - slope * meanX,
    rSquared: (covariance / (deviationX * deviationY)) ** 2,
  };
}

/** Every `step`-th difference of a path. */
export function returnsOver(path: Numbers, step: number): Float64Array {
  const count = Math.max(0, Math.floor((path.length - 1) / step));
  return Float64Array.from({ length: count }, (_, at) => (path[(at + 1) * step] ?? 0) - (path[at * step] ?? 0));
}
