// Models of an index that averages over a window of prints: a return that enters the average leaves it one window later. Each model is a
// seasonal moving average, (1 - phi B) r = (1 + theta B)(1 + window B^lag) e with the surprises e (Box and Jenkins 1970, chapter 9). The
// grid is fixed: nothing in it is fitted to one series.

import { exp } from "../../kernel/real.ts";

const LAGS = Array.from({ length: 27 }, (_, at) => 4 + at);
/** Share of a return that leaves the average one window later. */
const WINDOWS = [-0.5, -0.7, -0.85] as const;
const PERSISTENCES = [0.9, 0.97, 0.99] as const;
const SMOOTHINGS = [0, -0.2, -0.4, -0.6] as const;
const LAG_MAX = 30;

/** A filter removes one window from the returns: f = r - window f[lag ago]. Models of all persistences and smoothings share it. */
type Filter = { readonly lag: number; readonly window: number; readonly from: number };

const filters: readonly Filter[] = LAGS.flatMap((lag) => WINDOWS.map((window) => ({ lag, window }))).map(
  (each, at, all) => ({ ...each, from: all.slice(0, at).reduce((sum, { lag }) => sum + lag, 0) }),
);
const VALUES = filters.reduce((sum, { lag }) => sum + lag, 0);
const MODELS_PER_FILTER = PERSISTENCES.length * SMOOTHINGS.length;
const MODELS = filters.length * MODELS_PER_FILTER;

/** Each number has four bytes, rounded the same on every machine: the ledger writes all of them once a minute. */
export type SeasonalAverages = {
  /** Number of returns so far, unseen ones included: gives the place in each filter. */
  readonly returns: number;
  /** The newest values of each filter, a ring of its lag each. */
  readonly filtered: Float32Array;
  /** The newest surprise of each model, in log price. */
  readonly surprises: Float32Array;
  /** The log of the weight of each model. */
  readonly scores: Float32Array;
};

export const noAverages: SeasonalAverages = {
  returns: 0,
  filtered: new Float32Array(VALUES),
  surprises: new Float32Array(MODELS),
  scores: new Float32Array(MODELS),
};

/** Trailing the best other model by so much gives 0.03 % of its weight: what has learned nothing yet must not outweigh the others. */
const ENTRY = -8;

/** Averages that start where other models have already learned; `best`: the largest of their scores. */
export const enteringAverages = (best: number): SeasonalAverages => ({
  ...noAverages,
  scores: noAverages.scores.map(() => best + ENTRY),
});

/** Models whose weight is below e^-20 of the largest count for nothing. */
const NEGLIGIBLE = -20;

/** `log`: the return; `counted`: the part that the filters take; `scoreAfter`: the next score, from the last one and the model's error. */
export type ObservedReturn = {
  readonly log: number;
  readonly counted: number;
  readonly scoreAfter: (score: number, error: number) => number;
};

export function observeAverages(
  state: SeasonalAverages,
  { log, counted, scoreAfter }: ObservedReturn,
): SeasonalAverages {
  const { returns } = state;
  const filtered = state.filtered.slice();
  const surprises = new Float32Array(MODELS);
  const scores = new Float32Array(MODELS);
  let model = 0;
  for (const { lag, window, from } of filters) {
    const place = from + (returns % lag);
    const last = newestOf(state, from, lag);
    const leaving = window * (filtered[place] ?? 0);
    const value = counted - leaving;
    for (const persistence of PERSISTENCES)
      for (const smoothing of SMOOTHINGS) {
        const kept = persistence * last + smoothing * (state.surprises[model] ?? 0);
        scores[model] = scoreAfter(state.scores[model] ?? 0, log - leaving - kept);
        surprises[model] = value - kept;
        model += 1;
      }
    filtered[place] = value;
  }
  return { returns: returns + 1, filtered, surprises, scores };
}

/**
 * Skips unseen returns: each counts as the `expected` one, oldest first. If more pass than the longest window holds, the filters start
 * over.
 */
export function skipAverages(state: SeasonalAverages, expected: readonly number[], returns: number): SeasonalAverages {
  if (returns > LAG_MAX) return { ...noAverages, scores: state.scores };
  let skipped = state;
  for (let at = 0; at < returns; at += 1) {
    const log = expected[at] ?? 0;
    skipped = observeAverages(skipped, { log, counted: log, scoreAfter: (score) => score });
  }
  return skipped;
}

const newestOf = ({ filtered, returns }: SeasonalAverages, from: number, lag: number): number =>
  filtered[from + ((returns + lag - 1) % lag)] ?? 0;

export function bestAverage({ scores }: SeasonalAverages): number {
  let best = Number.NEGATIVE_INFINITY;
  for (const score of scores) if (score > best) best = score;
  return best;
}

/** Means over the models of exp(score - best), and of that times each one's expected next `steps` returns, in log price. */
export function weighedAverages(
  state: SeasonalAverages,
  best: number,
  steps: number,
): { readonly path: Float64Array; readonly weight: number } {
  const path = new Float64Array(steps);
  const values = new Float64Array(steps);
  const next = new Float64Array(PERSISTENCES.length);
  let weight = 0;
  for (const [at, filter] of filters.entries()) {
    const ofFilter = weighedNext(state, filter, at * MODELS_PER_FILTER, best, next);
    if (ofFilter === 0) continue;
    weight += ofFilter;
    valuesAhead(next, values);
    addReturns(state, filter, ofFilter, values, path);
  }
  return { path: path.map((sum) => sum / MODELS), weight: weight / MODELS };
}

/** Writes a filter's weighted next values by persistence to `next`; returns the weight of its models, which begin at number `model`. */
function weighedNext(
  state: SeasonalAverages,
  { from, lag }: Filter,
  model: number,
  best: number,
  next: Float64Array,
): number {
  const { scores, surprises } = state;
  const last = newestOf(state, from, lag);
  let weights = 0;
  let at = model;
  for (const [row, persistence] of PERSISTENCES.entries()) {
    let sum = 0;
    for (const smoothing of SMOOTHINGS) {
      const behind = (scores[at] ?? 0) - best;
      if (behind > NEGLIGIBLE) {
        const weight = exp(behind);
        weights += weight;
        sum += weight * (persistence * last + smoothing * (surprises[at] ?? 0));
      }
      at += 1;
    }
    next[row] = sum;
  }
  return weights;
}

/** Without surprises a value is `persistence` times the one before. */
function valuesAhead(next: Float64Array, values: Float64Array): void {
  for (let step = 0; step < values.length; step += 1) {
    let sum = 0;
    for (const [row, persistence] of PERSISTENCES.entries()) {
      const value = next[row] ?? 0;
      sum += value;
      next[row] = persistence * value;
    }
    values[step] = sum;
  }
}

/** A return is the filter's value plus what leaves the window: the value `lag` ago, from the ring or, further ahead, an expected one. */
function addReturns(
  { filtered, returns }: SeasonalAverages,
  { lag, window, from }: Filter,
  weight: number,
  values: Float64Array,
  path: Float64Array,
): void {
  for (let step = 0; step < path.length; step += 1) {
    const left = step < lag ? weight * (filtered[from + ((returns + step) % lag)] ?? 0) : (values[step - lag] ?? 0);
    path[step] = (path[step] ?? 0) + (values[step] ?? 0) + window * left;
  }
}
