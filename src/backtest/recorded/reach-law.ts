// How many takers come and how far they reach, as an exponential law fitted by survival analysis: a taker whose size ended would have gone
// further, and one that came while the touch was far is seen only if it reached it. Own quotes are part of the touch: no bias.

import { exp, ln } from "../../kernel/real.ts";
import { studentT95 } from "../../kernel/student.ts";
import { sumOf } from "../summary.ts";
import { type ByDistance, distanceOf, indexOf, type Taker } from "./reach.ts";

/** One stretch of a session: its takers, and for how many seconds the touch was at each distance. */
export type ReachStretch = { readonly takers: readonly Taker[]; readonly touches: ByDistance };

/** Arrivals per second and side that would reach the mid; and k per USD: exp(-k x) of those reach x. */
type ReachLaw = { readonly a: number; readonly k: number };

/** Bounds of k, in usual distances of the touch. */
const K = { least: 0.01, most: 100 } as const;
/** Bisections of their logarithm: to a millionth. */
const BISECTIONS = 24;

/** Inputs of the law's likelihood, weighted sums over takers. */
type Sums = {
  readonly count: number;
  readonly reachedUsd: number;
  /** Takers that a price ended, by the distance of that price beyond their last trade. */
  readonly gaps: ByDistance;
  /** Seconds by distance of the touch. */
  readonly touches: ByDistance;
};

function sumsOf({ takers, touches }: ReachStretch, weightOf: (taker: Taker) => number): Sums {
  const gaps: ByDistance = new Map();
  let [count, reachedUsd] = [0, 0];
  for (const taker of takers) {
    const weight = weightOf(taker);
    count += weight;
    reachedUsd += weight * taker.reachedUsd;
    if (taker.endedBeforeUsd !== null) add(gaps, indexOf(taker.endedBeforeUsd - taker.reachedUsd), weight);
  }
  return { count, reachedUsd, gaps, touches };
}

const add = (to: ByDistance, index: number, amount: number): void => void to.set(index, (to.get(index) ?? 0) + amount);

function totalOf(parts: readonly Sums[]): Sums {
  const [gaps, touches]: [ByDistance, ByDistance] = [new Map(), new Map()];
  for (const part of parts) {
    for (const [index, weight] of part.gaps) add(gaps, index, weight);
    for (const [index, secs] of part.touches) add(touches, index, secs);
  }
  return {
    count: sumOf(parts, ({ count }) => count),
    reachedUsd: sumOf(parts, ({ reachedUsd }) => reachedUsd),
    gaps,
    touches,
  };
}

/**
 * Returns the law of maximum likelihood. A taker that reached x contributes a e^(-kx), times 1 - e^(-k(y-x)) where it did not pay y; the
 * time in which the touch was at t contributes e^(-a e^(-kt) seconds). Null where k is not identified, as where all takers ended inside the
 * only touch.
 */
function lawOf({ count, reachedUsd, ...sums }: Sums): ReachLaw | null {
  const touches = [...sums.touches].map(([index, secs]) => ({ usd: distanceOf(index), secs }));
  const gaps = [...sums.gaps].map(([index, weight]) => ({ usd: distanceOf(index), weight }));
  if (count <= 0 || touches.length === 0) return null;
  const nearest = Math.min(...touches.map(({ usd }) => usd));
  /** Derivative of the log likelihood in k, with the best `a` for that k. It falls as k grows. */
  const slope = (k: number): number => {
    let [open, distances] = [0, 0];
    for (const { usd, secs } of touches) {
      const part = secs * exp(-k * (usd - nearest));
      open += part;
      distances += part * usd;
    }
    let ended = 0;
    for (const { weight, usd } of gaps) ended += (weight * usd) / (exp(k * usd) - 1);
    return (count * distances) / open - reachedUsd + ended;
  };
  const usual = sumOf(touches, ({ usd, secs }) => usd * secs) / sumOf(touches, ({ secs }) => secs);
  let [low, high] = [K.least / usual, K.most / usual];
  if (slope(low) <= 0 || slope(high) >= 0) return null;
  for (let step = 0; step < BISECTIONS; step += 1) {
    const middle = Math.sqrt(low * high);
    if (slope(middle) > 0) low = middle;
    else high = middle;
  }
  const k = Math.sqrt(low * high);
  return { a: count / sumOf(touches, ({ usd, secs }) => secs * exp(-k * usd)), k };
}

