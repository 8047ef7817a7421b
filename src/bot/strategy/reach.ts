// How far takers reach, as their trades show it. A taker that would pay up to some distance from the mid trades only where that is beyond the
// touch, and its size may end before its price does. Such a taker is censored, not near: it would have gone further. Books are as the exchange
// shows them, our orders included, since takers meet those too. Distances are shares of the mid.

import type { Book } from "../../domain/book.ts";
import type { Trade } from "../../domain/fill.ts";
import { usdOf } from "../../domain/rounding.ts";
import { type OrderId, opposite, type Price, type Side, type Size, sides, signOf } from "../../domain/units.ts";
import { exp, ln } from "../../kernel/real.ts";

/** One taker; an order that sweeps several levels is one. */
export type Taker = {
  /** 1 bought, -1 sold. */
  readonly sign: number;
  readonly atMs: number;
  /** The mid before it. */
  readonly midUsd: number;
  /** Distance of its last trade. */
  readonly reached: number;
  /** Distance of the price that it did not pay, all before it being gone; null: its size ended first, or nothing known was beyond. */
  readonly endedBefore: number | null;
  /** It traded with an order of ours. */
  readonly isOurs: boolean;
};

/** The newest book, and what was taken of it since. */
export type ReachWatch = {
  /** Null: until the next book neither time nor takers count. */
  readonly book: Book | null;
  readonly midUsd: number;
  readonly taken: readonly { readonly price: Price; readonly size: Size }[];
  /** The newest taker, which may still go on. */
  readonly last: { readonly id: OrderId; readonly taker: Taker } | null;
};

export const noReachWatch: ReachWatch = { book: null, midUsd: 0, taken: [], last: null };

/** Takers that ended: none or one. */
type Ended = readonly Taker[];

const endedOf = ({ last }: ReachWatch): Ended => (last === null ? [] : [last.taker]);

/** A book, whose mid is that of the others' orders alone. `midUsd` null: nothing counts until the next. */
export const watchBook = (
  watch: ReachWatch,
  book: Book,
  midUsd: number | null,
): { readonly watch: ReachWatch; readonly ended: Ended } => ({
  watch: midUsd === null ? noReachWatch : { ...noReachWatch, book, midUsd },
  ended: endedOf(watch),
});

/** A trade of a taker that is not ours. */
export function watchTrade(
  watch: ReachWatch,
  { price, size, takerSide, takerOrderId: id }: Trade,
  { atMs, isOurs }: Pick<Taker, "atMs" | "isOurs">,
): { readonly watch: ReachWatch; readonly ended: Ended } {
  if (watch.book === null) return { watch, ended: [] };
  const before = watch.last?.id === id ? watch.last.taker : null;
  const midUsd = before?.midUsd ?? watch.midUsd;
  const sign = Number(signOf(takerSide));
  const distance = (at: Price): number => (sign * (usdOf(at) - midUsd)) / midUsd;
  const taken = [...watch.taken, { price, size }];
  const next = nextBehind(watch.book, opposite(takerSide), price, taken);
  const taker: Taker = {
    sign,
    atMs: before?.atMs ?? atMs,
    midUsd,
    reached: Math.max(NEAREST, distance(price)),
    endedBefore: next === null ? null : distance(next),
    isOurs: isOurs || before?.isOurs === true,
  };
  return { watch: { ...watch, taken, last: { id, taker } }, ended: before === null ? endedOf(watch) : [] };
}

/** The price behind `price` once all of that level is gone; null while some of it is left, where it was not shown, or nothing is behind. */
function nextBehind(book: Book, side: Side, price: Price, taken: ReachWatch["taken"]): Price | null {
  const levels = side === "buy" ? book.bids : book.asks;
  const at = levels.findIndex((level) => level.price === price);
  const level = levels[at];
  if (level === undefined) return null;
  const gone = taken.reduce((sum, one) => (one.price === price ? sum + one.size : sum), 0n);
  return gone < level.size ? null : (levels[at + 1]?.price ?? null);
}

/** Distances are counted in steps of 2 %, from a hundredth of a basis point to a tenth of the price. */
const NEAREST = 1e-6;
const STEP = 0.02;
const STEPS = 1 + Math.ceil(ln(0.1 / NEAREST) / STEP);
const DISTANCES: readonly number[] = Array.from({ length: STEPS }, (_, at) => NEAREST * exp(at * STEP));
const stepOf = (distance: number): number =>
  Math.min(STEPS - 1, Math.max(0, Math.round(ln(Math.max(NEAREST, distance) / NEAREST) / STEP)));

