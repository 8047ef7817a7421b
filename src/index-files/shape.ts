// Recognizes a file by its cells, without a publisher's names: one column of dates (or a year and a period), the values, and at most one
// column that distinguishes series; or columns named by dates.

import { readDate } from "./dates.ts";
import { isRowNumber } from "./layout.ts";
import type { DateAt, LongRows, SeriesAt, Table, WideRows } from "./table.ts";
import { isMissing, readValue } from "./values.ts";

type Rows = readonly (readonly string[])[];

/** Null: the columns could mean more than one thing, or nothing. */
export function byShape(head: readonly string[], sample: Rows, delimiter: string): Table | null {
  const wide = byHeadings(head, sample, delimiter);
  if (wide !== null) return { names: head, isHeadless: false, rows: wide };
  const isHeadless = head.some((cell) => readDate(cell, "yearFirst") !== null) || yearColumn([head]) !== undefined;
  const rows = isHeadless ? [head, ...sample] : sample;
  const names = isHeadless ? head.map(() => "") : head;
  if (rows.length === 0) return null;
  const columns = head.map((_, column) => column);
  const dates = columns.filter((column) => isDates(rows, column));
  const found =
    dates.length === 1
      ? byDate({ names, isHeadless, rows, column: dates[0] ?? 0 }, delimiter)
      : byYear(rows, delimiter);
  return found === null ? null : { names, isHeadless, rows: found };
}

/** Whether all cells of a column are numbers or hold no value. */
export const isNumbers = (rows: Rows, column: number, delimiter: string): boolean =>
  rows.every((cells) => isNumber(cells[column] ?? "", delimiter));

const isNumber = (cell: string, delimiter: string): boolean =>
  isMissing(cell.trim()) || readValue(cell.trim(), delimiter) !== null;

const isDates = (rows: Rows, column: number): boolean =>
  rows.every((cells) => readDate(cells[column]?.trim() ?? "", "yearFirst") !== null);

/** Several columns that are named by dates and hold numbers; the first of the others identifies the series, the second is for people. */
function byHeadings(head: readonly string[], rows: Rows, delimiter: string): WideRows | null {
  const dates = head.flatMap((name, column) => {
    const date = readDate(name, "yearFirst");
    return date !== null && isNumbers(rows, column, delimiter) ? [{ column, date }] : [];
  });
  const isDate = new Set(dates.map(({ column }) => column));
  const [code, region = null] = head.map((_, at) => at).filter((at) => !isDate.has(at) && !isRowNumber(head[at] ?? ""));
  return dates.length < 2 || code === undefined ? null : { kind: "series", code, region, apart: [], dates };
}

const WHOLE = /^\d+$/;

type Dated = Pick<Table, "names" | "isHeadless"> & { readonly rows: Rows; readonly column: number };

function byDate({ names, isHeadless, rows, column }: Dated, delimiter: string): Table["rows"] | null {
  const date: DateAt = { kind: "day", column, form: "yearFirst" };
  const others = names
    .map((_, at) => at)
    .filter((at) => at !== column && (isHeadless || !isRowNumber(names[at] ?? "")));
  const texts = others.filter((at) => !isNumbers(rows, at, delimiter));
  const numbers = others.filter((at) => isNumbers(rows, at, delimiter));
  // A whole number before the date is an id, as in 5826765,2024-01-31,217.1.
  const ids = numbers.filter((at) => at < column && rows.every((cells) => WHOLE.test(cells[at]?.trim() ?? "")));
  const code = texts[0] ?? ids[0];
  if (texts.length > 1 || (texts.length === 0 && ids.length > 1)) return null;
  if (code !== undefined && numbers.some((at) => at !== code)) {
    const values = ranked(
      names,
      numbers.filter((at) => at !== code),
    );
    return { kind: "observations", code, region: null, apart: [], date, values };
  }
  const series = numbers.map((at) => ({ column: at, name: names[at] || "value" }));
  const isClear = texts.length === 0 && (series.length === 1 || (series.length > 1 && !isHeadless));
  return isClear ? { kind: "dates", date, series } : null;
}

/** Unadjusted indices before others, then prices, else in file order. */
function ranked(names: readonly string[], columns: readonly number[]): readonly number[] {
  const rank = (at: number): number => {
    const name = names[at] ?? "";
    if (/index/i.test(name)) return /sa$|adjusted/i.test(name) && !/nsa$/i.test(name) ? 1 : 0;
    return /price/i.test(name) ? 2 : 3;
  };
  return columns.toSorted((a, b) => rank(a) - rank(b));
}

const YEAR = /^(?:1[6-9]|2[0-2])\d{2}$/;
const PERIOD = /^(?:[1-9]|1[0-2])$/;

/** A year, and next to it the number of a month or quarter. */
const yearColumn = (rows: Rows): number | undefined =>
  rows[0]
    ?.map((_, at) => at)
    .find((at) =>
      rows.every((cells) => YEAR.test(cells[at]?.trim() ?? "") && PERIOD.test(cells[at + 1]?.trim() ?? "")),
    );

/** FHFA's files without a header: region name, year, quarter, index. */
function byYear(rows: Rows, delimiter: string): LongRows | null {
  const year = yearColumn(rows);
  if (year === undefined || year === 0) return null;
  const isMonths = rows.some((cells) => Number(cells[year + 1]) > 4);
  const date: DateAt = { kind: "period", year, period: year + 1, perYear: isMonths ? 12 : 4 };
  const [first = [], ...others] = rows;
  const values = first.map((_, at) => at).filter((at) => at > year + 1 && isNumbers([first, ...others], at, delimiter));
  const series = namesBefore(year);
  return series === null || values.length === 0
    ? null
    : { kind: "observations", ...series, date, values: values.slice(0, 1) };
}

/** One column is the code; of two the second is, after the name for people. */
function namesBefore(year: number): SeriesAt | null {
  if (year === 1) return { code: 0, region: null, apart: [] };
  return year === 2 ? { code: 1, region: 0, apart: [] } : null;
}
