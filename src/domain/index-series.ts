// The history of an index as a CSV file: the header `parcl_id,date,price_feed`, then one print per row; a file may hold several series.
// This is the only reader of such files. It also checks their content: dates exist, each date has one value, and prices can belong to one
// index.

import { DAY_MS } from "../kernel/clock.ts";
import { decodeCsv } from "../kernel/csv.ts";
import { formatDecimal } from "../kernel/decimal.ts";
import { nearest } from "../kernel/nearest.ts";
import { median } from "../kernel/quantile.ts";
import { refused } from "../kernel/shown.ts";
import { countText } from "../kernel/text.ts";
import { PRICE_SCALE, type Price, price } from "./units.ts";

export type DatedPrint = {
  /** For example 2024-01-31. */
  readonly date: string;
  readonly price: Price;
  /** Number of usual intervals since the first print: 0, 1, 2 … if none is missing. */
  readonly step: number;
};

export type IndexSeries = {
  /** Oldest first; one per date. */
  readonly prints: readonly DatedPrint[];
  /** Gaps without prints, oldest first. The usual interval is the median one, so a monthly history has no gaps. */
  readonly gaps: readonly IndexGap[];
};

export type IndexGap = {
  /** Dates of the prints before and after the gap. */
  readonly after: string;
  readonly before: string;
  readonly missing: number;
};

/** All faults of a file, each with its line, counted from 1. */
export class IndexSeriesError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("; "));
    this.faults = faults;
  }
}

const HEADER = "parcl_id,date,price_feed";
/** Most series that one fault names, and most faults listed. */
const NAMED_MAX = 5;
const FAULTS_MAX = 20;
/** A date outside these years is a mistake or a placeholder; the oldest house-price index begins in 1628. */
const YEARS = { first: 1600, last: 2299 } as const;
/** An interval longer than this multiple of the usual one is a gap; months differ by less. */
const GAP_FROM = 1.5;
/**
 * A price that differs by more than this factor from the median of its neighbors, two on each side, has a misplaced decimal point or
 * belongs to another series.
 */
const FACTOR_MAX = 5n;
const AROUND = 2;

/**
 * The prints of one series, with rows in any order. Equal rows count once; prices are rounded to eight decimals. Throws IndexSeriesError if
 * the text is not such a file, lacks the series, or has impossible values for it.
 */
export function readIndexSeries(csv: string, seriesId: string): IndexSeries {
  const [header, ...rows] = decodeCsv(csv);
  if (header === undefined || header.fault !== null || header.cells.map((cell) => cell.trim()).join(",") !== HEADER)
    throw new IndexSeriesError([`line ${header?.line ?? 1} must be ${HEADER}`]);
  const faults: Fault[] = [];
  const others = new Set<string>();
  const byDate = new Map<string, Row>();
  for (const { line, cells, fault } of rows) {
    const [series = "", date = "", written = "", ...more] = cells.map((cell) => cell.trim());
    if (fault !== null) faults.push({ line, message: fault });
    else if (cells.length !== COLUMNS || more.length > 0) faults.push({ line, message: `must be ${HEADER}` });
    else if (series !== seriesId) others.add(series);
    else {
      const read = readRow(date, written, line);
      const known = byDate.get(date);
      if (typeof read === "string") faults.push({ line, message: read });
      else if (known === undefined) byDate.set(date, read);
      else if (known.price !== read.price) faults.push({ line, message: contradiction(read, known) });
    }
  }
  const sorted = [...byDate.values()].sort((a, b) => a.day - b.day);
  faults.push(...implausible(sorted));
  if (faults.length > 0) throw new IndexSeriesError(listed(faults));
  if (sorted.length === 0)
    throw new IndexSeriesError([`has no row of series ${seriesId}${hint(seriesId, [...others])}`]);
  return dated(sorted);
}

/** The gaps in a few words; null if there are none. */
export function gapsText(gaps: readonly IndexGap[]): string | null {
  const longest = gaps.reduce<IndexGap | undefined>(
    (a, b) => (a === undefined || b.missing > a.missing ? b : a),
    undefined,
  );
  if (longest === undefined) return null;
  const { after, before, missing } = longest;
  const where = `${countText(missing, "print")} between ${after} and ${before}`;
  return gaps.length === 1 ? `1 gap, ${where}` : `${gaps.length} gaps, the longest ${where}`;
}

