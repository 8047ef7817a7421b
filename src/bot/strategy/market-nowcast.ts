// The market's own forecast of the next print. Funding holds a contract near the last print, so its price shows only a share of what is
// expected; divided by that share it is a second forecast beside the one from past prints. Past prints set its weight: the one that would
// have left the least error (Bates and Granger 1969), less two standard errors.

import { HOUR_MS } from "../../kernel/clock.ts";
import { estimateTiming } from "../timing.ts";

/** Log prices over the last print: the market's, and the past prints' nowcast; `share` of an expected move that the market can show. */
export type Shown = { readonly log: number; readonly own: number; readonly share: number };

export type MarketNowcast = {
  /** How far from the nowcast of past prints the market expects the next one, log price, followed slowly since the last print. */
  readonly apart: number;
  /** When it was last followed, monotonic ms; null: not since the last print. */
  readonly atMs: number | null;
  /** Since the last print: each second weighted by the square of its share, since a smaller share shows less. */
  readonly since: { readonly weight: number; readonly sum: number; readonly squares: number };
  /** Decaying sums over prints, each by its distance from the nowcast: its square, its product with `apart`, and the square of `apart`. */
  readonly record: { readonly prints: number; readonly own: number; readonly both: number; readonly market: number };
};

const nothingSince = { apart: 0, atMs: null, since: { weight: 0, sum: 0, squares: 0 } } as const;

export const noMarketNowcast: MarketNowcast = { ...nothingSince, record: { prints: 0, own: 0, both: 0, market: 0 } };

/** Below this share the market shows too little of the next print. */
const SHARE_MIN = 0.2;
/** Whoever moves the book moves this forecast: limited to so many surprises an hour, and so many from the last print. */
const SURPRISES_PER_HOUR = 0.5;
const SURPRISES_MAX = 3;
/** A print counts for at most so many surprises. */
const SURPRISE_MOST = 4;
/** About a hundred prints count. */
const KEPT = 0.99;
const PRINTS_MIN = 10;
/** Standard errors taken off the weight. */
const STANDARD_ERRORS = 2;

/** Follows the market at monotonic `nowMs`. `surprise`: how far a print typically is from the nowcast, in log price. */
export function followMarket(state: MarketNowcast, shown: Shown, surprise: number, nowMs: number): MarketNowcast {
  const { atMs, apart, since } = state;
  if (shown.share < SHARE_MIN) return atMs === null ? state : { ...state, atMs: null };
  if (atMs === null) return { ...state, atMs: nowMs };
  const seconds = Math.min((nowMs - atMs) / 1000, estimateTiming.bookUnseenMaxSec);
  if (seconds < estimateTiming.marketSampleSec) return state;
  const implied = clamp(shown.log / shown.share, Math.max(SURPRISES_MAX * surprise, Math.abs(shown.own)));
  const most = (SURPRISES_PER_HOUR * surprise * seconds * 1000) / HOUR_MS;
  const followed = apart + clamp(implied - shown.own - apart, most);
  const weight = seconds * shown.share ** 2;
  return {
    ...state,
    apart: followed,
    atMs: nowMs,
    since: {
      weight: since.weight + weight,
      sum: since.sum + weight * followed,
      squares: since.squares + weight * followed ** 2,
    },
  };
}

/** Takes a print by its log distance from the nowcast of past prints, null if there was none, and starts over for the next one. */
export function judgeMarket(state: MarketNowcast, missed: number | null, surprise: number): MarketNowcast {
  const { since, record } = state;
  if (missed === null || since.weight === 0) return { ...nothingSince, record };
  const own = clamp(missed, SURPRISE_MOST * surprise);
  return {
    ...nothingSince,
    record: {
      prints: record.prints + 1,
      own: KEPT * record.own + own ** 2,
      both: KEPT * record.both + (own * since.sum) / since.weight,
      market: KEPT * record.market + since.squares / since.weight,
    },
  };
}

/** Mean square error of the market's forecast, in log price; null before the first print. */
export const impliedErrorSquare = ({ record: { prints, own, both, market } }: MarketNowcast): number | null =>
  prints === 0 ? null : (own - 2 * both + market) / weighed(prints);

/**
 * Returns how much of `apart` moves the nowcast, 0 to 1. For forecasts with mean squared errors a and b and covariance c, the second has
 * the weight (a - c) / (a + b - 2c): here the mean of `both` over that of `market`.
 */
export function marketWeight({ record: { prints, own, both, market } }: MarketNowcast): number {
  if (prints < PRINTS_MIN || market === 0) return 0;
  const standardError = Math.sqrt((own * market) / weighed(prints));
  return Math.min(1, Math.max(0, (both - STANDARD_ERRORS * standardError) / market));
}

/** How much of the weight is observed, 0 to 1. */
export const marketDataShare = ({ record: { prints } }: MarketNowcast): number => Math.min(1, prints / PRINTS_MIN);

/** How far the market moves the nowcast, log price. */
export const marketShift = (state: MarketNowcast): number => marketWeight(state) * state.apart;

/** The weight of so many prints in the sums. */
const weighed = (prints: number): number => (1 - KEPT ** prints) / (1 - KEPT);

const clamp = (value: number, most: number): number => Math.min(most, Math.max(-most, value));
