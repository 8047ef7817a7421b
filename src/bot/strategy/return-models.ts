// Predicts the next log returns of an index as the average of simple models, each weighted by how well it predicted so far. Half of the
// prior weight is on ARMA(1,1) models, in which the expected return decays toward zero and absorbs a share of every surprise: the random
// walk, autoregressions and slowly changing drifts. The other half is on seasonal moving averages. Nothing is fitted to one series.

import { exp, ln } from "../../kernel/real.ts";
import {
  bestAverage,
  noAverages,
  observeAverages,
  type SeasonalAverages,
  skipAverages,
  weighedAverages,
} from "./seasonal-averages.ts";

/** `persistence` of the expected return from print to print; `gain`: the share of a surprise that it absorbs. */
type Model = { readonly persistence: number; readonly gain: number };

const PERSISTENCES = [0.3, 0.6, 0.8, 0.9, 0.97] as const;
/** 1 makes an autoregression of lag one; less smooths noise in the prints; an index over a moving window shows more. */
const GAINS = [0.1, 0.25, 0.5, 1, 1.3] as const;
const RANDOM_WALK: Model = { persistence: 0, gain: 0 };
const REVERTING: Model = { persistence: -0.3, gain: 1 };
const models: readonly Model[] = [
  RANDOM_WALK,
  REVERTING,
  ...PERSISTENCES.flatMap((persistence) => GAINS.map((gain) => ({ persistence, gain }))),
];

export type ReturnModels = {
  /** The next return that each ARMA(1,1) expects, in log price, and the log of its weight. */
  readonly expected: readonly number[];
  readonly scores: readonly number[];
  readonly averages: SeasonalAverages;
  /** The next returns that all models together expect, in log price, the next one first. */
  readonly path: readonly number[];
  readonly fading: Fading;
  /** Standard deviation of the surprises if they were normal, in log price. */
  readonly deviation: number;
  /** Deviations that hold 95 % of the surprises, found by counting those outside. */
  readonly reach: number;
  readonly seen: number;
};

/**
 * Models are weighted by their next return, but for some indices the bank expects too much further ahead: its expectation of the return
 * after the next one is compared with the actual return. Decaying sums: the product of both, and the square of the expectation.
 */
type Fading = {
  /** The expectation, one print before the last, of the next return; and, at the last print, of the one after that. */
  readonly due: number;
  readonly second: number;
  readonly both: number;
  readonly square: number;
};

/** Returns in a path. */
export const PRINTS_AHEAD = 20;
/**
 * Weights before the first print: of all ARMA(1,1) (the averages have the rest), and of the random walk among them. Many models are nearly
 * one: with equal weights an index without memory would be predicted 0.5 % worse than by its last print.
 */
const PRIOR = { arma: 0.5, randomWalk: 0.25 } as const;
const priorOf = (model: Model): number =>
  PRIOR.arma * (model === RANDOM_WALK ? PRIOR.randomWalk : (1 - PRIOR.randomWalk) / (models.length - 1));
/** The path fades by the observed ratio, less so many standard errors. */
const FADING_ERRORS = 0.5;
/** Decay of past scores: about a hundred returns count, so that a new regime is detected. */
const KEPT = 0.99;
/** The newest surprise has at least this weight in the deviation: about twenty count. */
const DEVIATION_GAIN = 0.05;
const DEVIATION = { prior: 0.0005, priorReturns: 3, floor: 0.000_01 } as const;
/** A normal deviation over the mean of its absolute values. */
const DEVIATION_OVER_MEAN = 1.2533;
/** A surprise counts at most as so many deviations: one wrong print must not outweigh the rest. */
const SURPRISE_MAX = 4;
/** More for an average: a true surprise later leaves it in full, and a clipped part would be missed twice. */
const AVERAGED_MAX = 6;
/** Student's t instead of a normal law: a model is not dropped for one surprise. */
const FREEDOM = 4;
/** A surprise outside the band widens it by 19 steps, one inside narrows it by one: it rests where 5 % are outside. */
const REACH = { prior: 2.4, least: 1, most: 10, step: 0.01 } as const;
const COVERED = 0.95;

export const noReturns: ReturnModels = {
  expected: models.map(() => 0),
  scores: models.map(() => 0),
  averages: noAverages,
  fading: { due: 0, second: 0, both: 0, square: 0 },
  path: Array.from({ length: PRINTS_AHEAD }, () => 0),
  deviation: DEVIATION.prior,
  reach: REACH.prior,
  seen: 0,
};