type Row = { readonly line: number; readonly date: string; readonly day: number; readonly price: Price };
type Fault = { readonly line: number; readonly message: string };

const COLUMNS = HEADER.split(",").length;

/** The row, or what is wrong with it. */
function readRow(date: string, written: string, line: number): Row | string {
  const day = dayOf(date);
  if (day === null) return `${refused(date)}a date is a day of the calendar, as 2024-01-31`;
  const raw = pricedAt(written);
  if (raw === null) return `${refused(written)}a price is USD, as 217.1`;
  if (raw <= 0n) return `${refused(written)}a price is above 0`;
  return { line, date, day, price: price(raw) };
}

/** Days since 1970; null if the date does not exist. */
function dayOf(date: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return null;
  const year = Number(date.slice(0, 4));
  const ms = Date.parse(`${date}T00:00:00Z`);
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
  return isDay && year >= YEARS.first && year <= YEARS.last ? ms / DAY_MS : null;
}

/** Rounded, half away from zero: programs write 217.1 as 217.10000000000002. Null: not a decimal number, or too large for a price. */
function pricedAt(written: string): bigint | null {
  const [, sign, whole = "", fraction = ""] = /^(-?)(\d{1,9})(?:\.(\d{1,40}))?$/.exec(written) ?? [];
  if (sign === undefined) return null;
  const kept = BigInt(whole + fraction.slice(0, PRICE_SCALE).padEnd(PRICE_SCALE, "0"));
  const raw = Number(fraction[PRICE_SCALE] ?? 0) >= 5 ? kept + 1n : kept;
  return sign === "-" ? -raw : raw;
}

const contradiction = ({ date, price: here }: Row, { price: there, line }: Row): string =>
  `${date} has the price ${usd(here)} here and ${usd(there)} in line ${line}`;

/** `rows`: one per day, oldest first. */
function implausible(rows: readonly Row[]): readonly Fault[] {
  return rows.flatMap(({ price: at, line }, index) => {
    const around = rows.slice(Math.max(0, index - AROUND), index + AROUND + 1).map((row) => row.price);
    const middle = around.sort((a, b) => (a < b ? -1 : Number(a > b)))[around.length >> 1] ?? at;
    const isFar = around.length > AROUND && (at > middle * FACTOR_MAX || at * FACTOR_MAX < middle);
    return isFar
      ? [{ line, message: `the price ${usd(at)} cannot follow: those around it are near ${usd(middle)}` }]
      : [];
  });
}

const usd = (value: Price): string => formatDecimal(value, PRICE_SCALE);

function listed(faults: readonly Fault[]): readonly string[] {
  const texts = faults.toSorted((a, b) => a.line - b.line).map(({ line, message }) => `line ${line}: ${message}`);
  const more = texts.length - FAULTS_MAX;
  return more > 0 ? [...texts.slice(0, FAULTS_MAX), `and ${countText(more, "more line")} with faults`] : texts;
}

function hint(wanted: string, others: readonly string[]): string {
  const near = nearest(wanted, others);
  if (near !== undefined) return `; did you mean ${near}?`;
  if (others.length === 0) return "";
  return `; it has ${others.slice(0, NAMED_MAX).join(", ")}${others.length > NAMED_MAX ? ", …" : ""}`;
}

/** `rows`: one per day, oldest first, at least one. */
function dated(rows: readonly Row[]): IndexSeries {
  const intervals = rows.slice(1).map(({ day }, index) => day - (rows[index]?.day ?? day));
  const usual = median(intervals) ?? 1;
  const gaps: IndexGap[] = [];
  let step = 0;
  const prints = rows.map(({ date, price: at }, index) => {
    const interval = intervals[index - 1];
    if (interval !== undefined) {
      const steps = interval > GAP_FROM * usual ? Math.round(interval / usual) : 1;
      if (steps > 1) gaps.push({ after: rows[index - 1]?.date ?? "", before: date, missing: steps - 1 });
      step += steps;
    }
    return { date, price: at, step };
  });
  return { prints, gaps };
}
