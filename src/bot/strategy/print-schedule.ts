// When the next print is expected, from when the last ones were published.

import { estimateTiming } from "../timing.ts";

export type PrintSchedule = {
  /** The newest publication in the rhythm, chain time in ms. */
  readonly publishedMs: number;
  /** The usual time between two of them. */
  readonly everyMs: number;
  /** Newest last; empty while the validity of a print alone says how often there is one. */
  readonly intervalsMs: readonly number[];
};

const INTERVALS_KEPT = 9;
/** A publication sooner than this share of the usual interval corrects one: the next of the rhythm comes when it would have come. */
const LEAST_SHARE = 0.5;

/**
 * Takes what a read of the oracle tells of the newest print: when it was published, and until when it is valid. An earlier time than
 * the one believed says that this one was wrong.
 */
export function observePublication(
  state: PrintSchedule | null,
  publishedMs: number,
  validUntilSec: number,
): PrintSchedule {
  if (state === null) return { publishedMs, everyMs: validUntilSec * 1000 - publishedMs, intervalsMs: [] };
  const interval = publishedMs - state.publishedMs;
  if (interval === 0) return state;
  if (interval < 0) return { ...state, publishedMs };
  if (state.intervalsMs.length > 0 && interval < LEAST_SHARE * state.everyMs) return state;
  return scheduleOf(publishedMs, [...state.intervalsMs, interval]);
}

/** What past prints, oldest first, tell of when the next one follows that of `publishedMs`; null: fewer than two tell nothing. */
export function pastSchedule(publishedMs: number, past: readonly { readonly timeSec: number }[]): PrintSchedule | null {
  const intervals = past.slice(1).map(({ timeSec }, index) => (timeSec - (past[index]?.timeSec ?? timeSec)) * 1000);
  return intervals.length === 0 ? null : scheduleOf(publishedMs, intervals);
}

function scheduleOf(publishedMs: number, intervals: readonly number[]): PrintSchedule {
  const intervalsMs = intervals.slice(-INTERVALS_KEPT);
  const everyMs = intervalsMs.toSorted((a, b) => a - b)[(intervalsMs.length - 1) >> 1] ?? 0;
  return { publishedMs, everyMs, intervalsMs };
}

/** Around a print the market is not its usual self: so long before and after one, and at most this share of the time between two. */
const AROUND = {
  beforeMs: estimateTiming.beforePrintMs,
  afterMs: estimateTiming.afterPrintMs,
  share: 0.125,
} as const;

/** Whether estimates must rest, at a time of the chain: a print is due, has just come, or is a little late. */
export function isAroundPrint({ publishedMs, everyMs }: PrintSchedule, chainTimeMs: number): boolean {
  const most = AROUND.share * everyMs;
  const [before, after] = [Math.min(AROUND.beforeMs, most), Math.min(AROUND.afterMs, most)];
  const since = chainTimeMs - publishedMs;
  return (since >= 0 && since < after) || (since >= everyMs - before && since < everyMs + after);
}