/** What the law of takers depends on, added up over takers by their weight and over time. */
export type ReachSums = {
  readonly takers: number;
  /** How many of these traded with us, and how many a price ended. */
  readonly ours: number;
  readonly ended: number;
  /** How far they reached, together. */
  readonly reached: number;
  /** Those that a price ended, by how far it was beyond their last trade; one number a step. */
  readonly gaps: Float32Array;
  /** Seconds in which the touch was at each step, both sides. */
  readonly touches: Float32Array;
};

export const noReachSums: ReachSums = {
  takers: 0,
  ours: 0,
  ended: 0,
  reached: 0,
  gaps: new Float32Array(STEPS),
  touches: new Float32Array(STEPS),
};

/** Each distance with its amount, where that is not 0. */
export function amountsOf(by: Float32Array): readonly { readonly distance: number; readonly amount: number }[] {
  const amounts: { readonly distance: number; readonly amount: number }[] = [];
  for (let at = 0; at < STEPS; at += 1) {
    const amount = by[at] ?? 0;
    if (amount > 0) amounts.push({ distance: DISTANCES[at] ?? 0, amount });
  }
  return amounts;
}

/** Beyond so many usual distances of the touch it does not count how far a taker went: one that sweeps the whole book must not outweigh all others. */
const FAR = 5;

/** `usual`: the usual distance of the touch. */
export function withTaker(sums: ReachSums, taker: Taker, usual: number, weight = 1): ReachSums {
  const far = FAR * usual;
  const reached = Math.min(taker.reached, far);
  const isEnded = taker.endedBefore !== null && taker.endedBefore > reached && taker.reached <= far;
  const gaps = isEnded ? sums.gaps.slice() : sums.gaps;
  if (isEnded) add(gaps, (taker.endedBefore ?? 0) - reached, weight);
  return {
    ...sums,
    takers: sums.takers + weight,
    ours: sums.ours + (taker.isOurs ? 1 : 0),
    ended: sums.ended + (isEnded ? 1 : 0),
    reached: sums.reached + weight * reached,
    gaps,
  };
}

/** So many seconds passed in which the watched book stood. */
export function withTouches(sums: ReachSums, { book, midUsd }: ReachWatch, seconds: number): ReachSums {
  if (book === null || seconds <= 0) return sums;
  const touches = sums.touches.slice();
  for (const side of sides) {
    const best = (side === "buy" ? book.bids : book.asks)[0];
    if (best !== undefined) add(touches, (Number(signOf(side)) * (midUsd - usdOf(best.price))) / midUsd, seconds);
  }
  return { ...sums, touches };
}

function add(to: Float32Array, distance: number, amount: number): void {
  const at = stepOf(distance);
  to[at] = (to[at] ?? 0) + amount;
}

/** All of them a factor smaller. */
export const faded = ({ takers, ours, ended, reached, gaps, touches }: ReachSums, kept: number): ReachSums => ({
  takers: kept * takers,
  ours: kept * ours,
  ended: kept * ended,
  reached: kept * reached,
  gaps: gaps.map((weight) => kept * weight),
  touches: touches.map((seconds) => kept * seconds),
});

export function totalOf(parts: readonly ReachSums[]): ReachSums {
  const sum = (of: (part: ReachSums) => number): number => parts.reduce((total, part) => total + of(part), 0);
  return {
    takers: sum((part) => part.takers),
    ours: sum((part) => part.ours),
    ended: sum((part) => part.ended),
    reached: sum((part) => part.reached),
    gaps: noReachSums.gaps.map((_, at) => sum(({ gaps }) => gaps[at] ?? 0)),
    touches: noReachSums.touches.map((_, at) => sum(({ touches }) => touches[at] ?? 0)),
  };
}

/** The mean distance of the touch over time, in the logarithm: a book that is nearly empty for a while hardly moves it. Null: none was seen. */
export function usualTouch({ touches }: ReachSums): number | null {
  let [seconds, steps] = [0, 0];
  for (let at = 0; at < STEPS; at += 1) {
    seconds += touches[at] ?? 0;
    steps += at * (touches[at] ?? 0);
  }
  return seconds > 0 ? NEAREST * exp((STEP * steps) / seconds) : null;
}
