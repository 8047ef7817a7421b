// Sobol points: they fill a box more evenly than random ones, whatever their number. Direction numbers: S. Joe and F. Y. Kuo, "Constructing
// Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008), file new-joe-kuo-6.21201.

/** From the second dimension on: degree and coefficients of the primitive polynomial, and the first direction numbers. */
const polynomials: readonly (readonly [degree: number, coefficients: number, first: readonly number[]])[] = [
  [1, 0, [1]],
  [2, 1, [1, 3]],
  [3, 1, [1, 3, 1]],
  [3, 2, [1, 1, 1]],
  [4, 1, [1, 1, 3, 3]],
  [4, 4, [1, 3, 5, 13]],
  [5, 2, [1, 1, 5, 5, 17]],
  [5, 4, [1, 1, 5, 5, 5]],
  [5, 7, [1, 1, 7, 11, 19]],
];

export const SOBOL_DIMENSIONS_MAX = polynomials.length + 1;

const BITS = 30;

/** Each point has `dimensions` numbers above 0 and below 1; the sequence's first point, the corner, is left out. */
export function* sobolPoints(dimensions: number): Generator<readonly number[]> {
  const directions = Array.from({ length: dimensions }, (_, dimension) => directionsOf(dimension));
  const state = new Array<number>(dimensions).fill(0);
  for (let index = 0; ; index += 1) {
    // The lowest bit of `index` that is 0.
    const bit = 31 - Math.clz32(~index & (index + 1));
    for (const [dimension, numbers] of directions.entries())
      state[dimension] = (state[dimension] ?? 0) ^ (numbers[bit] ?? 0);
    yield state.map((value) => value / 2 ** BITS);
  }
}

/** As integers of `BITS` bits. */
function directionsOf(dimension: number): readonly number[] {
  const polynomial = polynomials[dimension - 1];
  if (polynomial === undefined) return Array.from({ length: BITS }, (_, bit) => 2 ** (BITS - 1 - bit));
  const [degree, coefficients, first] = polynomial;
  const numbers = first.map((number, bit) => number << (BITS - 1 - bit));
  for (let bit = degree; bit < BITS; bit += 1) {
    const before = numbers[bit - degree] ?? 0;
    let next = before ^ (before >>> degree);
    for (let term = 1; term < degree; term += 1)
      if ((coefficients >> (degree - 1 - term)) & 1) next ^= numbers[bit - term] ?? 0;
    numbers.push(next);
  }
  return numbers;
}
