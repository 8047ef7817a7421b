// How much more, or less, than its formula a skew must lean to give the inventory the wanted deviation: takers come in trends, and fills
// fall off otherwise than assumed. By the formulas the variance is one over the skew; where it is not, this finds the skew.

import type { Lean } from "../../domain/quotes.ts";
import { exp, ln } from "../../kernel/real.ts";
import { estimateTiming } from "../timing.ts";

export type SkewScale = {
  /** The weighted mean of the squared deviation over the wanted one, times its scale at the time. */
  readonly scale: number;
  /** Seconds of data, including the prior's. */
  readonly seconds: number;
  readonly priorSeconds: number;
  /** The last look; null while nothing counts. */
  readonly lastMs: number | null;
};

/** Weight of the start, in seconds. */
const PRIOR_SECONDS = 6 * 3600;
/** Bounds of the scale: three times the wanted deviation, and a third of it. */
const MOST = 9;
/** An inventory beyond three wanted deviations counts as three: one that was taken over must not dominate. */
const SQUARE_MOST = 9;

export const noSkewScale: SkewScale = { scale: 1, seconds: PRIOR_SECONDS, priorSeconds: PRIOR_SECONDS, lastMs: null };

/** Takes a look, at monotonic `nowMs`, at the inventory that quotes have leaned against since the last one. */
export function observeLean(state: SkewScale, { inventory, wantedStd }: Lean, nowMs: number): SkewScale {
  const { lastMs } = state;
  if (lastMs === null) return { ...state, lastMs: nowMs };
  const elapsed = (nowMs - lastMs) / 1000;
  if (elapsed < estimateTiming.leanSampleSec) return state;
  if (elapsed > estimateTiming.bookUnseenMaxSec) return { ...state, lastMs: nowMs };
  const kept = exp((-ln(2) * elapsed) / estimateTiming.leanHalfLifeSec);
  const seconds = kept * state.seconds + elapsed;
  const square = Math.min((inventory / wantedStd) ** 2, SQUARE_MOST);
  const scale = state.scale * (1 + (elapsed / seconds) * (square - 1));
  return {
    scale: Math.min(Math.max(scale, 1 / MOST), MOST),
    seconds,
    priorSeconds: kept * state.priorSeconds,
    lastMs: nowMs,
  };
}

/** Skips time in which the skew does not cause the inventory. */
export const skipLean = (state: SkewScale): SkewScale => (state.lastMs === null ? state : { ...state, lastMs: null });

/** How much of it is observed, 0 to 1. */
export const skewDataShare = ({ seconds, priorSeconds }: SkewScale): number => 1 - priorSeconds / seconds;
