// Predicts the next print from the last ones. House-price indices are smoothed, so their log returns are autocorrelated: the last print
// alone is wrong by a predictable amount. This file keeps wrong prints from doing harm; return-models.ts predicts from the returns.

import { quantile } from "../../kernel/quantile.ts";
import { exp, ln } from "../../kernel/real.ts";
import type { Surprise } from "./correlation.ts";
import { band95, noReturns, observeReturn, predictedReturn, type ReturnModels, skipReturns } from "./return-models.ts";

/** A price in USD, and when it expires. */
type Print = { readonly usd: number; readonly validUntilSec: number };

export type Nowcast = {
  /** The last print; null before the first. */
  readonly last: Print | null;
  /** A later print, far from it, that no other print has confirmed; null: none. */
  readonly leap: Print | null;
  readonly returns: ReturnModels;
  /** Absolute values of the newest surprises, oldest first: log of a print over its prediction. */
  readonly surprises: readonly number[];
  /** Signed surprises of prints that were no leaps: correlations with other indices use them. */
  readonly dated: readonly Surprise[];
  /** The newest moves from print to print, log price, oldest first. */
  readonly moves: Float32Array;
  /** How far a print typically is from its prediction, in log price: decides whether a print is a leap. */
  readonly deviation: number;
  readonly prints: number;
};

const SURPRISES_KEPT = 31;
const DATED_KEPT = 120;
export const MOVES_KEPT = 250;
/** A surprise counts for a correlation at most as so many deviations. */
const DATED_DEVIATIONS = 4;
const PRINTS_MIN = 3;
/** No prediction moves further than so many deviations, so that it does not chase a wrong print. */
const REACH_DEVIATIONS = 3;
/** A larger move shows the index's level, but nothing of how its returns follow each other. */
const LEAP_DEVIATIONS = 8;
/**
 * Deviation of a print, basis points: the prior, and the floor, since equal prints in a row are not certainty. Until so many were seen,
 * missing ones count as usual: five wrong prints of the first ten must not widen what counts as typical.
 */
const DEVIATION_BPS = { prior: 20, prints: 20, floor: 10 } as const;
/** A normal deviation over the median of its absolute values, which hardly moves even if half of the prints are wrong. */
const DEVIATION_OVER_MEDIAN = 1.4826;
/** Standard errors that hold 95 % of a normal law. */
export const NORMAL_95 = 1.96;

export const noNowcast: Nowcast = {
  last: null,
  leap: null,
  returns: noReturns,
  surprises: [],
  dated: [],
  moves: new Float32Array(0),
  deviation: DEVIATION_BPS.prior / 10_000,
  prints: 0,
};

/**
 * Takes a print. The same print from a frame and from a read counts once. A leap teaches nothing until the next print is near it: one that
 * reverts was never a print of this series, and must not widen what counts as typical. If `missing` prints are absent before it and it is
 * still no leap, it shows the level and teaches nothing: the move is not the return of one step.
 */
export function observePrint(state: Nowcast, usd: number, validUntilSec: number, missing = 0): Nowcast {
  const { last, leap } = state;
  const print = { usd, validUntilSec };
  if (!Number.isFinite(usd) || usd <= 0 || isSame(print, last) || isSame(print, leap)) return state;
  if (last !== null && missing > 0 && isNear(state, print, last, missing + 1))
    return {
      ...state,
      last: print,
      leap: null,
      returns: skipReturns(state.returns, missing + 1),
      prints: state.prints + 1,
    };
  if (last === null || isNear(state, print, last)) return learn({ ...state, leap: null }, print);
  if (leap === null || !isNear(state, print, leap)) return { ...state, leap: print };
  return learn(learn({ ...state, leap: null }, leap), print);
}

const isSame = (a: Print, b: Print | null): boolean => a.usd === b?.usd && a.validUntilSec === b.validUntilSec;

const isNear = ({ deviation }: Nowcast, a: Print, b: Print, steps = 1): boolean =>
  Math.abs(ln(a.usd / b.usd)) <= LEAP_DEVIATIONS * deviation * Math.sqrt(steps);

function learn(state: Nowcast, print: Print): Nowcast {
  const { last } = state;
  const prints = state.prints + 1;
  if (last === null) return { ...state, last: print, prints };
  const surprise = Math.abs(ln(print.usd / (nowcastUsd(state) ?? last.usd)));
  const surprises = [...state.surprises, surprise].slice(-SURPRISES_KEPT);
  const observed = ln(print.usd / last.usd);
  const moves = Float32Array.of(...state.moves.slice(1 - MOVES_KEPT), observed);
  const seen = { ...state, last: print, surprises, moves, deviation: deviationOf(surprises), prints };
  if (!isNear(state, print, last)) return seen;
  const most = DATED_DEVIATIONS * state.returns.deviation;
  const log = Math.min(most, Math.max(-most, observed - predictedReturn(state.returns)));
  const dated = [...state.dated, { validUntilSec: print.validUntilSec, log }].slice(-DATED_KEPT);
  return { ...seen, returns: observeReturn(state.returns, observed), dated };
}

/** Predicted next print in USD; null until there are enough prints, and while the newest is an unconfirmed leap. */
export function nowcastUsd({ last, leap, prints, returns, deviation }: Nowcast): number | null {
  if (last === null || leap !== null || prints < PRINTS_MIN) return null;
  const furthest = REACH_DEVIATIONS * deviation;
  return last.usd * exp(Math.min(furthest, Math.max(-furthest, predictedReturn(returns))));
}

const paths = new WeakMap<Nowcast, readonly number[]>();

/** Predicted next prints in USD, the first equal to `nowcastUsd`; null likewise. No step exceeds the limit of a prediction. */
export function nowcastPathUsd(nowcast: Nowcast): readonly number[] | null {
  let usd = nowcastUsd(nowcast);
  if (usd === null) return null;
  const known = paths.get(nowcast);
  if (known !== undefined) return known;
  const furthest = REACH_DEVIATIONS * nowcast.deviation;
  const path: number[] = [];
  for (const [step, log] of nowcast.returns.path.entries()) {
    if (step > 0) usd *= exp(Math.min(furthest, Math.max(-furthest, log)));
    path.push(usd);
  }
  paths.set(nowcast, Object.freeze(path));
  return path;
}

/** Standard error of the nowcast in basis points: 1.96 of them on each side hold 95 % of the prints, as counted so far. */
export const nowcastErrorBps = ({ returns }: Nowcast): number => (10_000 * band95(returns)) / NORMAL_95;

/** The print deviation in basis points: how far a print typically is from its prediction, with a safe floor. */
export const printDeviationBps = ({ deviation }: Pick<Nowcast, "deviation">): number => 10_000 * deviation;

/** How much of the deviations is observed, 0 to 1. */
export const deviationDataShare = ({ surprises }: Nowcast): number =>
  Math.min(1, surprises.length / DEVIATION_BPS.prints);

/** In log price. */
function deviationOf(surprises: readonly number[]): number {
  const lacking = Math.max(0, DEVIATION_BPS.prints - surprises.length);
  const usual = Array<number>(lacking).fill(DEVIATION_BPS.prior / 10_000 / DEVIATION_OVER_MEDIAN);
  const typical = quantile([...surprises, ...usual], 0.5) ?? 0;
  return Math.max(DEVIATION_BPS.floor / 10_000, DEVIATION_OVER_MEDIAN * typical);
}
