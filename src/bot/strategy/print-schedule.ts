// When the next print is expected, and how early it may come, from when the last ones were published.

import { estimateTiming } from "../timing.ts";

export type PrintSchedule = {
  /** The newest publication in the rhythm, chain time in ms. */
  readonly publishedMs: number;
  /** The usual time between two of them. */
  readonly everyMs: number;
  /** Newest last; empty while the validity of a print alone says how often there is one. */
  readonly intervalsMs: readonly number[];
  /** How much earlier or later than due the next one may come: of ten, one comes earlier still and one later. */
  readonly earlyMs: number;
  readonly lateMs: number;
};

const INTERVALS_KEPT = 30;
const TAIL = 0.1;
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
  if (state === null)
    return { publishedMs, everyMs: validUntilSec * 1000 - publishedMs, intervalsMs: [], earlyMs: 0, lateMs: 0 };
  const interval = publishedMs - state.publishedMs;
  if (interval === 0) return state;
  if (interval < 0) return { ...state, publishedMs };
  // Prints that nobody saw may lie between the first two: then the validity says how many.
  if (state.intervalsMs.length === 0)
    return scheduleOf(publishedMs, [interval / Math.max(1, Math.round(interval / state.everyMs))]);
  if (interval < LEAST_SHARE * state.everyMs) return state;
  return scheduleOf(publishedMs, [...state.intervalsMs, interval]);
}

/**
 * What past prints, oldest first, tell of when the next one follows that of `publishedMs`; null: fewer than two tell nothing. They have the
 * midnight of their day, and say nothing of how early a print may come.
 */
export function pastSchedule(publishedMs: number, past: readonly { readonly timeSec: number }[]): PrintSchedule | null {
  const intervals = past.slice(1).map(({ timeSec }, index) => (timeSec - (past[index]?.timeSec ?? timeSec)) * 1000);
  if (intervals.length === 0) return null;
  const { everyMs } = scheduleOf(publishedMs, intervals);
  return { publishedMs, everyMs, intervalsMs: [everyMs], earlyMs: 0, lateMs: 0 };
}

function scheduleOf(publishedMs: number, intervals: readonly number[]): PrintSchedule {
  const intervalsMs = intervals.slice(-INTERVALS_KEPT);
  const everyMs = intervalsMs.toSorted((a, b) => a - b)[(intervalsMs.length - 1) >> 1] ?? 0;
  return { publishedMs, everyMs, intervalsMs, ...spreadOf(intervalsMs, everyMs) };
}

/**
 * An index that is published at a time of day now and then comes late, or varies by minutes: past publications, each moved by whole steps of
 * the rhythm, say where the next one may lie beside the newest.
 */
function spreadOf(intervalsMs: readonly number[], everyMs: number): Pick<PrintSchedule, "earlyMs" | "lateMs"> {
  const steps = intervalsMs.map((interval) => Math.max(1, Math.round(interval / everyMs)));
  const total = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0);
  const stepMs = total(intervalsMs) / total(steps);
  const besides = [0];
  for (let at = intervalsMs.length - 1, beside = 0; at >= 0; at -= 1) {
    beside += (steps[at] ?? 0) * stepMs - (intervalsMs[at] ?? 0);
    besides.push(beside);
  }
  besides.sort((a, b) => a - b);
  const tail = Math.floor(TAIL * besides.length);
  return { earlyMs: Math.max(0, -(besides.at(tail) ?? 0)), lateMs: Math.max(0, besides.at(-1 - tail) ?? 0) };
}

/** Whether estimates must rest, at a time of the chain: a print is due, has just come, or is a little late. */
export function isAroundPrint({ publishedMs, everyMs, earlyMs, lateMs }: PrintSchedule, chainTimeMs: number): boolean {
  const { beforePrintMs, afterPrintMs, aroundPrintShare } = estimateTiming;
  const most = aroundPrintShare * everyMs;
  const [before, after] = [Math.min(beforePrintMs, most), Math.min(afterPrintMs, most)];
  const since = chainTimeMs - publishedMs;
  return (since >= 0 && since < after) || (since >= everyMs - earlyMs - before && since < everyMs + lateMs + after);
}
