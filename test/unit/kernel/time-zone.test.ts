// Local times as instants: the changes of the clocks, and zones that are none.

import { describe, expect, test } from "vitest";
import { instantOf, isTimeZone, localDay } from "../../../src/kernel/time-zone.ts";

const DAY_MS = 86_400_000;
const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;
const at = (timeZone: string, date: string, time: string): string =>
  new Date(instantOf(timeZone, dayOf(date), Date.parse(`1970-01-01T${time}Z`))).toISOString();

describe("a time of day as an instant", () => {
  test.each([
    ["America/New_York", "2026-03-07", "09:05", "2026-03-07T14:05:00.000Z"],
    ["America/New_York", "2026-03-08", "09:05", "2026-03-08T13:05:00.000Z"],
    ["America/New_York", "2026-03-08", "00:30", "2026-03-08T05:30:00.000Z"],
    ["America/New_York", "2026-10-31", "09:05", "2026-10-31T13:05:00.000Z"],
    ["America/New_York", "2026-11-01", "09:05", "2026-11-01T14:05:00.000Z"],
    ["America/New_York", "2026-11-01", "00:30", "2026-11-01T04:30:00.000Z"],
    ["UTC", "2026-11-01", "00:00", "2026-11-01T00:00:00.000Z"],
    ["Asia/Kathmandu", "2026-06-01", "09:05", "2026-06-01T03:20:00.000Z"],
    ["Pacific/Kiritimati", "2026-06-01", "09:05", "2026-05-31T19:05:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-05", "01:45", "2026-04-04T14:45:00.000Z"],
  ])("%s %s %s", (timeZone, date, time, instant) => {
    expect(at(timeZone, date, time)).toBe(instant);
  });

  test("one that the clocks show twice is the first", () => {
    expect(at("America/New_York", "2026-11-01", "01:00")).toBe("2026-11-01T05:00:00.000Z");
    expect(at("America/New_York", "2026-11-01", "01:30")).toBe("2026-11-01T05:30:00.000Z");
    expect(at("America/New_York", "2026-11-01", "02:00")).toBe("2026-11-01T07:00:00.000Z");
  });

  test("one that the clocks skip is the moment of the change", () => {
    for (const time of ["02:00", "02:30", "02:59"])
      expect(at("America/New_York", "2026-03-08", time)).toBe("2026-03-08T07:00:00.000Z");
    expect(at("America/New_York", "2026-03-08", "03:00")).toBe("2026-03-08T07:00:00.000Z");
    expect(at("America/New_York", "2026-03-08", "03:01")).toBe("2026-03-08T07:01:00.000Z");
  });

  test("is shown by the zone's clocks, each quarter of an hour of a year", () => {
    const skipped: string[] = [];
    const clocks = new Intl.DateTimeFormat("sv", {
      timeZone: "Europe/Berlin",
      dateStyle: "short",
      timeStyle: "medium",
    });
    for (let day = dayOf("2026-01-01"); day < dayOf("2027-01-01"); day += 1)
      for (let quarter = 0; quarter < 96; quarter += 1) {
        const instant = instantOf("Europe/Berlin", day, quarter * 900_000);
        const shown = clocks.format(instant);
        const wanted = new Date(day * DAY_MS + quarter * 900_000).toISOString().slice(0, 19).replace("T", " ");
        if (shown !== wanted) skipped.push(wanted);
      }
    expect(skipped).toEqual(["00", "15", "30", "45"].map((minute) => `2026-03-29 02:${minute}:00`));
  });
});

test("the day is that of the zone's calendar", () => {
  const instant = Date.parse("2026-06-01T23:30:00Z");
  expect(localDay("UTC", instant)).toBe(dayOf("2026-06-01"));
  expect(localDay("Asia/Tokyo", instant)).toBe(dayOf("2026-06-02"));
  expect(localDay("America/New_York", Date.parse("2026-06-01T03:30:00Z"))).toBe(dayOf("2026-05-31"));
});

test("names of zones, not offsets and not what nobody knows", () => {
  expect(["UTC", "America/New_York", "Europe/Berlin"].every(isTimeZone)).toBe(true);
  expect(["", "Mars/Olympus", "+02:00", "America/New York"].some(isTimeZone)).toBe(false);
});
