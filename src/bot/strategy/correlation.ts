// How much the prints of several indices surprise together: correlations of their surprises, shrunk toward none where there are too
// few prints to tell (Schäfer and Strimmer 2005, doi 10.2202/1544-6115.1175, target D). What is not known to hedge does not hedge.

/** A print's surprise in log price, and until when the print is valid: prints of one day are valid until about the same time. */
export type Surprise = { readonly validUntilSec: number; readonly log: number };

/** Fewer common prints than this say nothing. */
const PRINTS_MIN = 10;

/**
 * Correlation matrix of the series, in their order: positive semidefinite with ones on its diagonal. Null while they have too few prints in
 * common.
 */
export function surpriseCorrelations(series: readonly (readonly Surprise[])[]): readonly (readonly number[])[] | null {
  const rows = commonPrints(series).map(standardized);
  const prints = rows[0]?.length ?? 0;
  if (prints < PRINTS_MIN) return null;
  const pairs = rows.map((a) => rows.map((b) => momentsOf(a, b)));
  const kept = 1 - shrinkage(pairs, prints);
  return pairs.map((row, i) => row.map(({ mean }, j) => (i === j ? 1 : kept * mean)));
}

/** Surprises of the prints that every series has, oldest first. */
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

/** Surprises have no mean to take away: their squares are to average 1. A series that never surprises has no correlation. */
function standardized(logs: readonly number[]): readonly number[] {
  const square = logs.reduce((sum, log) => sum + log * log, 0) / logs.length;
  return square === 0 ? logs : logs.map((log) => log / Math.sqrt(square));
}

type Moments = { readonly mean: number; readonly variance: number };

/** Mean of the products, and the variance of that mean. */
function momentsOf(a: readonly number[], b: readonly number[]): Moments {
  const count = a.length;
  const products = a.map((each, at) => each * (b[at] ?? 0));
  const mean = products.reduce((sum, product) => sum + product, 0) / count;
  const squares = products.reduce((sum, product) => sum + (product - mean) ** 2, 0);
  return { mean, variance: squares / (count * (count - 1)) };
}

/** The share of every correlation to give up: 1 where they are all within what chance makes of none. */
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

/** Each leaves at most a share of (1 - root of the smallest eigenvalue) of the error: enough for all but a market that repeats others. */
const ROOT_STEPS = 80;

/**
 * How much the skew of each market counts the risk held in the others: the square root of the correlations, divided by its diagonal. Of
 * all weights it leaves a book of such quotes the least risk (Bergault, Evangelista, Guéant and Vieira 2021, arXiv 1810.04383, the matrix Gamma): two markets
 * at 0.8 count each other half. By the correlations themselves the book would be as risky as markets that know nothing of each other.
 */
export function skewWeights(correlations: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const norm = Math.max(...correlations.map((row) => row.reduce((sum, each) => sum + Math.abs(each), 0)));
  let root: readonly (readonly number[])[] = correlations.map((row) => row.map(() => 0));
  for (let step = 0; step < ROOT_STEPS; step += 1) {
    const known = root;
    const squared = (i: number, j: number) =>
      known.reduce((sum, row, m) => sum + (known[i]?.[m] ?? 0) * (row[j] ?? 0), 0);
    root = correlations.map((row, i) => row.map((each, j) => (known[i]?.[j] ?? 0) + (each / norm - squared(i, j)) / 2));
  }
  return root.map((row, i) => row.map((each) => each / (row[i] ?? 1)));
}

/** A position in a market, contracts, and by how much a print surprises one contract of it, USD. */
export type Exposure = { readonly contracts: number; readonly surpriseUsd: number };

/**
 * The contracts of a market in which a print surprises one by `surpriseUsd`, above zero, that quotes there count on top of their own
 * position, for those of the others. `weights` are its row of `skewWeights`, without itself.
 */
export const riskElsewhere = (surpriseUsd: number, others: readonly Exposure[], weights: readonly number[]): number =>
  others.reduce((sum, other, at) => sum + (weights[at] ?? 0) * other.contracts * other.surpriseUsd, 0) / surpriseUsd;
