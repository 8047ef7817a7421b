// A second forecast of the next print, beside the nowcast from past prints: from the market's price, or from an outside fact. Its weight is
// the one that would have left the least error over past prints (Bates and Granger 1969), less two standard errors.

import { HOUR_MS } from "../../kernel/clock.ts";
import { estimateTiming } from "../timing.ts";

/** A source's current forecast, in log prices over the last print. */
export type Said = {
  /** The source's forecast of the next print. */
  readonly next: number;
  /** The combined forecast of those before this one. */
  readonly own: number;
  /** How much of an expected move the source can show, 0 to 1. */
  readonly share: number;
  /** Limit on how far the source moves the forecast in an hour, in surprises. */
  readonly surprisesPerHour: number;
};

export type Forecast = {
  /** How far from `own` the source expects the next print, log price, followed slowly since the last print. */
  readonly apart: number;
  /** When it was last followed, monotonic ms; null: not yet since the last print. */
  readonly atMs: number | null;
  /** Since the last print: each second weighted by the square of its share, since a smaller one shows less. */
  readonly since: { readonly weight: number; readonly sum: number; readonly squares: number };
  /** Decaying sums over prints, each by its distance from `own`: its square, its product with `apart`, and the square of `apart`. */
  readonly record: { readonly prints: number; readonly own: number; readonly both: number; readonly squares: number };
};

const nothingSince = { apart: 0, atMs: null, since: { weight: 0, sum: 0, squares: 0 } } as const;

export const noForecast: Forecast = { ...nothingSince, record: { prints: 0, own: 0, both: 0, squares: 0 } };

/** Below this share a source shows too little of the next print. */
const SHARE_MIN = 0.2;
/** No source, however wrong, moves the forecast further than so many surprises from the last print. */
const SURPRISES_MAX = 3;
/** A print counts for at most so many surprises. */
const SURPRISE_MOST = 4;
/** About a hundred prints count. */
const KEPT = 0.99;
const PRINTS_MIN = 10;
/** Standard errors taken off the weight. */
const STANDARD_ERRORS = 2;

/** Follows the source at monotonic `nowMs`. `surprise`: how far a print typically is from the nowcast, in log price. */
export function followForecast(state: Forecast, said: Said, surprise: number, nowMs: number): Forecast {
  const { atMs, apart, since } = state;
  if (said.share < SHARE_MIN) return atMs === null ? state : { ...state, atMs: null };
  if (atMs === null) return { ...state, atMs: nowMs };
  const seconds = Math.min((nowMs - atMs) / 1000, estimateTiming.bookUnseenMaxSec);
  if (seconds < estimateTiming.marketSampleSec) return state;
  const next = clamp(said.next, Math.max(SURPRISES_MAX * surprise, Math.abs(said.own)));
  const most = (said.surprisesPerHour * surprise * seconds * 1000) / HOUR_MS;
  const followed = apart + clamp(next - said.own - apart, most);
  const weight = seconds * said.share ** 2;
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

/** The source has no forecast now, so nothing moves. Its forecasts since the last print are still judged by the next one. */
export const restForecast = (state: Forecast): Forecast =>
  state.atMs === null && state.apart === 0 ? state : { ...state, apart: 0, atMs: null };

/** Judges the source by a print at log distance `missed` from `own`, null if nothing was predicted, and starts over for the next one. */
export function judgeForecast(state: Forecast, missed: number | null, surprise: number): Forecast {
  const { since, record } = state;
  if (missed === null || since.weight === 0) return { ...nothingSince, record };
  const own = clamp(missed, SURPRISE_MOST * surprise);
  return {
    ...nothingSince,
    record: {
      prints: record.prints + 1,
      own: KEPT * record.own + own ** 2,
      both: KEPT * record.both + (own * since.sum) / since.weight,
      squares: KEPT * record.squares + since.squares / since.weight,
    },
  };
}

/** Mean square error of the source's forecast, in log price; null before the first print. */
export const forecastErrorSquare = ({ record: { prints, own, both, squares } }: Forecast): number | null =>
  prints === 0 ? null : (own - 2 * both + squares) / weighed(prints);

/**
 * Returns how much of `apart` moves the nowcast, 0 to 1. For forecasts with mean squared errors a and b and covariance c, the second has
 * the weight (a - c) / (a + b - 2c): here the mean of `both` over that of `squares`.
 */
export function forecastWeight({ record: { prints, own, both, squares } }: Forecast): number {
  if (prints < PRINTS_MIN || squares === 0) return 0;
  const standardError = Math.sqrt((own * squares) / weighed(prints));
  return Math.min(1, Math.max(0, (both - STANDARD_ERRORS * standardError) / squares));
}

/** How much of the weight is observed, 0 to 1. */
export const forecastDataShare = ({ record: { prints } }: Forecast): number => Math.min(1, prints / PRINTS_MIN);

/** How far the source moves the nowcast, log price. */
export const forecastShift = (state: Forecast): number => forecastWeight(state) * state.apart;

/** The weight of so many prints in the sums. */
const weighed = (prints: number): number => (1 - KEPT ** prints) / (1 - KEPT);

const clamp = (value: number, most: number): number => Math.min(most, Math.max(-most, value));
