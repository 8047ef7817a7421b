// The rows of one series as a history: one value a date, none missing between two others, values that can be one index, steps and gaps.

import type { IndexGap, IndexPeriod, IndexSeries } from "../domain/index-series.ts";
import { PRICE_SCALE, type Price } from "../domain/units.ts";
import { formatDecimal } from "../kernel/decimal.ts";
import { median } from "../kernel/quantile.ts";
import { type IndexDate, monthOf } from "./dates.ts";
import type { LineFaults } from "./fault.ts";

/** A file's value of a series at a date. */
export type Observed = IndexDate & {
  readonly line: number;
  /** Null: the file has no value there. */
  readonly price: Price | null;
  /** The value as written. */
  readonly written: string;
};

type Row = IndexDate & { readonly line: number; readonly price: Price };

/** Collects a file's values of one series, in any order. Equal rows count once, and a value overrides a missing one. */
export type Observations = {
  readonly add: (observed: Observed) => void;
  /** Faults go to `faults`; the history is complete where it adds none. */
  readonly history: (faults: LineFaults) => IndexSeries;
};

/** An interval longer than this multiple of the usual one lacks prints: months differ by less. */
const GAP_FROM = 1.5;
/** A print further than this from the median of those around it, two on each side, is a slip of the decimal point or of another series. */
const FACTOR_MAX = 5n;
const AROUND = 2;

export function createObservations(): Observations {
  const byDate = new Map<string, Observed>();
  const contradictions: { readonly line: number; readonly message: string }[] = [];
  return {
    add(observed) {
      const known = byDate.get(observed.date);
      if (known === undefined || known.price === null) byDate.set(observed.date, observed);
      else if (observed.price !== null && observed.price !== known.price && contradictions.length < byDate.size)
        contradictions.push({ line: observed.line, message: contradiction(observed, known) });
    },
    history(faults) {
      for (const { line, message } of contradictions) faults.add(line, message);
      const rows = withoutMissing(
        [...byDate.values()].sort((a, b) => a.day - b.day),
        faults,
      );
      for (const { line, message } of implausible(rows)) faults.add(line, message);
      return dated(rows);
    },
  };
}

const contradiction = (here: Observed, there: Observed): string =>
  `${here.date} has the value ${usd(here.price)} here and ${usd(there.price)} in line ${there.line}`;

/** An index may begin later and end earlier than its file; in between a missing value is a fault. */
function withoutMissing(rows: readonly Observed[], faults: LineFaults): readonly Row[] {
  const hasValue = (row: Observed): row is Row & Observed => row.price !== null;
  const [first, last] = [rows.findIndex(hasValue), rows.findLastIndex(hasValue)];
  for (const { line, date, written } of rows.slice(first, last + 1).filter((row) => !hasValue(row)))
    faults.add(line, `${date} has ${noneText(written)} between two others; remove the row where none was published`);
  return rows.filter(hasValue);
}

const noneText = (written: string): string => (written === "" ? "no value" : `${JSON.stringify(written)} for a value`);

/** `rows` are of different days, oldest first. */
function implausible(rows: readonly Row[]): readonly { readonly line: number; readonly message: string }[] {
  return rows.flatMap(({ price: at, line }, index) => {
    const around = rows.slice(Math.max(0, index - AROUND), index + AROUND + 1).map((row) => row.price);
    const middle = around.sort((a, b) => (a < b ? -1 : Number(a > b)))[around.length >> 1] ?? at;
    const isFar = around.length > AROUND && (at > middle * FACTOR_MAX || at * FACTOR_MAX < middle);
    return isFar
      ? [{ line, message: `the value ${usd(at)} cannot follow: those around it are near ${usd(middle)}` }]
      : [];
  });
}

const usd = (value: Price | null): string => (value === null ? "none" : formatDecimal(value, PRICE_SCALE));

/** `rows` are of different days, oldest first. */
function dated(rows: readonly Row[]): IndexSeries {
  const period = periodOf(medianInterval(rows.map(({ day }) => day)));
  const isMonths = period === "month" || period === "quarter" || period === "year";
  const places = rows.map(({ date, day }) => (isMonths ? monthOf(date) : day));
  const usual = Math.max(1, medianInterval(places) ?? 1);
  const gaps: IndexGap[] = [];
  let step = 0;
  const prints = rows.map(({ date, price: at }, index) => {
    const before = places[index - 1];
    if (before !== undefined) {
      const interval = (places[index] ?? before) - before;
      const steps = interval > GAP_FROM * usual ? Math.round(interval / usual) : 1;
      if (steps > 1) gaps.push({ after: rows[index - 1]?.date ?? "", before: date, missing: steps - 1 });
      step += steps;
    }
    return { date, price: at, step };
  });
  return { prints, gaps, period };
}

const medianInterval = (places: readonly number[]): number | undefined =>
  median(places.slice(1).map((place, index) => place - (places[index] ?? place)));

/** Days between two values of a period, at least and at most. */
const periods: readonly (readonly [IndexPeriod, number, number])[] = [
  ["week", 7, 7],
  ["month", 28, 31],
  ["quarter", 89, 92],
  ["year", 365, 366],
];

const periodOf = (days: number | undefined): IndexPeriod =>
  periods.find(([, least, most]) => days !== undefined && days >= least && days <= most)?.[0] ?? "day";
