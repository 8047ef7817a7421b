// The law of takers as a running bot knows it: A, how many a second and side would reach the mid, and k, by which e times fewer reach a USD
// further. Not identified until the market has shown enough, and then nobody has to guess what of it was assumed.

import type { Book } from "../../domain/book.ts";
import type { Trade } from "../../domain/fill.ts";
import { exp, ln } from "../../kernel/real.ts";
import { estimateTiming } from "../timing.ts";
import {
  faded,
  noReachSums,
  noReachWatch,
  type ReachSums,
  type ReachWatch,
  usualTouch,
  watchBook,
  watchTrade,
  withTaker,
  withTouches,
} from "./reach.ts";
import { lawOf, WIDTH_MAX, whyUnidentified } from "./reach-law.ts";

export type FillIntensity = {
  readonly watch: ReachWatch;
  /** Fading, each time that the law is worked out. */
  readonly sums: ReachSums;
  /** Takers in all, without weight. */
  readonly seen: number;
  /** When time was last counted, monotonic ms; null: never, or since then it must not be. */
  readonly countedMs: number | null;
  /** A a second and side, k per USD; null: not identified. */
  readonly law: { readonly a: number; readonly k: number } | null;
  /** When `law` was last worked out, monotonic ms; null: never. */
  readonly lawMs: number | null;
};

export const noFillIntensity: FillIntensity = {
  watch: noReachWatch,
  sums: noReachSums,
  seen: 0,
  countedMs: null,
  law: null,
  lawMs: null,
};

/** So few takers are all remembered, however long ago they came. */
const REMEMBERED = 200;
/** Quantile of a normal distribution. */
const DEVIATIONS95 = 1.96;

/**
 * A look at the book. The touch counts until the next look, whether or not someone trades. After a longer time than
 * `estimateTiming.bookUnseenMaxSec` the look before counts for nothing, and what was learned has faded alike: who traded meanwhile is unknown.
 */
export function observeBook(state: FillIntensity, book: Book, midUsd: number, nowMs: number): FillIntensity {
  const { watch, ended } = watchBook(state.watch, book, midUsd);
  const known = ended.reduce<FillIntensity>(taking, state);
  const seconds = state.countedMs === null ? null : (nowMs - state.countedMs) / 1000;
  if (seconds === null) return { ...known, watch, countedMs: nowMs };
  if (seconds < estimateTiming.reachSampleSec) return { ...known, watch };
  const watched = seconds > estimateTiming.bookUnseenMaxSec ? 0 : seconds;
  const counted = { ...known, watch, sums: withTouches(known.sums, state.watch, watched), countedMs: nowMs };
  const everyMs = 1000 * estimateTiming.reachLawSec[state.law === null ? "unknown" : "known"];
  return state.lawMs === null || nowMs - state.lawMs >= everyMs ? withLaw(counted, midUsd, nowMs) : counted;
}

/** Fades the past, then finds the law of what is left. */
function withLaw(state: FillIntensity, midUsd: number, nowMs: number): FillIntensity {
  const seconds = state.lawMs === null ? 0 : (nowMs - state.lawMs) / 1000;
  const spared = Math.min(1, REMEMBERED / state.sums.takers);
  const kept = Math.max(spared, exp((-ln(2) * seconds) / estimateTiming.reachHalfLifeSec));
  const sums = kept === 1 ? state.sums : faded(state.sums, kept);
  return { ...state, sums, law: perUsd(sums, midUsd), lawMs: nowMs };
}

/** Time passes that must teach nothing; and the looks within it neither. */
export const skipTime = (state: FillIntensity): FillIntensity =>
  state.countedMs === null && state.watch === noReachWatch ? state : { ...state, watch: noReachWatch, countedMs: null };

/** Takes one public trade of a taker that is not ours. Before the first look at the book it says nothing. */
export function observeTaker(
  state: FillIntensity,
  trade: Trade,
  { atMs, isOurs }: { readonly atMs: number; readonly isOurs: boolean },
): FillIntensity {
  if (state.watch.book === null) return state;
  const isNew = state.watch.last?.id !== trade.takerOrderId;
  const { watch, ended } = watchTrade(state.watch, trade, { atMs, isOurs });
  return { ...ended.reduce<FillIntensity>(taking, state), watch, seen: state.seen + (isNew ? 1 : 0) };
}

function taking(state: FillIntensity, taker: Parameters<typeof withTaker>[1]): FillIntensity {
  const usual = usualTouch(state.sums) ?? taker.reached;
  return { ...state, sums: withTaker(state.sums, taker, usual) };
}

function perUsd(sums: ReachSums, midUsd: number): FillIntensity["law"] {
  const law = whyUnidentified(sums) === null ? lawOf(sums) : null;
  if (law === null || exp(2 * DEVIATIONS95 * law.errorOfLogK) > WIDTH_MAX) return null;
  return { a: law.a, k: law.k / midUsd };
}
