// Outside facts as forecasts of the next print. A fact may have any unit: its level relative to the last prints is subtracted. The
// forecasts form a chain: each is judged by what those before it leave unexplained, so that two facts with the same information count once.

import type { OutsideFact } from "../../domain/outside.ts";
import { type Fact, fresh } from "../../domain/view.ts";
import { DAY_MS, HOUR_MS } from "../../kernel/clock.ts";
import { ln } from "../../kernel/real.ts";
import {
  type Forecast,
  followForecast,
  forecastShift,
  forecastWeight,
  judgeForecast,
  noForecast,
  restForecast,
} from "./forecast.ts";

export type OutsideForecast = {
  readonly forecast: Forecast;
  /** Log of the value before a print over that print, smoothed over prints; null before the first. */
  readonly basis: number | null;
  /** Log of the newest value since the last print; null: none was fresh. */
  readonly lastLog: number | null;
  /** The fact is fresh. */
  readonly isFresh: boolean;
};

/** By name, in the order of the chain. */
export type OutsideForecasts = Readonly<Record<string, OutsideForecast>>;
export type OutsideFacts = Readonly<Record<string, Fact<OutsideFact>>>;

export const noOutside: OutsideForecasts = {};

const unheard: OutsideForecast = { forecast: noForecast, basis: null, lastLog: null, isFresh: false };

/**
 * Share of the newest print in the basis. Half is near the best both for a source that estimates the next print, with errors that do not
 * last, and for one that moves with it at a wandering distance: at most 15 % more error than the best share for either.
 */
const BASIS_GAIN = 0.5;
/** A fact moves the nowcast by at most so many surprises in the time between two prints. */
const SURPRISES_PER_PRINT = 12;

/** `lastUsd`: the last print. `own`: log of the nowcast's and market's forecast over the last print. `everyMs`: from print to print. */
type Beside = {
  readonly lastUsd: number;
  readonly own: number;
  readonly surprise: number;
  readonly everyMs: number;
};

/** Follows all facts at monotonic `nowMs`. */
export function followOutside(
  states: OutsideForecasts,
  facts: OutsideFacts,
  { lastUsd, own, surprise, everyMs }: Beside,
  nowMs: number,
): OutsideForecasts {
  const names = [...new Set([...Object.keys(states), ...Object.keys(facts)])];
  if (names.length === 0) return states;
  const surprisesPerHour = (SURPRISES_PER_PRINT * HOUR_MS) / (everyMs > 0 ? everyMs : DAY_MS);
  let before = own;
  const followed = names.map((name): [string, OutsideForecast] => {
    const state = states[name] ?? unheard;
    const fact = facts[name];
    const heard = fact === undefined ? undefined : fresh(fact);
    if (heard === undefined) return [name, changed(state, { forecast: restForecast(state.forecast), isFresh: false })];
    const lastLog = ln(heard.value);
    if (state.basis === null) return [name, changed(state, { lastLog, isFresh: true })];
    const said = { next: lastLog - ln(lastUsd) - state.basis, own: before, share: 1, surprisesPerHour };
    const forecast = followForecast(state.forecast, said, surprise, nowMs);
    before += forecastShift(forecast);
    return [name, changed(state, { forecast, lastLog, isFresh: true })];
  });
  return followed.every(([name, state]) => state === states[name]) ? states : Object.fromEntries(followed);
}

/** Returns the same object where nothing changes. */
function changed(state: OutsideForecast, to: Partial<OutsideForecast>): OutsideForecast {
  const next = { ...state, ...to };
  const isSame = next.forecast === state.forecast && next.lastLog === state.lastLog && next.isFresh === state.isFresh;
  return isSame ? state : next;
}

/** Judges all facts by a print at log distance `missed` from nowcast and market; null: nothing was predicted, and nothing is learned. */
export function judgeOutside(
  states: OutsideForecasts,
  { usd, missed }: { readonly usd: number; readonly missed: number | null },
  surprise: number,
): OutsideForecasts {
  let left = missed;
  const judged = Object.entries(states).map(([name, state]): [string, OutsideForecast] => {
    const { forecast, basis, lastLog } = state;
    const next = { ...state, forecast: judgeForecast(forecast, left, surprise), lastLog: null };
    if (left === null) return [name, next];
    left -= forecastShift(forecast);
    if (lastLog === null) return [name, next];
    const beside = lastLog - ln(usd);
    return [name, { ...next, basis: basis === null ? beside : basis + BASIS_GAIN * (beside - basis) }];
  });
  return judged.length === 0 ? states : Object.fromEntries(judged);
}

/** How far all facts together move the nowcast, log price; null: none counts. */
export function outsideShift(states: OutsideForecasts): number | null {
  const weights = Object.values(states).filter((state) => outsideWeight(state) > 0);
  return weights.length === 0 ? null : weights.reduce((sum, { forecast }) => sum + forecastShift(forecast), 0);
}

/** Weight of a fact in fair value, 0 to 1; 0 while it is not fresh. */
export const outsideWeight = ({ forecast, isFresh }: OutsideForecast): number =>
  isFresh ? forecastWeight(forecast) : 0;
