// Volatility of the mid: exponentially weighted mean of squared log returns per second. Sampled no faster than a second, since
// faster moves are the spread bouncing, not the price moving.

import { exp, ln } from "../../kernel/real.ts";

export type Volatility = {
  /** The last sample; null before the first. */
  readonly last: { readonly mid: number; readonly atMs: number } | null;
  /** Weighted sums: squared log returns, and the seconds that they took. */
  readonly squares: number;
  readonly seconds: number;
  readonly samples: number;
};

const SAMPLE_MS = 1000;
const HALF_LIFE_SEC = 3600;
/** What a move may always count for, bps per square root second: without it a mid that has never moved never could. */
const LEAST_BPS = 10;
/** Fewer samples than this say nothing yet. */
const SAMPLES_MIN = 20;

export const noVolatility: Volatility = { last: null, squares: 0, seconds: 0, samples: 0 };

/** Takes the mid in USD at monotonic `nowMs`. One move counts at most as much as all before it: a single leap is no volatility. */
export function observeMid(state: Volatility, mid: number, nowMs: number): Volatility {
  const { last } = state;
  if (!Number.isFinite(mid) || mid <= 0) return state;
  if (last === null) return { ...state, last: { mid, atMs: nowMs } };
  const elapsedMs = nowMs - last.atMs;
  if (elapsedMs < SAMPLE_MS) return state;
  const seconds = elapsedMs / 1000;
  const kept = exp((-ln(2) * seconds) / HALF_LIFE_SEC);
  const before = kept * state.squares;
  const most = before + (LEAST_BPS / 10_000) ** 2 * seconds;
  return {
    last: { mid, atMs: nowMs },
    squares: before + Math.min(ln(mid / last.mid) ** 2, most),
    seconds: kept * state.seconds + seconds,
    samples: state.samples + 1,
  };
}

/** Basis points per square root second; null until there are enough samples. */
export function volatilityBps({ samples, squares, seconds }: Volatility): number | null {
  return samples < SAMPLES_MIN ? null : 10_000 * Math.sqrt(squares / seconds);
}
