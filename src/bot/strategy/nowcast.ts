// The next print, predicted from the last ones. House-price indices are smoothed, so their log returns follow each other: an
// autoregression of lag one (0.76 to 0.84 on real series) is right where the last print alone is wrong by a known amount.

import { exp, ln } from "../../kernel/real.ts";

export type Nowcast = {
  /** The last print in USD and when it expires; null before the first. */
  readonly last: { readonly usd: number; readonly validUntilSec: number } | null;
  readonly lastReturn: number | null;
  /** Weighted sums over consecutive returns: product of each with the one before, and square of the one before. */
  readonly product: number;
  readonly square: number;
  readonly weight: number;
  /** Weighted mean of squared surprises: log of a print over what was predicted. */
  readonly surprise: number | null;
  readonly prints: number;
};

/** Weight of a past print: about 33 count. */
const KEPT = 0.97;
const SURPRISE_KEPT = 0.95;
const PRINTS_MIN = 3;
/** Before much was seen: the autocorrelation of a national series, weighing as much as ten returns. */
const PRIOR = { autocorrelation: 0.76, returns: 10 } as const;
const AUTOCORRELATION_MAX = 0.95;
/** No prediction moves further than this many typical surprises: a wrong print must not be run after. */
const SURPRISES_MAX = 3;

export const noNowcast: Nowcast = {
  last: null,
  lastReturn: null,
  product: 0,
  square: 0,
  weight: 0,
  surprise: null,
  prints: 0,
};

/** Takes a print. The same print heard again, from a frame and from a read, is one. */
export function observePrint(state: Nowcast, usd: number, validUntilSec: number): Nowcast {
  const { last, lastReturn } = state;
  if (!Number.isFinite(usd) || usd <= 0) return state;
  if (last !== null && last.usd === usd && last.validUntilSec === validUntilSec) return state;
  const prints = state.prints + 1;
  if (last === null) return { ...state, last: { usd, validUntilSec }, prints };
  const change = ln(usd / last.usd);
  const surprise = ln(usd / (nowcastUsd(state) ?? last.usd)) ** 2;
  return {
    last: { usd, validUntilSec },
    lastReturn: change,
    product: KEPT * state.product + (lastReturn === null ? 0 : change * lastReturn),
    square: KEPT * state.square + (lastReturn === null ? 0 : lastReturn ** 2),
    weight: KEPT * state.weight + (lastReturn === null ? 0 : 1),
    surprise: state.surprise === null ? surprise : SURPRISE_KEPT * state.surprise + (1 - SURPRISE_KEPT) * surprise,
    prints,
  };
}

/** Predicted next print in USD; null until there are enough prints. */
export function nowcastUsd(state: Nowcast): number | null {
  const { last, lastReturn, surprise, prints } = state;
  if (last === null || lastReturn === null || surprise === null || prints < PRINTS_MIN) return null;
  const furthest = SURPRISES_MAX * Math.sqrt(surprise);
  const predicted = autocorrelation(state) * lastReturn;
  return last.usd * exp(Math.min(furthest, Math.max(-furthest, predicted)));
}

/** Lag-one autocorrelation of the returns, shrunk to the prior. */
function autocorrelation({ product, square, weight }: Nowcast): number {
  const typical = weight > 0 ? square / weight : 0;
  if (typical === 0) return PRIOR.autocorrelation;
  const prior = PRIOR.returns * typical;
  const estimate = (product + prior * PRIOR.autocorrelation) / (square + prior);
  return Math.min(AUTOCORRELATION_MAX, Math.max(-AUTOCORRELATION_MAX, estimate));
}
