// A market's `printSchedule`: the times at which its index prints, for operators who know them better than the exchange shows.

import type { z } from "zod";
import * as s from "../../domain/scalars.ts";
import { DAY_MS, MINUTE_MS } from "../../kernel/clock.ts";
import { refused } from "../../kernel/shown.ts";
import { instantOf, isTimeZone, localDay } from "../../kernel/time-zone.ts";
import { estimateTiming } from "../timing.ts";

const datePattern = /^\d{4}-\d{2}-\d{2}$/;
const dateText = s
  .text("a date as 2026-12-25", datePattern)
  .refine(isOnCalendar, { error: ({ input }) => `${refused(input)}must be a date of the calendar, as 2026-12-25` });

/** Keys of a market's `printSchedule`. */
export const printTimesSchema = s.strict({
  timeZone: s
    .text("the name of a time zone")
    .refine(isTimeZone, {
      error: ({ input }) => `${refused(input)}must be the name of a time zone, as America/New_York or UTC`,
    })
    .describe("the time zone whose clocks the index follows, as America/New_York"),
  at: s
    .text("a time of day from 00:00 to 23:59, as 09:05", /^(?:[01]\d|2[0-3]):[0-5]\d$/)
    .describe(
      "when the index prints each day, by those clocks, as 09:05; a time that they show twice is the first, one that they skip the moment of the change",
    ),
  skip: s.list(dateText, "dates").default([]).describe("dates there without a print, as 2026-12-25"),
});
export type PrintTimes = z.output<typeof printTimesSchema>;

/** Unix ms. Calendars end here; no exchange means later times. */
const LATEST = 1e14;

/** Returns when the print after the one of `publishedMs` is due, Unix ms. A print that came a little early counts for its day. */
export function nextTimeAfter({ timeZone, at, skip }: PrintTimes, publishedMs: number): number {
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  const timeMs = (60 * hours + minutes) * MINUTE_MS;
  const fromMs = Math.min(Math.max(0, publishedMs), LATEST) + estimateTiming.earlyPrintMs;
  const skipped = new Set(skip.map(dayOf));
  for (let day = localDay(timeZone, fromMs); ; day += 1) {
    const dueMs = skipped.has(day) ? fromMs : instantOf(timeZone, day, timeMs);
    if (dueMs > fromMs) return dueMs;
  }
}

const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

/** Date.parse reads February 30 as March 2. The pattern refuses other spellings. */
function isOnCalendar(written: string): boolean {
  if (!datePattern.test(written)) return true;
  const ms = dayOf(written) * DAY_MS;
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(written);
}
