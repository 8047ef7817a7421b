// Predicts the next log return of an index as the average of simple models, each weighted by how well it predicted so far. Each model
// is an ARMA(1,1): the return that it expects decays toward zero and takes up a share of every surprise. The bank holds the random
// walk, autoregressions and slowly changing drifts, and nothing in it is fitted to one series.

import { exp, ln } from "../../kernel/real.ts";

/** `persistence` of the expected return from print to print; `gain`: how much of a surprise it takes up. */
type Model = { readonly persistence: number; readonly gain: number };

const PERSISTENCES = [0.3, 0.6, 0.8, 0.9, 0.97] as const;
/** 1 makes an autoregression of lag one; less smooths noise in the prints; more is what an index over a moving window shows. */
const GAINS = [0.1, 0.25, 0.5, 1, 1.3] as const;
const RANDOM_WALK: Model = { persistence: 0, gain: 0 };
const REVERTING: Model = { persistence: -0.3, gain: 1 };
const models: readonly Model[] = [
  RANDOM_WALK,
  REVERTING,
  ...PERSISTENCES.flatMap((persistence) => GAINS.map((gain) => ({ persistence, gain }))),
];

export type ReturnModels = {
  /** What each model expects of the next return, in log price, and the log of its weight. */
  readonly expected: readonly number[];
  readonly scores: readonly number[];
  /** The average of what they expect. */
  readonly predicted: number;
  /** Standard deviation of the surprises if they were normal, in log price. */
  readonly deviation: number;
  /** How many deviations hold 95 % of the surprises: found by counting those that lay outside. */
  readonly reach: number;
  readonly seen: number;
};

/** Weight of past scores: about a hundred returns count, so that another regime is found out. */
const KEPT = 0.99;
/** The newest surprise has at least this weight in the deviation: about twenty count. */
const DEVIATION_GAIN = 0.05;
const DEVIATION = { prior: 0.0005, priorReturns: 3, floor: 0.000_01 } as const;
/** A normal deviation over the mean of its absolute values. */
const DEVIATION_OVER_MEAN = 1.2533;
/** A surprise counts at most as one of so many deviations: one wrong print must not outweigh the rest. */
const SURPRISE_MAX = 4;
/** Student t in place of a normal law: a model is not dropped for one surprise. */
const FREEDOM = 4;
/** A surprise outside the band widens it by 19 steps, one inside narrows it by one: it rests where 5 % lie outside. */
const REACH = { prior: 2.4, least: 1, most: 10, step: 0.01 } as const;
const COVERED = 0.95;

export const noReturns: ReturnModels = {
  expected: models.map(() => 0),
  scores: models.map(() => 0),
  predicted: 0,
  deviation: DEVIATION.prior,
  reach: REACH.prior,
  seen: 0,
};

/** Takes the log return from one print to the next. */
export function observeReturn(state: ReturnModels, observed: number): ReturnModels {
  const surprise = Math.abs(observed - state.predicted);
  const most = SURPRISE_MAX * state.deviation;
  const gain = Math.max(DEVIATION_GAIN, 1 / (state.seen + DEVIATION.priorReturns));
  const missing = DEVIATION_OVER_MEAN * Math.min(surprise, most) - state.deviation;
  const deviation = Math.max(DEVIATION.floor, state.deviation + gain * missing);
  const errors = state.expected.map((expected) => observed - expected);
  const expected = models.map(({ persistence, gain: share }, at) => {
    const error = Math.min(most, Math.max(-most, errors[at] ?? 0));
    return persistence * ((state.expected[at] ?? 0) + share * error);
  });
  const scores = state.scores.map((score, at) => KEPT * score + logLikelihood((errors[at] ?? 0) / deviation));
  return {
    expected,
    scores,
    predicted: average(expected, scores),
    deviation,
    reach: reachAfter(state.reach, surprise > state.reach * state.deviation),
    seen: state.seen + 1,
  };
}

/** Lets prints pass unseen: what is expected fades as far as it would have without a surprise. */
export function skipReturns(state: ReturnModels, returns: number): ReturnModels {
  const expected = models.map(({ persistence }, at) => persistence ** returns * (state.expected[at] ?? 0));
  return { ...state, expected, predicted: average(expected, state.scores) };
}

/** Half-width of the band that holds 95 % of the surprises, in log price. */
export const band95 = ({ reach, deviation }: ReturnModels): number => reach * deviation;

const logLikelihood = (error: number): number => (-(FREEDOM + 1) / 2) * ln(1 + (error * error) / FREEDOM);

function reachAfter(reach: number, isOutside: boolean): number {
  const step = isOutside ? (COVERED / (1 - COVERED)) * REACH.step : -REACH.step;
  return Math.min(REACH.most, Math.max(REACH.least, reach + step));
}

/** Weighted by the exponentials of the scores. */
function average(values: readonly number[], scores: readonly number[]): number {
  const best = Math.max(...scores);
  let sum = 0;
  let weights = 0;
  for (const [at, value] of values.entries()) {
    const weight = exp((scores[at] ?? best) - best);
    sum += weight * value;
    weights += weight;
  }
  return sum / weights;
}
