// Takers that know more than the market: the price goes their way. Everybody else is right as often as wrong, so the excess of right takers
// over wrong ones is the least share of the informed, and each wrong taker, counted twice, represents the uninformed.

import type { Taker } from "../../bot/strategy/reach.ts";
import { meanInterval } from "../../report/interval.ts";

export type Informed = {
  /** Takers right about the mid one horizon later less wrong ones, over both; 0 where chance may explain it, the interval all the same. */
  readonly share: { readonly value: number; readonly low: number; readonly high: number };
  /** Weighs takers so that the uninformed are left: 2 for a wrong one, 0 for a right one. */
  readonly weightOf: (taker: Taker) => number;
};

/** Takers are judged by the mid after this time. One horizon, fixed before any data is seen: the longest at which fills are judged. */
const HORIZON_MS = 300_000;
/** Takers of one stretch share the mid's later move, so stretches are counted: none shorter than the horizon. */
const STRETCHES = { least: 6, most: 10 } as const;
const JUDGED_MIN = 50;
/** Maximum age of a mid, seconds. */
const MID_AGE_MAX = 20;

type Span = {
  readonly fromMs: number;
  readonly toMs: number;
  /** By second from the start, USD; gaps where there was none. */
  readonly mids: readonly (number | undefined)[];
};

/** Null: the session is shorter than six horizons, or too few takers can be judged. */
export function informedOf(takers: readonly Taker[], { fromMs, toMs, mids }: Span): Informed | null {
  const count = Math.min(STRETCHES.most, Math.floor((toMs - fromMs) / HORIZON_MS));
  if (count < STRETCHES.least) return null;
  const right = new Map<Taker, number>();
  const stretches = Array.from({ length: count }, () => ({ sum: 0, count: 0 }));
  for (const taker of takers) {
    const laterMs = taker.atMs + HORIZON_MS;
    const later = laterMs > toMs ? undefined : lastMid(mids, Math.floor((laterMs - fromMs) / 1000));
    if (later === undefined || later === taker.midUsd) continue;
    const wasRight = taker.sign * Math.sign(later - taker.midUsd);
    right.set(taker, wasRight);
    const stretch = stretches[Math.min(count - 1, Math.floor((count * (taker.atMs - fromMs)) / (toMs - fromMs)))];
    if (stretch === undefined) continue;
    stretch.sum += wasRight;
    stretch.count += 1;
  }
  const share = right.size < JUDGED_MIN ? null : meanInterval(stretches);
  if (share?.ci95 == null) return null;
  const [low, high] = share.ci95;
  return {
    share: { value: low > 0 ? share.mean : 0, low: Math.max(0, low), high: Math.min(1, Math.max(0, high)) },
    weightOf: (taker) => 1 - (right.get(taker) ?? share.mean),
  };
}

function lastMid(mids: Span["mids"], second: number): number | undefined {
  for (let at = second; at >= Math.max(0, second - MID_AGE_MAX); at -= 1) if (mids[at] !== undefined) return mids[at];
  return undefined;
}
