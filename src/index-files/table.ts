// A layout found in a file: which column holds what. Made by recognize.ts, read row by row by read.ts.

import { type DateForm, type IndexDate, type PerYear, readDate, readPeriod } from "./dates.ts";
import { keyOf } from "./layout.ts";

export type Table = {
  /** Names of the columns in line 1; empty texts where it has none. */
  readonly names: readonly string[];
  /** Line 1 holds values already. */
  readonly isHeadless: boolean;
  readonly rows: LongRows | WideRows | DatedColumns;
};

export type SeriesAt = {
  readonly code: number;
  readonly region: number | null;
  readonly apart: readonly number[];
};

/** A row holds one series at one date. */
export type LongRows = SeriesAt & {
  readonly kind: "observations";
  readonly date: DateAt;
  /** At least one; the first is taken unless another is named. */
  readonly values: readonly number[];
};

/** A row holds one series. */
export type WideRows = SeriesAt & {
  readonly kind: "series";
  readonly dates: readonly { readonly column: number; readonly date: IndexDate }[];
};

/** A row holds one date. */
type DatedColumns = {
  readonly kind: "dates";
  readonly date: DateAt;
  readonly series: readonly { readonly column: number; readonly name: string }[];
};

export type DateAt =
  | { readonly kind: "day"; readonly column: number; readonly form: DateForm }
  | { readonly kind: "period"; readonly year: number; readonly period: number; readonly perYear: PerYear }
  | { readonly kind: "frequency"; readonly year: number; readonly period: number; readonly frequency: number };

/** The first column of that name, however it is written; undefined: there is none. */
export function columnOf(names: readonly string[], name: string): number | undefined {
  const key = keyOf(name);
  const at = key === "" ? -1 : names.findIndex((each) => keyOf(each) === key);
  return at === -1 ? undefined : at;
}

/** The date of a row and how it is written there. */
export function dateIn(
  cells: readonly string[],
  at: DateAt,
): { readonly date: IndexDate | null; readonly written: string } {
  if (at.kind === "day") {
    const written = cellOf(cells, at.column);
    return { date: readDate(written, at.form), written };
  }
  const [year, period] = [cellOf(cells, at.year), cellOf(cells, at.period)];
  const perYear = at.kind === "period" ? at.perYear : perYearOf(cellOf(cells, at.frequency));
  return { date: perYear === null ? null : readPeriod(year, period, perYear), written: `${year} ${period}` };
}

export const cellOf = (cells: readonly string[], column: number): string => cells[column]?.trim() ?? "";

function perYearOf(frequency: string): PerYear | null {
  if (/^month/i.test(frequency)) return 12;
  return /^quarter/i.test(frequency) ? 4 : null;
}
