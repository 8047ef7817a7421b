// The next print, predicted from the last ones. House-price indices are smoothed, so their log returns follow each other: an
// autoregression of lag one (0.76 to 0.84 on real series) is right where the last print alone is wrong by a known amount.

import { exp, ln } from "../../kernel/real.ts";

/** A price in USD, and when it expires. */
type Print = { readonly usd: number; readonly validUntilSec: number };

export type Nowcast = {
  /** The last print; null before the first. */
  readonly last: Print | null;
  /** A later one, far from it, that no other print has confirmed; null: there is none. */
  readonly leap: Print | null;
  readonly lastReturn: number | null;
  /** Weighted sums over consecutive returns: product of each with the one before, and square of the one before. */
  readonly product: number;
  readonly square: number;
  readonly weight: number;
  /** The newest surprises, oldest first, without their sign: log of a print over what was predicted. */
  readonly surprises: readonly number[];
  readonly prints: number;
};

/** Weight of a past print: about 33 count. */
const KEPT = 0.97;
const SURPRISES_KEPT = 31;
const PRINTS_MIN = 3;
/** Before much was seen: the autocorrelation of a national series, weighing as much as ten returns. */
const PRIOR = { autocorrelation: 0.76, returns: 10 } as const;
const AUTOCORRELATION_MAX = 0.95;
/** No prediction moves further than this many deviations: a wrong print must not be run after. */
const REACH_DEVIATIONS = 3;
/** A move further than this many deviations says where the index stands, and nothing of how its returns follow each other. */
const LEAP_DEVIATIONS = 8;
/** Deviation of a print, basis points: until so many prints were seen, and at least. Equal prints in a row are not certainty. */
const DEVIATION_BPS = { prior: 20, prints: 10, floor: 10 } as const;
/** A normal deviation over the median of its absolute values: half of the prints may be wrong and hardly move it. */
const DEVIATION_OVER_MEDIAN = 1.4826;

export const noNowcast: Nowcast = {
  last: null,
  leap: null,
  lastReturn: null,
  product: 0,
  square: 0,
  weight: 0,
  surprises: [],
  prints: 0,
};

/**
 * Takes a print. The same print heard again, from a frame and from a read, is one. A leap teaches nothing until the next print is near
 * it: one that returns was never a print of this series, and must not widen what counts as typical.
 */
export function observePrint(state: Nowcast, usd: number, validUntilSec: number): Nowcast {
  const { last, leap } = state;
  const print = { usd, validUntilSec };
  if (!Number.isFinite(usd) || usd <= 0 || isSame(print, last) || isSame(print, leap)) return state;
  if (last === null || isNear(state, print, last)) return learn({ ...state, leap: null }, print);
  if (leap === null || !isNear(state, print, leap)) return { ...state, leap: print };
  return learn(learn({ ...state, leap: null }, leap), print);
}

const isSame = (a: Print, b: Print | null): boolean => a.usd === b?.usd && a.validUntilSec === b.validUntilSec;

const isNear = (state: Nowcast, a: Print, b: Print): boolean =>
  Math.abs(ln(a.usd / b.usd)) <= LEAP_DEVIATIONS * deviation(state);

function learn(state: Nowcast, print: Print): Nowcast {
  const { last, lastReturn } = state;
  const prints = state.prints + 1;
  if (last === null) return { ...state, last: print, prints };
  const change = ln(print.usd / last.usd);
  const surprise = Math.abs(ln(print.usd / (nowcastUsd(state) ?? last.usd)));
  const surprises = [...state.surprises, surprise].slice(-SURPRISES_KEPT);
  const seen = { ...state, last: print, surprises, prints };
  if (!isNear(state, print, last)) return { ...seen, lastReturn: null };
  return {
    ...seen,
    lastReturn: change,
    product: KEPT * state.product + (lastReturn === null ? 0 : change * lastReturn),
    square: KEPT * state.square + (lastReturn === null ? 0 : lastReturn ** 2),
    weight: KEPT * state.weight + (lastReturn === null ? 0 : 1),
  };
}

/** Predicted next print in USD; null until there are enough prints, and while the newest is an unconfirmed leap. */
export function nowcastUsd(state: Nowcast): number | null {
  const { last, leap, lastReturn, prints } = state;
  if (last === null || leap !== null || lastReturn === null || prints < PRINTS_MIN) return null;
  const furthest = REACH_DEVIATIONS * deviation(state);
  const predicted = autocorrelation(state) * lastReturn;
  return last.usd * exp(Math.min(furthest, Math.max(-furthest, predicted)));
}

/** The print deviation in basis points: how far a print typically is from what was predicted. */
export const printDeviationBps = (state: Nowcast): number => 10_000 * deviation(state);

/** In log price. */
function deviation({ surprises, prints }: Nowcast): number {
  if (prints < DEVIATION_BPS.prints) return DEVIATION_BPS.prior / 10_000;
  const median = surprises.toSorted((a, b) => a - b)[surprises.length >> 1] ?? 0;
  return Math.max(DEVIATION_BPS.floor / 10_000, DEVIATION_OVER_MEDIAN * median);
}

/** Lag-one autocorrelation of the returns, shrunk to the prior. */
function autocorrelation({ product, square, weight }: Nowcast): number {
  const typical = weight > 0 ? square / weight : 0;
  if (typical === 0) return PRIOR.autocorrelation;
  const prior = PRIOR.returns * typical;
  const estimate = (product + prior * PRIOR.autocorrelation) / (square + prior);
  return Math.min(AUTOCORRELATION_MAX, Math.max(-AUTOCORRELATION_MAX, estimate));
}
