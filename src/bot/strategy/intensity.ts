// How often an order at a given depth is filled: lambda(depth) = A exp(-k depth), A per second and side, k per USD of depth. A taker fills
// all orders up to the depth that it reaches. Depths are counted in half-spreads, so that one prior fits every market.

import type { OrderId } from "../../domain/units.ts";
import { exp, ln } from "../../kernel/real.ts";
import { estimateTiming } from "../timing.ts";

export type Intensity = {
  /** Weighted: takers of both sides, and how many of them reached each of `EDGES`. */
  readonly takers: number;
  readonly reached: readonly number[];
  /** Weighted: seconds observed, and the half-spread over them, USD seconds. */
  readonly seconds: number;
  readonly spreadSeconds: number;
  /** Unweighted number of takers. */
  readonly seen: number;
  /** The last look at the book; null before the first. */
  readonly last: { readonly atMs: number; readonly halfSpreadUsd: number } | null;
  /** The last taker: one that sweeps several levels is one arrival, as deep as its last trade. */
  readonly taker: { readonly orderId: OrderId; readonly edges: number } | null;
};

/** Around the touch, at one half-spread, where quotes rest: fills fall off more slowly before it, and far beyond it. */
const EDGES = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];
const SEEN_MIN = 10;
/**
 * Prior: e times fewer each half-spread, weighing as fifty takers; and one in ten seconds per side, weighing as twenty takers in their
 * time: after hours without that many, the prior of A soon counts for nothing.
 */
const PRIOR = { takers: 50, k: 1, countedTakers: 20, intensityA: 0.1 } as const;
/** The first so many takers are all remembered, however long ago they came. */
const REMEMBERED = 200;
/** So many takers at a depth are few. */
const FEW = 5;
/** Bounds of k in a market, per half-spread. */
const K = { least: 0.2, most: 5 } as const;
/** A half-spread counts at most as so many usual ones: a book that is briefly empty shows nothing of it. */
const SPREAD_MOST = 2;

export const noIntensity: Intensity = {
  takers: 0,
  reached: EDGES.map(() => 0),
  seconds: 0,
  spreadSeconds: 0,
  seen: 0,
  last: null,
  taker: null,
};

/**
 * Takes a look at the others' book. The half-spread in USD, above zero, counts until the next look, whether or not someone trades. After
 * more than `estimateTiming.bookUnseenMaxSec` the earlier look does not count, and both sums fade alike, since trades may have been missed.
 */
export function observeSpread(state: Intensity, halfSpreadUsd: number, nowMs: number): Intensity {
  const { last } = state;
  if (!Number.isFinite(halfSpreadUsd) || halfSpreadUsd <= 0) return state;
  const now = { atMs: nowMs, halfSpreadUsd };
  if (last === null) return { ...state, last: now };
  const seconds = (nowMs - last.atMs) / 1000;
  if (seconds < estimateTiming.intensitySampleSec) return state;
  const spared = Math.min(1, REMEMBERED / state.takers);
  const kept = Math.max(spared, exp((-ln(2) * seconds) / estimateTiming.intensityHalfLifeSec));
  const usual = usualHalfSpread(state) ?? last.halfSpreadUsd;
  const watched = seconds > estimateTiming.bookUnseenMaxSec ? 0 : seconds;
  return {
    ...state,
    takers: kept * state.takers,
    reached: state.reached.map((count) => kept * count),
    seconds: kept * state.seconds + watched,
    spreadSeconds: kept * state.spreadSeconds + watched * Math.min(last.halfSpreadUsd, SPREAD_MOST * usual),
    last: now,
  };
}

/** Skips time that must teach nothing, and the looks within it. */
export const skipTime = (state: Intensity): Intensity => (state.last === null ? state : { ...state, last: null });

/** Takes one public trade at a distance of `depthUsd` from the mid before it. Before the first look at the book it shows nothing. */
export function observeTaker(state: Intensity, orderId: OrderId, depthUsd: number): Intensity {
  const halfSpreadUsd = usualHalfSpread(state) ?? state.last?.halfSpreadUsd;
  if (halfSpreadUsd === undefined) return state;
  const edges = EDGES.filter((edge) => depthUsd >= edge * halfSpreadUsd).length;
  const isNew = state.taker?.orderId !== orderId;
  const before = isNew ? 0 : (state.taker?.edges ?? 0);
  return {
    ...state,
    takers: state.takers + (isNew ? 1 : 0),
    seen: state.seen + (isNew ? 1 : 0),
    reached: state.reached.map((count, index) => (index >= before && index < edges ? count + 1 : count)),
    taker: { orderId, edges: Math.max(before, edges) },
  };
}

const usualHalfSpread = ({ spreadSeconds, seconds }: Intensity): number | undefined =>
  seconds > 0 ? spreadSeconds / seconds : undefined;

/**
 * Returns A and k: least squares of ln(takers that reached a depth) on depth, mixed with the prior: k by its takers, A by its takers and
 * their time. Null until enough was seen.
 */
export function intensityOf(state: Intensity): { readonly a: number; readonly k: number } | null {
  const { takers, reached, seconds, seen } = state;
  const halfSpreadUsd = usualHalfSpread(state);
  if (seen < SEEN_MIN || halfSpreadUsd === undefined) return null;
  const { level, slope } = lineThrough(reached);
  const weight = takers / (takers + PRIOR.takers);
  const k = weight * Math.min(Math.max(-slope, K.least), K.most) + (1 - weight) * PRIOR.k;
  const priorSeconds = PRIOR.countedTakers / (2 * PRIOR.intensityA);
  return { a: (exp(level) + PRIOR.countedTakers) / (2 * (seconds + priorSeconds)), k: k / halfSpreadUsd };
}

/** How much of A and k is observed, 0 to 1. */
export const intensityDataShares = ({ takers }: Intensity) => ({
  a: takers / (takers + PRIOR.countedTakers),
  k: takers / (takers + PRIOR.takers),
});

/**
 * Fits a line through (depth, ln count) as far out as takers reached in number, plus the first depth beyond, which shows how sharply they
 * fell off. Further out a single taker would tilt the line.
 */
function lineThrough(reached: readonly number[]): { readonly level: number; readonly slope: number } {
  const few = reached.findIndex((count) => count < FEW);
  const points = reached.slice(0, few < 0 ? reached.length : Math.max(2, few + 1)).map((count, index) => ({
    depth: EDGES[index] ?? 0,
    log: ln(count + 0.5),
  }));
  const mean = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [depth, log] = [mean((point) => point.depth), mean((point) => point.log)];
  const slope =
    mean((point) => (point.depth - depth) * (point.log - log)) / mean((point) => (point.depth - depth) ** 2);
  return { level: log - slope * depth, slope };
}
