// What a person names as a time, and what a period is called.

import { expect, test } from "vitest";
import { periodOf } from "../../../src/bot/report/pnl.ts";
import { isoTime } from "../../../src/cli/arguments.ts";

test.each([
  ["2026-11-26", "2026-11-26T00:00:00.000Z"],
  ["2026-11-26T15:04", "2026-11-26T15:04:00.000Z"],
  ["2026-11-26T15:04:05.123Z", "2026-11-26T15:04:05.123Z"],
  ["2026-11-26T01:00:00+02:00", "2026-11-25T23:00:00.000Z"],
])("%s is %s", (written, instant) => expect(new Date(isoTime(written)).toISOString()).toBe(instant));

test.each([
  "",
  "nonsense",
  "2026-02-30",
  "2026-13-01",
  "26-11-26",
  "2026-11-26T25:00Z",
  "1790000000000",
  "2026-11-26 ",
])("forbidden: %j", (written) => expect(() => isoTime(written)).toThrow("ISO 8601"));

test.each([
  ["2026-11-22", "2026-W47", "2026-11"],
  ["2026-11-23", "2026-W48", "2026-11"],
  ["2021-01-03", "2020-W53", "2021-01"],
  ["2024-12-30", "2025-W01", "2024-12"],
  ["2027-01-04", "2027-W01", "2027-01"],
])("%s is in week %s and month %s", (date, week, month) => {
  const day = Date.parse(date) / 86_400_000;
  expect([periodOf(day, "day"), periodOf(day, "week"), periodOf(day, "month")]).toEqual([date, week, month]);
});
