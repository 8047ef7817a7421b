// Dates of index files: days of the calendar, months and quarters.

import { expect, test } from "vitest";
import { readDate, readPeriod } from "../../../src/index-files/dates.ts";

test.each([
  ["2024-01-31", "2024-01-31"],
  ["2024-01-31 00:00:00", "2024-01-31"],
  ["2024-01-31T00:00:00.000Z", "2024-01-31"],
  ["2024-01-31T23:30:00+05:30", "2024-01-31"],
  ["2024-01-31 14:30:06.361 Z", "2024-01-31"],
  ["2024-05", "2024-05-01"],
  ["January 2024", "2024-01-01"],
  ["Sep-2024", "2024-09-01"],
  ["2024Q3", "2024-07-01"],
  ["2024-Q1", "2024-01-01"],
])("%s is the day %s", (written, date) => {
  expect(readDate(written, "yearFirst")?.date).toBe(date);
});

test("a day comes first where the publisher writes it so, and only there", () => {
  expect(readDate("01/02/2015", "dayFirst")?.date).toBe("2015-02-01");
  expect(readDate("2015-02-01", "dayFirst")?.date).toBe("2015-02-01");
  expect(readDate("01/02/2015", "yearFirst")).toBe(null);
});

test.each([
  "2024-02-30",
  "2024-13-01",
  "31.01.2024",
  "2024-01-31 later",
  "2024-13",
  "2024Q5",
  "Janu 2024",
  "Total 2024",
  "20240131",
  "1735689600000",
])("%s is no date", (written) => {
  expect(readDate(written, "yearFirst")).toBe(null);
});

test("a month or quarter is the day on which it begins", () => {
  expect(readPeriod("2015", "4", 4)?.date).toBe("2015-10-01");
  expect(readPeriod("2015", "12", 12)?.date).toBe("2015-12-01");
  for (const [year, period, perYear] of [
    ["2015", "5", 4],
    ["2015", "0", 12],
    ["15", "1", 4],
    ["2015", "", 4],
  ] as const)
    expect(readPeriod(year, period, perYear)).toBe(null);
});
