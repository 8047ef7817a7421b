// When the next print is expected and how early it may come: by the configuration, else as the exchange announces it, else by the intervals
// between the last prints.

import { median } from "../../kernel/quantile.ts";
import { estimateTiming } from "../timing.ts";
import {
  besideNewest,
  type DuePrint,
  hearFrame,
  hearRead,
  LEAST_SHARE,
  namedPrint,
  noPrintCalendar,
  PRINTS_KEPT,
  type PrintCalendar,
  type PrintWord,
  tailsOf,
} from "./print-calendar.ts";
import { nextTimeAfter, type PrintTimes } from "./print-times.ts";

export type PrintSchedule = DuePrint & {
  /** The newest regular publication, chain time in ms. */
  readonly publishedMs: number;
  /** The usual time between two of them. */
  readonly everyMs: number;
  /** Newest last; empty while only the validity of a print shows how often they come. */
  readonly intervalsMs: readonly number[];
  readonly calendar: PrintCalendar;
};

/**
 * Takes the newest print of a read of the oracle. A publication earlier than the believed one shows that the believed one was wrong.
 * `given`: the configured times; null: none.
 */
export function observePublication(
  state: PrintSchedule | null,
  word: PrintWord,
  given: PrintTimes | null,
): PrintSchedule {
  const rhythm = state === null ? firstOf(word) : inRhythm(state, word.publishedMs);
  return due({ ...rhythm, calendar: hearRead(rhythm.calendar, word, rhythm.everyMs) }, given);
}

/** Takes the newest print of a frame. */
export const observeFrame = (state: PrintSchedule, validUntilSec: number, given: PrintTimes | null): PrintSchedule =>
  due({ ...state, calendar: hearFrame(state.calendar, validUntilSec, state.everyMs) }, given);

/**
 * Returns when the next print follows, from past prints, oldest first; null: fewer than two. They are dated midnight, so they do not show
 * how early a print may come.
 */
export function withPast(
  state: PrintSchedule,
  past: readonly { readonly timeSec: number }[],
  given: PrintTimes | null,
): PrintSchedule | null {
  const intervals = past.slice(1).map(({ timeSec }, index) => (timeSec - (past[index]?.timeSec ?? timeSec)) * 1000);
  if (intervals.length === 0) return null;
  const everyMs = median(intervals.slice(-PRINTS_KEPT)) ?? 0;
  return due({ ...state, everyMs, intervalsMs: [everyMs] }, given);
}

type Rhythm = Omit<PrintSchedule, keyof DuePrint>;

const firstOf = ({ publishedMs, validUntilSec }: PrintWord): Rhythm => ({
  publishedMs,
  everyMs: validUntilSec * 1000 - publishedMs,
  intervalsMs: [],
  calendar: noPrintCalendar,
});

function inRhythm(state: Rhythm, publishedMs: number): Rhythm {
  const interval = publishedMs - state.publishedMs;
  if (interval === 0) return state;
  if (interval < 0) return { ...state, publishedMs };
  // Prints may be missing between the first two: the validity shows how many.
  if (state.intervalsMs.length === 0)
    return withIntervals(state, publishedMs, [interval / Math.max(1, Math.round(interval / state.everyMs))]);
  if (interval < LEAST_SHARE * state.everyMs) return state;
  return withIntervals(state, publishedMs, [...state.intervalsMs, interval]);
}

function withIntervals(state: Rhythm, publishedMs: number, intervals: readonly number[]): Rhythm {
  const intervalsMs = intervals.slice(-PRINTS_KEPT);
  return { ...state, publishedMs, everyMs: median(intervalsMs) ?? 0, intervalsMs };
}

function due(state: Rhythm, given: PrintTimes | null): PrintSchedule {
  const { publishedMs, everyMs, intervalsMs, calendar } = state;
  if (given !== null)
    return {
      ...state,
      dueMs: nextTimeAfter(given, calendar.agreed?.publishedMs ?? publishedMs),
      earlyMs: 0,
      lateMs: 0,
    };
  return { ...state, ...(namedPrint(calendar, everyMs) ?? byIntervals(publishedMs, everyMs, intervalsMs)) };
}

/**
 * For an index published at a time of day that is sometimes late or varies by minutes: past publications, each moved by whole steps, show
 * where the next one may lie relative to the newest.
 */
function byIntervals(publishedMs: number, everyMs: number, intervalsMs: readonly number[]): DuePrint {
  const dueMs = publishedMs + everyMs;
  if (intervalsMs.length === 0) return { dueMs, earlyMs: 0, lateMs: 0 };
  const steps = intervalsMs.map((interval) => Math.max(1, Math.round(interval / everyMs)));
  const total = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0);
  const stepMs = total(intervalsMs) / total(steps);
  const late = intervalsMs.map((interval, at) => interval - (steps[at] ?? 0) * stepMs);
  return { dueMs, ...tailsOf(besideNewest(late)) };
}

/** Whether estimates must pause, by chain time: a print is due, has just come, or is a little late. */
export function isAroundPrint(
  { publishedMs, everyMs, dueMs, earlyMs, lateMs }: PrintSchedule,
  chainTimeMs: number,
): boolean {
  const { beforePrintMs, afterPrintMs, aroundPrintShare } = estimateTiming;
  const most = aroundPrintShare * everyMs;
  const [before, after] = [Math.min(beforePrintMs, most), Math.min(afterPrintMs, most)];
  const since = chainTimeMs - publishedMs;
  if (since >= 0 && since < after) return true;
  return chainTimeMs >= dueMs - earlyMs - before && chainTimeMs < dueMs + lateMs + after;
}
