// The dates of an index file as days of the calendar. A month or quarter counts as its first day.

import { DAY_MS } from "../kernel/clock.ts";

export type IndexDate = {
  /** Such as 2024-01-31. */
  readonly date: string;
  /** Days since 1970. */
  readonly day: number;
};

/** How a publisher writes a date: with the year first, or as 31/01/2024. */
export type DateForm = "yearFirst" | "dayFirst";

/** How many of a year a period is counted in. */
export type PerYear = 4 | 12;

/** Outside of these a date is a mistake or a placeholder; the oldest house-price index begins in 1628. */
const YEARS = { first: 1600, last: 2299 } as const;

const DAY = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?$/;
const MONTH = /^(\d{4})-(\d{2})$/;
const QUARTER = /^(\d{4})[- ]?Q([1-4])$/i;
const NAMED_MONTH = /^([a-z]{3,9})[ -](\d{4})$/i;
const DAY_FIRST = /^(\d{2})\/(\d{2})\/(\d{4})$/;

/** For a timestamp the day as written, whatever its zone. Null: no day of the calendar, or not in the format `form`. */
export function readDate(written: string, form: DateForm): IndexDate | null {
  if (form === "dayFirst") {
    const [, day = "", month = "", year = ""] = DAY_FIRST.exec(written) ?? [];
    if (year !== "") return calendarDay(year, month, day);
  }
  const [, year, month = "", day = ""] = DAY.exec(written) ?? [];
  if (year !== undefined) return calendarDay(year, month, day);
  const [, ofMonth, monthNumber = ""] = MONTH.exec(written) ?? [];
  if (ofMonth !== undefined) return calendarDay(ofMonth, monthNumber, "01");
  const [, name = "", ofName] = NAMED_MONTH.exec(written) ?? [];
  if (ofName !== undefined) return namedMonth(ofName, name);
  const [, ofQuarter, quarter = ""] = QUARTER.exec(written) ?? [];
  return ofQuarter === undefined ? null : readPeriod(ofQuarter, quarter, 4);
}

const months = "january february march april may june july august september october november december".split(" ");

/** `January`, or its first three letters. */
function namedMonth(year: string, name: string): IndexDate | null {
  const at = months.findIndex((month) => [month, month.slice(0, 3)].includes(name.toLowerCase()));
  return readPeriod(year, `${at + 1}`, 12);
}

/** Month or quarter number `period` of a year; null: there is no such one. */
export function readPeriod(year: string, period: string, perYear: PerYear): IndexDate | null {
  if (!/^\d{4}$/.test(year) || !/^\d{1,2}$/.test(period)) return null;
  const number = Number(period);
  if (number < 1 || number > perYear) return null;
  const month = (number - 1) * (12 / perYear) + 1;
  return calendarDay(year, `${month}`.padStart(2, "0"), "01");
}

/** Months since the year 0. */
export const monthOf = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;

function calendarDay(year: string, month: string, day: string): IndexDate | null {
  const date = `${year}-${month}-${day}`;
  const ms = Date.parse(`${date}T00:00:00Z`);
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
  const inRange = Number(year) >= YEARS.first && Number(year) <= YEARS.last;
  return isDay && inRange ? { date, day: ms / DAY_MS } : null;
}
