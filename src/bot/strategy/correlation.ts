// Correlations between the print surprises of several indices, shrunk toward zero where prints are too few (Schäfer and Strimmer 2005, doi
// 10.2202/1544-6115.1175, target D). Without evidence, nothing hedges.

/** A print's surprise in log price, and its end of validity: prints of one day are valid until about the same time. */
export type Surprise = { readonly validUntilSec: number; readonly log: number };

/** Fewer common prints show nothing. */
const PRINTS_MIN = 10;

/**
 * Returns the correlation matrix of the series, in order: positive semidefinite with ones on its diagonal. Null while they have too few
 * prints in common.
 */
export function surpriseCorrelations(series: readonly (readonly Surprise[])[]): readonly (readonly number[])[] | null {
  const rows = commonPrints(series).map(standardized);
  const prints = rows[0]?.length ?? 0;
  if (prints < PRINTS_MIN) return null;
  const pairs = rows.map((a) => rows.map((b) => momentsOf(a, b)));
  const kept = 1 - shrinkage(pairs, prints);
  return pairs.map((row, i) => row.map(({ mean }, j) => (i === j ? 1 : kept * mean)));
}

/** Returns the surprises of prints that every series has, oldest first. */
function commonPrints(series: readonly (readonly Surprise[])[]): readonly (readonly number[])[] {
  const shortest = series.toSorted((a, b) => a.length - b.length)[0] ?? [];
  const [first, last] = [shortest[0], shortest.at(-1)];
  if (first === undefined || last === undefined || shortest.length < PRINTS_MIN) return series.map(() => []);
  const tolerance = (last.validUntilSec - first.validUntilSec) / (shortest.length - 1) / 2;
  const matched = shortest.map(({ validUntilSec }) => series.map((each) => near(each, validUntilSec, tolerance)));
  const common = matched.filter((row): row is number[] => row.every((log) => log !== undefined));
  return series.map((_, at) => common.map((row) => row[at] ?? 0));
}

const near = (series: readonly Surprise[], validUntilSec: number, tolerance: number): number | undefined =>
  series.find((surprise) => Math.abs(surprise.validUntilSec - validUntilSec) < tolerance)?.log;

/** Surprises have mean zero by construction: scales their squares to average 1. A series without surprises has no correlation. */
function standardized(logs: readonly number[]): readonly number[] {
  const square = logs.reduce((sum, log) => sum + log * log, 0) / logs.length;
  return square === 0 ? logs : logs.map((log) => log / Math.sqrt(square));
}

type Moments = { readonly mean: number; readonly variance: number };

/** Returns the mean of the products, and the variance of that mean. */
function momentsOf(a: readonly number[], b: readonly number[]): Moments {
  const count = a.length;
  const products = a.map((each, at) => each * (b[at] ?? 0));
  const mean = products.reduce((sum, product) => sum + product, 0) / count;
  const squares = products.reduce((sum, product) => sum + (product - mean) ** 2, 0);
  return { mean, variance: squares / (count * (count - 1)) };
}

/** Returns the share by which to shrink every correlation: 1 where chance alone could explain them all. */
function shrinkage(pairs: readonly (readonly Moments[])[], prints: number): number {
  let [variances, squares] = [0, 0];
  for (const [i, row] of pairs.entries()) {
    for (const [j, { mean, variance }] of row.entries()) {
      if (i === j) continue;
      variances += Math.max(variance, (1 - mean * mean) ** 2 / prints);
      squares += mean * mean;
    }
  }
  return squares === 0 ? 1 : Math.min(1, variances / squares);
}

/**
 * Returns how much the skew of each market counts a contract held in the others: M = D^-1/2 (D^1/2 C D^1/2)^1/2 D^-1/2 with the covariances
 * C of a contract's moves and the liquidities D, each row divided by its diagonal. These weights minimize the book's risk (Bergault,
 * Evangelista, Guéant and Vieira 2021, arXiv 1810.04383, the matrix Gamma). At equal liquidity, for deviations s and a correlation r: r s_j
 * / (s_i + s_j sqrt(1 - r^2)). A liquidity is how much faster fills come as a quote improves: A k times the size of a fill.
 */
export function skewWeights(
  covariances: readonly (readonly number[])[],
  liquidities: readonly number[],
): readonly (readonly number[])[] {
  const root = liquidities.map(Math.sqrt);
  const scaled = covariances.map((row, i) => row.map((each, j) => (root[i] ?? 0) * each * (root[j] ?? 0)));
  const gamma = squareRoot(scaled).map((row, i) => row.map((each, j) => each / ((root[i] ?? 1) * (root[j] ?? 1))));
  return gamma.map((row, i) => row.map((each, j) => (i === j ? 1 : each / (row[i] || Number.POSITIVE_INFINITY))));
}

const SWEEPS = 30;

/** For a symmetric, positive semidefinite matrix: eigenvalues by Jacobi rotations, then their roots. */
function squareRoot(matrix: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const a = matrix.map((row) => [...row]);
  const vectors = a.map((_, i) => a.map((_row, j) => (i === j ? 1 : 0)));
  const at = (of: readonly (readonly number[])[], i: number, j: number): number => of[i]?.[j] ?? 0;
  const turn = (rows: number[][], p: number, q: number, cos: number, sin: number): void => {
    for (const row of rows) {
      const [x, y] = [row[p] ?? 0, row[q] ?? 0];
      row[p] = cos * x - sin * y;
      row[q] = sin * x + cos * y;
    }
  };
  const transposed = (of: readonly (readonly number[])[]) => of.map((_, i) => of.map((row) => row[i] ?? 0));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    let isDiagonal = true;
    for (let p = 0; p < a.length; p += 1) {
      for (let q = p + 1; q < a.length; q += 1) {
        if (Math.abs(at(a, p, q)) <= Number.EPSILON * Math.sqrt(Math.abs(at(a, p, p) * at(a, q, q)))) continue;
        isDiagonal = false;
        const slope = (at(a, q, q) - at(a, p, p)) / (2 * at(a, p, q));
        const tangent = (slope < 0 ? -1 : 1) / (Math.abs(slope) + Math.sqrt(1 + slope * slope));
        const cos = 1 / Math.sqrt(1 + tangent * tangent);
        turn(a, p, q, cos, cos * tangent);
        const columns = transposed(a);
        turn(columns, p, q, cos, cos * tangent);
        for (const [i, row] of transposed(columns).entries()) a[i] = row;
        turn(vectors, p, q, cos, cos * tangent);
      }
    }
    if (isDiagonal) break;
  }
  const roots = a.map((_, m) => Math.sqrt(Math.max(0, at(a, m, m))));
  return a.map((_, i) =>
    a.map((_row, j) => roots.reduce((sum, each, m) => sum + each * at(vectors, i, m) * at(vectors, j, m), 0)),
  );
}

/** Returns contracts counted on top of a market's own position: `weights` is its row of `skewWeights`, `held` each market's contracts. */
export const heldElsewhere = (own: number, held: readonly number[], weights: readonly number[]): number =>
  held.reduce((sum, contracts, at) => sum + (at === own ? 0 : (weights[at] ?? 0) * contracts), 0);
