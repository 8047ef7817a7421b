// Which further points of a search look best by the scores of those that were tried: a Gaussian process over the unit cube (Rasmussen and
// Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1) with the Matérn 5/2 kernel, and the expected improvement (Jones,
// Schonlau and Welch, 1998). Points of one batch keep apart: each is believed to score as predicted, which leaves the others less to gain.

import { normalCdf } from "../../kernel/normal.ts";
import { exp, ln } from "../../kernel/real.ts";
import { meanOf } from "../summary.ts";

/** From 0 to 1 in each dimension. */
export type Point = readonly number[];
export type Scored = { readonly point: Point; readonly score: number };

/** Distances over which a score changes, parts of a range, and noise of a score beside its variance over the cube: the likeliest are taken. */
const LENGTHS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4];
const NOISES = [1e-3, 0.01, 0.03, 0.1, 0.3, 1];
const ROUNDS = 3;
/** A length is as likely beforehand as its logarithm is near this one's: few scores must not claim that a range is all steps, or all flat. */
const USUAL_LENGTH = { middle: 0.8, deviation: 1.2 };

type Shape = { readonly lengths: readonly number[]; readonly noise: number };

/** Yields the most promising of `pool`, as places in it, as long as somebody asks. `tried`: at least two. */
export function* promising(tried: readonly Scored[], pool: readonly Point[]): Generator<number> {
  const { shape, variance, predict } = fitted(tried);
  const left = pool.map((point, at) => ({ at, ...predict(point), point }));
  let best = Math.max(...tried.map(({ point }) => predict(point).mean));
  while (left.length > 0) {
    const gains = left.map(({ mean, rest }) => improvement(mean - best, Math.sqrt(variance * rest)));
    const place = gains.indexOf(Math.max(...gains));
    const [picked] = left.splice(place, 1);
    if (picked === undefined) return;
    yield picked.at;
    best = Math.max(best, picked.mean);
    // A row more of the Cholesky factor. A score equal to its prediction moves no mean.
    const own = Math.sqrt(picked.rest + shape.noise);
    for (const other of left) {
      const shared = (kernel(other.point, picked.point, shape) - dot(other.row, picked.row)) / own;
      other.row.push(shared);
      other.rest = Math.max(0, other.rest - shared * shared);
    }
  }
}

/** By how much a normal variable is expected to exceed the best, at least 0. `ahead`: its mean less the best. */
function improvement(ahead: number, deviation: number): number {
  if (deviation <= 0) return Math.max(0, ahead);
  const z = ahead / deviation;
  return ahead * normalCdf(z) + (deviation * exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/** `rest`: what of the variance over the cube the scores leave open; `row`: of the Cholesky factor, were the point one of them. */
type Prediction = { readonly mean: number; rest: number; readonly row: number[] };

type Model = {
  readonly shape: Shape;
  /** Variance of scores over the cube. */
  readonly variance: number;
  readonly predict: (point: Point) => Prediction;
};

function fitted(tried: readonly Scored[]): Model {
  const dimensions = tried[0]?.point.length ?? 0;
  let shape: Shape = { lengths: new Array<number>(dimensions).fill(USUAL_LENGTH.middle), noise: 0.1 };
  let best = solved(tried, shape);
  const consider = (other: Shape): void => {
    const solution = solved(tried, other);
    if (solution.likelihood > best.likelihood) [best, shape] = [solution, other];
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let dimension = 0; dimension < dimensions; dimension += 1)
      for (const length of LENGTHS) consider({ ...shape, lengths: shape.lengths.with(dimension, length) });
    for (const noise of NOISES) consider({ ...shape, noise });
  }
  const { factor, weights, mean, variance } = best;
  const predict = (point: Point): Prediction => {
    const row = substituted(
      factor,
      tried.map((one) => kernel(point, one.point, shape)),
    );
    return { mean: mean + dot(row, weights), rest: Math.max(0, 1 - dot(row, row)), row };
  };
  return { shape, variance, predict };
}

/** `likelihood`: its logarithm with the prior of the lengths, but for a constant. */
function solved(tried: readonly Scored[], shape: Shape) {
  const mean = meanOf(tried.map(({ score }) => score));
  const factor: number[][] = [];
  let halfDeterminant = 0;
  for (const { point } of tried) {
    const row = substituted(
      factor,
      tried.slice(0, factor.length).map((one) => kernel(point, one.point, shape)),
    );
    const own = Math.sqrt(Math.max(Number.EPSILON, 1 + shape.noise - dot(row, row)));
    factor.push([...row, own]);
    halfDeterminant += ln(own);
  }
  const weights = substituted(
    factor,
    tried.map(({ score }) => score - mean),
  );
  const squares = dot(weights, weights);
  // Where all scores are equal, any scale will do.
  const variance = squares > 0 ? squares / tried.length : 1;
  const { middle, deviation } = USUAL_LENGTH;
  const unusual = shape.lengths.reduce((sum, length) => sum + (ln(length / middle) / deviation) ** 2, 0);
  const likelihood = -(tried.length * ln(variance)) / 2 - halfDeterminant - unusual / 2;
  return { factor, weights, mean, variance, likelihood };
}

/** Solves a lower triangular system, row by row. */
function substituted(factor: readonly (readonly number[])[], right: readonly number[]): number[] {
  const solution: number[] = [];
  for (const [at, row] of factor.entries()) solution.push(((right[at] ?? 0) - dot(solution, row)) / (row[at] ?? 1));
  return solution;
}

/** Over the length of `one`. */
function dot(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

/** Correlation of the scores of two points. */
function kernel(one: Point, other: Point, { lengths }: Shape): number {
  let squares = 0;
  for (const [dimension, length] of lengths.entries())
    squares += (((one[dimension] ?? 0) - (other[dimension] ?? 0)) / length) ** 2;
  const scaled = Math.sqrt(5 * squares);
  return (1 + scaled + (scaled * scaled) / 3) * exp(-scaled);
}