/** The next return that all models together expect, in log price. */
export const predictedReturn = ({ path }: Pick<ReturnModels, "path">): number => path[0] ?? 0;

/** Takes the log return from one print to the next. */
export function observeReturn(state: ReturnModels, observed: number): ReturnModels {
  const predicted = predictedReturn(state);
  const surprise = Math.abs(observed - predicted);
  const most = SURPRISE_MAX * state.deviation;
  const gain = Math.max(DEVIATION_GAIN, 1 / (state.seen + DEVIATION.priorReturns));
  const missing = DEVIATION_OVER_MEAN * Math.min(surprise, most) - state.deviation;
  const deviation = Math.max(DEVIATION.floor, state.deviation + gain * missing);
  const scoreAfter = (score: number, error: number): number => KEPT * score + logLikelihood(error / deviation);
  const errors = state.expected.map((expected) => observed - expected);
  const expected = models.map(({ persistence, gain: share }, at) => {
    const error = within(most, errors[at] ?? 0);
    return persistence * ((state.expected[at] ?? 0) + share * error);
  });
  const scores = state.scores.map((score, at) => scoreAfter(score, errors[at] ?? 0));
  const counted = predicted + within(AVERAGED_MAX * state.deviation, observed - predicted);
  const averages = observeAverages(state.averages, { log: observed, counted, scoreAfter });
  const reach = reachAfter(state.reach, surprise > state.reach * state.deviation);
  const fading = fadingAfter(state.fading, observed, most);
  return withPath({ expected, scores, averages, fading, deviation, reach, seen: state.seen + 1 });
}

function fadingAfter({ due, second, both, square }: Fading, observed: number, most: number): Fading {
  const seen = within(most, observed);
  const expected = within(most, due);
  return { due: second, second, both: KEPT * both + expected * seen, square: KEPT * square + expected * expected };
}

/** Returns the share of a path that is left from one print to the next, 0 to 1: the actual return per unit expected. */
function keptPerPrint({ both, square }: Fading, deviation: number): number {
  if (square === 0) return 1;
  return Math.min(1, Math.max(0, (both + FADING_ERRORS * deviation * Math.sqrt(square)) / square));
}

/** Skips unseen prints: expectations fade as they would without a surprise. */
export function skipReturns(state: ReturnModels, returns: number): ReturnModels {
  const expected = models.map(({ persistence }, at) => persistence ** returns * (state.expected[at] ?? 0));
  const averages = skipAverages(state.averages, state.path, returns);
  return withPath({ ...state, expected, averages, fading: { ...state.fading, due: 0, second: 0 } });
}

/** `state`: all but the path, which follows from the rest. */
export function withPath(state: Omit<ReturnModels, "path">): ReturnModels {
  const path = pathOf(state);
  const kept = keptPerPrint(state.fading, state.deviation);
  let share = 1;
  const faded = path.map((each, step) => {
    if (step > 0) share *= kept;
    return share * each;
  });
  return { ...state, path: faded, fading: { ...state.fading, second: path[1] ?? 0 } };
}

/** Half-width of the band that holds 95 % of the surprises, in log price. */
export const band95 = ({ reach, deviation }: ReturnModels): number => reach * deviation;

const logLikelihood = (error: number): number => (-(FREEDOM + 1) / 2) * ln(1 + (error * error) / FREEDOM);

function reachAfter(reach: number, isOutside: boolean): number {
  const step = isOutside ? (COVERED / (1 - COVERED)) * REACH.step : -REACH.step;
  return Math.min(REACH.most, Math.max(REACH.least, reach + step));
}

const within = (most: number, value: number): number => Math.min(most, Math.max(-most, value));

/** Each model weighted by its prior and the exponential of its score. */
function pathOf({
  expected,
  scores,
  averages,
}: Pick<ReturnModels, "expected" | "scores" | "averages">): readonly number[] {
  const best = Math.max(...scores, bestAverage(averages));
  const averaged = weighedAverages(averages, best, PRINTS_AHEAD);
  const sums = averaged.path.map((sum) => (1 - PRIOR.arma) * sum);
  let weights = (1 - PRIOR.arma) * averaged.weight;
  for (const [at, model] of models.entries()) {
    const weight = priorOf(model) * exp((scores[at] ?? best) - best);
    let next = weight * (expected[at] ?? 0);
    for (let step = 0; step < PRINTS_AHEAD; step += 1) {
      sums[step] = (sums[step] ?? 0) + next;
      next *= model.persistence;
    }
    weights += weight;
  }
  return Array.from(sums, (sum) => sum / weights);
}
