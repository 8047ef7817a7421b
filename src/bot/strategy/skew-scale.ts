// How much more, or less, than its formula says a skew must lean so that the inventory has the deviation that is wanted: takers come in
// trends, and fills fall off otherwise than assumed. The formulas make the variance one over the skew; where it is not, this finds the skew.

import type { Lean } from "../../domain/quotes.ts";
import { exp, ln } from "../../kernel/real.ts";
import { estimateTiming } from "../timing.ts";

export type SkewScale = {
  /** The weighted mean of the squared deviation over the wanted one, times what it was scaled by meanwhile. */
  readonly scale: number;
  /** Seconds that it rests on, those of the prior among them. */
  readonly seconds: number;
  readonly priorSeconds: number;
  /** The last look; null while nothing counts. */
  readonly lastMs: number | null;
};

/** Where it starts counts as so many seconds. */
const PRIOR_SECONDS = 6 * 3600;
/** Bounds of the scale: three times the wanted deviation, and a third of it. */
const MOST = 9;
/** An inventory beyond three wanted deviations counts as three: one that was taken over must not speak for all. */
const SQUARE_MOST = 9;

export const noSkewScale: SkewScale = { scale: 1, seconds: PRIOR_SECONDS, priorSeconds: PRIOR_SECONDS, lastMs: null };

/** A look at the inventory that quotes leaned against since the last one, at monotonic `nowMs`. */
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

/** Time passes in which the inventory is not the skew's doing. */
export const skipLean = (state: SkewScale): SkewScale => (state.lastMs === null ? state : { ...state, lastMs: null });

/** How much of it is observed, 0 to 1. */
export const skewDataShare = ({ seconds, priorSeconds }: SkewScale): number => 1 - priorSeconds / seconds;