/** Returns why the session does not identify the law; null: it does. */
export function whyUnidentified(stretches: readonly ReachStretch[]): string | null {
  const takers = stretches.flatMap((each) => each.takers);
  if (takers.length < TAKERS_MIN) return `${takers.length} takers came, ${TAKERS_MIN} are needed`;
  const ours = takers.filter(({ isOurs }) => isOurs).length;
  const ended = takers.filter(({ endedBeforeUsd }) => endedBeforeUsd !== null).length;
  if (ours >= OWN_FILLS_MIN || ended >= ENDED_MIN || touchSpread(stretches) >= TOUCH_MOVES_MIN) return null;
  return `the touch moved by less than ${Math.round(100 * (TOUCH_MOVES_MIN - 1))} %, ${ended} takers took all that was at a price, and ${ours} traded with us (${OWN_FILLS_MIN} are needed)`;
}

/** Fewer show nothing. */
const TAKERS_MIN = 50;
/** Needs this many takers at our own quotes, this ratio of the far to the near tenth of touches, or this many ended by a price. */
const OWN_FILLS_MIN = 200;
const TOUCH_MOVES_MIN = 1.3;
const ENDED_MIN = 50;

/** Returns the ratio of the touch distance exceeded a tenth of the time to the one exceeded nine tenths of it. */
function touchSpread(stretches: readonly ReachStretch[]): number {
  const touches = stretches.flatMap((each) => [...each.touches]).sort(([a], [b]) => a - b);
  const whole = sumOf(touches, ([, secs]) => secs);
  const at = (share: number): number => {
    let passed = 0;
    for (const [index, secs] of touches) {
      passed += secs;
      if (passed >= share * whole) return distanceOf(index);
    }
    return 1;
  };
  return at(0.9) / at(0.1);
}

/** A wider interval shows nothing: its high end over its low one. */
const WIDTH_MAX = 3;

/** Each value with its 95 % interval; null where that would be too wide. */
export type ReachFit = { readonly a: Interval95 | null; readonly k: Interval95 | null };
type Interval95 = { readonly value: number; readonly low: number; readonly high: number };

/**
 * Intervals leave out one stretch at a time (jackknife) and use Student's t in the logarithm. The covariance of successive stretches counts
 * (Newey and West, 1987, one lag). Null where the law is not identified.
 */
export function reachFit(stretches: readonly ReachStretch[], weightOf: (taker: Taker) => number): ReachFit | null {
  const parts = stretches.map((each) => sumsOf(each, weightOf));
  const law = lawOf(totalOf(parts));
  if (law === null) return null;
  const count = parts.length;
  const others = parts.flatMap((left) => lawOf(totalOf(parts.filter((each) => each !== left))) ?? []);
  if (others.length < count) return null;
  const intervalOf = (of: (law: ReachLaw) => number): Interval95 | null => {
    const logs = others.map((each) => ln(of(each)));
    const mean = sumOf(logs, (each) => each) / count;
    const off = logs.map((each) => each - mean);
    const squares = sumOf(off, (each) => each ** 2);
    const shared = off.reduce((sum, each, at) => sum + each * (off[at + 1] ?? 0), 0);
    const error = Math.sqrt(((count - 1) / count) * (squares + 2 * Math.max(0, shared)));
    const factor = exp(studentT95(count - 1) * error);
    const value = of(law);
    return factor ** 2 > WIDTH_MAX ? null : { value, low: value / factor, high: value * factor };
  };
  const k = intervalOf((each) => each.k);
  return { a: k === null ? null : intervalOf((each) => each.a), k };
}
