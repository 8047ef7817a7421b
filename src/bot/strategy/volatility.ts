// Volatility of the mid: exponentially weighted mean of squared log returns per second, over an hour, a day and a week. Sampled at most
// once a second: faster moves are bid-ask bounce, not price moves.

import { exp, ln } from "../../kernel/real.ts";
import { estimateTiming } from "../timing.ts";

/** Weighted sums: squared log returns, and their seconds. */
type Sums = { readonly squares: number; readonly seconds: number };

export type Volatility = {
  /** The last sample; null before the first. */
  readonly last: { readonly mid: number; readonly atMs: number } | null;
  readonly hour: Sums;
  readonly day: Sums;
  readonly week: Sums;
  readonly samples: number;
};

/** A move may always count up to this, bps per square root second: otherwise a mid that has never moved never could. */
const LEAST_BPS = 10;
/** Fewer samples show nothing yet. */
const SAMPLES_MIN = 20;
/** Weight, in seconds, that each of the three keeps while nothing is seen, however long that is. */
const SECONDS_LEFT = 60;
/** The usual volatility takes longer to learn. */
const USUAL_SECONDS_MIN = 3600;

const none: Sums = { squares: 0, seconds: 0 };
export const noVolatility: Volatility = { last: null, hour: none, day: none, week: none, samples: 0 };

/**
 * Takes the mid in USD at monotonic `nowMs`. After more than `estimateTiming.bookUnseenMaxSec` the path of the mid is unknown: the
 * estimates fade, and the next move counts from here.
 */
export function observeMid(state: Volatility, mid: number, nowMs: number): Volatility {
  const { last } = state;
  if (!Number.isFinite(mid) || mid <= 0) return state;
  if (last === null) return { ...state, last: { mid, atMs: nowMs } };
  const elapsedMs = nowMs - last.atMs;
  if (elapsedMs < estimateTiming.volatilitySampleMs) return state;
  if (elapsedMs > estimateTiming.bookUnseenMaxSec * 1000)
    return { ...faded(state, elapsedMs / 1000), last: { mid, atMs: nowMs } };
  const move = { square: ln(mid / last.mid) ** 2, seconds: elapsedMs / 1000 };
  return {
    last: { mid, atMs: nowMs },
    hour: add(state.hour, move, estimateTiming.volatilityHalfLifeSec.hour),
    day: add(state.day, move, estimateTiming.volatilityHalfLifeSec.day),
    week: add(state.week, move, estimateTiming.volatilityHalfLifeSec.week),
    samples: state.samples + 1,
  };
}

/** One move counts at most as much as all before it: a single leap is no volatility. */
function add(
  { squares, seconds }: Sums,
  move: { readonly square: number; readonly seconds: number },
  halfLifeSec: number,
): Sums {
  const kept = keptAfter(move.seconds, halfLifeSec);
  const before = kept * squares;
  const most = before + (LEAST_BPS / 10_000) ** 2 * move.seconds;
  return { squares: before + Math.min(move.square, most), seconds: kept * seconds + move.seconds };
}

function faded(state: Volatility, unseenSec: number): Volatility {
  const faint = ({ squares, seconds }: Sums, halfLifeSec: number): Sums => {
    const kept = Math.max(Math.min(1, SECONDS_LEFT / seconds), keptAfter(unseenSec, halfLifeSec));
    return { squares: kept * squares, seconds: kept * seconds };
  };
  const { hour, day, week } = estimateTiming.volatilityHalfLifeSec;
  return { ...state, hour: faint(state.hour, hour), day: faint(state.day, day), week: faint(state.week, week) };
}

const keptAfter = (seconds: number, halfLifeSec: number): number => exp((-ln(2) * seconds) / halfLifeSec);

/** Skips a move that must teach nothing: the next one counts from here. */
export const skipMove = (state: Volatility, mid: number, nowMs: number): Volatility => ({
  ...state,
  last: { mid, atMs: nowMs },
});

/** Basis points per square root second; null until there are enough samples. */
export const volatilityBps = ({ samples, hour }: Volatility): number | null =>
  samples < SAMPLES_MIN ? null : 10_000 * Math.sqrt(hour.squares / hour.seconds);

/** The same over a day: a quiet hour does not make a quiet market. */
export const dayVolatilityBps = ({ samples, day }: Volatility): number | null =>
  samples < SAMPLES_MIN ? null : 10_000 * Math.sqrt(day.squares / day.seconds);

/** The usual volatility, over a week, to compare today with. Null until an hour was seen. */
export const slowVolatilityBps = ({ week }: Volatility): number | null =>
  week.seconds < USUAL_SECONDS_MIN ? null : 10_000 * Math.sqrt(week.squares / week.seconds);

/** How much of their time was seen, 0 to 1: of the hour's estimate, and of the usual one. */
export const volatilityDataShares = ({ hour, week }: Volatility) => ({
  hour: seenShare(hour, estimateTiming.volatilityHalfLifeSec.hour),
  week: seenShare(week, estimateTiming.volatilityHalfLifeSec.week),
});

/** If a market is always seen, its weighted seconds approach half-life / ln 2. */
const seenShare = ({ seconds }: Sums, halfLifeSec: number): number => Math.min(1, (ln(2) * seconds) / halfLifeSec);
