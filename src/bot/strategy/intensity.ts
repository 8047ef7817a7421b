// How often an order at a given depth is filled: lambda(depth) = A exp(-k depth), A per second and side, k per USD of depth. A taker
// fills all orders up to the depth that it reaches, so the depths reached are exponential with mean 1 / k.

import type { OrderId } from "../../domain/units.ts";
import { exp, ln } from "../../kernel/real.ts";

export type Intensity = {
  /** Weighted: takers of both sides, the depths they reached in USD, and the seconds watched. */
  readonly takers: number;
  readonly depthUsd: number;
  readonly seconds: number;
  /** Takers in all, without weight. */
  readonly seen: number;
  readonly atMs: number | null;
  /** The last taker: one that sweeps several levels is one arrival, as deep as its last trade. */
  readonly last: { readonly takerOrderId: OrderId; readonly depthUsd: number } | null;
};

const HALF_LIFE_SEC = 86_400;
const SEEN_MIN = 10;
/** Before much was seen: one taker in ten seconds a side, a typical reach of 10 bps, weighing as much as fifty takers. */
const PRIOR = { takers: 50, intensityA: 0.1, depthBps: 10 } as const;

export const noIntensity: Intensity = { takers: 0, depthUsd: 0, seconds: 0, seen: 0, atMs: null, last: null };

/** Time passes, whether or not someone trades. */
export function observeTime(state: Intensity, nowMs: number): Intensity {
  if (state.atMs === null) return { ...state, atMs: nowMs };
  const seconds = (nowMs - state.atMs) / 1000;
  if (seconds <= 0) return state;
  const kept = exp((-ln(2) * seconds) / HALF_LIFE_SEC);
  return {
    ...state,
    takers: kept * state.takers,
    depthUsd: kept * state.depthUsd,
    seconds: kept * state.seconds + seconds,
    atMs: nowMs,
  };
}

/** Takes one public trade at a distance of `depthUsd` from the mid before it; inside the mid counts as no depth. */
export function observeTaker(state: Intensity, takerOrderId: OrderId, depthUsd: number, nowMs: number): Intensity {
  const now = observeTime(state, nowMs);
  const depth = Math.max(0, depthUsd);
  if (now.last?.takerOrderId === takerOrderId) {
    const deeper = Math.max(0, depth - now.last.depthUsd);
    return { ...now, depthUsd: now.depthUsd + deeper, last: { takerOrderId, depthUsd: now.last.depthUsd + deeper } };
  }
  return {
    ...now,
    takers: now.takers + 1,
    depthUsd: now.depthUsd + depth,
    seen: now.seen + 1,
    last: { takerOrderId, depthUsd: depth },
  };
}

/**
 * A and k with the prior mixed in, weighing as many takers as were seen against fifty: k as the mean depth reached, A as the rate on
 * a log scale, where a busy market soon outweighs a prior that is far off. Null until enough was seen. `fairUsd` scales the
 * prior's reach.
 */
export function intensityOf(state: Intensity, fairUsd: number): { readonly a: number; readonly k: number } | null {
  if (state.seen < SEEN_MIN || state.seconds <= 0) return null;
  const priorDepthUsd = (fairUsd * PRIOR.depthBps) / 10_000;
  const weight = state.takers / (state.takers + PRIOR.takers);
  const seenA = state.takers / 2 / state.seconds;
  return {
    a: exp(weight * ln(seenA) + (1 - weight) * ln(PRIOR.intensityA)),
    k: (PRIOR.takers + state.takers) / (PRIOR.takers * priorDepthUsd + state.depthUsd),
  };
}
