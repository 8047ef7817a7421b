// The one reader of index files, for calibrate and a devnet's oracle. The text comes piece by piece, unpacked and decoded
// (kernel/yaml/files.ts); of its rows only those of the wanted series are kept.

import type { IndexSeries } from "../domain/index-series.ts";
import { CsvFault, type CsvRow, csvRows } from "../kernel/csv.ts";
import { refused, shown } from "../kernel/shown.ts";
import { delimiterOf } from "./delimiter.ts";
import { createLineFaults, IndexFileError, type LineFaults } from "./fault.ts";
import { keyOf } from "./layout.ts";
import { recognize } from "./recognize.ts";
import { createSelection, type Selection, type Series, type Wanted, wantedIn } from "./selection.ts";
import { cellOf, dateIn, type SeriesAt, type Table } from "./table.ts";
import { isMissing, readValue } from "./values.ts";

export type IndexFile = {
  /** The code of the series, or the name of its column. */
  readonly name: string;
  readonly series: IndexSeries;
  /** Which of several columns was used, as a sentence that continues after the file's name; null: there is only one. */
  readonly choice: string | null;
};

/** Rows used to recognize a file whose columns have unknown names. */
const SAMPLE = 50;

/**
 * Returns the history of one series: named by its code, region or column, or as CODE:COLUMN for an unusual column; null: the only series.
 * Throws IndexFileError when the text has no known layout, lacks the series, or has impossible values; and what reading the pieces throws.
 */
export function readIndexFile(pieces: Iterable<string>, asked: string | null): IndexFile {
  const faults = createLineFaults();
  const start: CsvRow[] = [];
  let delimiter = ",";
  let reading: Reading | null = null;
  const begin = (): Reading => {
    const begun = readingOf(start, delimiter, asked, faults);
    for (const row of start.slice(begun.table.isHeadless ? 0 : 1)) begun.take(row);
    return begun;
  };
  const rows = csvRows(pieces, (text) => {
    delimiter = delimiterOf(text);
    return delimiter;
  });
  try {
    for (const row of rows) {
      if (reading !== null) reading.take(row);
      else start.push(row);
      if (start.length > SAMPLE) reading ??= begin();
    }
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    if (start.length > 0) reading ??= begin();
    faults.add(error.line, error.message);
    throw new IndexFileError(faults.listed());
  }
  return found(reading ?? begin(), asked, faults);
}

type Reading = {
  readonly table: Table;
  readonly wanted: Wanted;
  readonly selection: Selection;
  readonly take: (row: CsvRow) => void;
};

const MAKE = "make it parcl_id,date,price_feed with one value a line below, as 5826765,2024-01-31,217.1";

/** Throws IndexFileError where nothing is known to begin as `start` does. */
function readingOf(start: readonly CsvRow[], delimiter: string, asked: string | null, faults: LineFaults): Reading {
  const [head, ...sample] = start;
  if (head === undefined) throw new IndexFileError([`is empty; line 1 names the columns: ${MAKE}`]);
  const width = head.cells.length;
  const whole = sample.flatMap(({ cells }) => (cells.length === width ? [cells] : []));
  const table = recognize(head.cells, whole, delimiter);
  if (table === null)
    throw new IndexFileError([
      `line ${head.line} is ${shown(head.cells.join(delimiter))}, which begins no index file that Quoin knows; ${MAKE}`,
    ]);
  const wanted = wantedIn(asked, table);
  const twice = repeatedName(table, wanted);
  if (twice !== null)
    throw new IndexFileError([`line ${head.line} names the column ${twice} twice; leave one of them out`]);
  const selection = createSelection(wanted.series);
  const takeCells = takerOf(table, { wanted, selection, delimiter, faults });
  const take = ({ line, cells }: CsvRow): void => {
    // A row of dates may end before the last column.
    if (cells.length === width || (table.rows.kind === "series" && cells.length < width)) takeCells(cells, line);
    else faults.add(line, `has ${cells.length} cells, and line ${head.line} has ${width}`);
  };
  return { table, wanted, selection, take };
}

/** The name of a column that is read, where another has it too. */
function repeatedName({ names, rows, isHeadless }: Table, { column }: Wanted): string | null {
  if (isHeadless || rows.kind !== "observations") return null;
  const { date } = rows;
  const dates = date.kind === "day" ? [date.column] : [date.year, date.period];
  const keys = names.map(keyOf);
  const used = [rows.code, column ?? rows.values[0] ?? 0, ...dates];
  const found = used.find((at) => keys.indexOf(keys[at] ?? "") !== keys.lastIndexOf(keys[at] ?? ""));
  return found === undefined ? null : (names[found] ?? null);
}

type Take = (cells: readonly string[], line: number) => void;
type Modules = Pick<Reading, "wanted" | "selection"> & { readonly delimiter: string; readonly faults: LineFaults };

function takerOf({ rows }: Table, { wanted, selection, delimiter, faults }: Modules): Take {
  const add = (series: Series, { date, written }: ReturnType<typeof dateIn>, value: string, line: number): void => {
    if (date === null) {
      faults.add(line, `${refused(written)}a date is a day of the calendar, as 2024-01-31`);
      return;
    }
    const price = isMissing(value) ? null : readValue(value, delimiter);
    if (!isMissing(value) && (price === null || price <= 0n))
      faults.add(line, `${refused(value)}a value is a number above 0, as 217.1`);
    else series.observations.add({ ...date, line, price, written: value });
  };
  if (rows.kind === "dates") {
    const kept = rows.series.flatMap(({ column, name }) => {
      const series = selection.seriesOf({ code: name, region: "", apart: [] });
      return series === null ? [] : [{ column, series }];
    });
    return (cells, line) => {
      for (const { column, series } of kept) add(series, dateIn(cells, rows.date), cellOf(cells, column), line);
    };
  }
  const seriesIn = (cells: readonly string[]) => selection.seriesOf(nameIn(cells, rows));
  if (rows.kind === "series")
    return (cells, line) => {
      const series = seriesIn(cells);
      if (series === null) return;
      for (const { column, date } of rows.dates) add(series, { date, written: "" }, cellOf(cells, column), line);
    };
  const column = wanted.column ?? rows.values[0] ?? 0;
  return (cells, line) => {
    const series = seriesIn(cells);
    if (series !== null) add(series, dateIn(cells, rows.date), cellOf(cells, column), line);
  };
}

const nameIn = (cells: readonly string[], { code, region, apart }: SeriesAt) => ({
  code: cellOf(cells, code),
  region: region === null ? "" : cellOf(cells, region),
  apart: apart.map((column) => cellOf(cells, column)),
});

/** Throws IndexFileError with every fault of the rows, else with why there is no such series. */
function found({ table, wanted, selection }: Reading, asked: string | null, faults: LineFaults): IndexFile {
  const chosen = selection.chosen();
  const series = typeof chosen === "string" ? null : chosen.observations.history(faults);
  if (!faults.isEmpty()) throw new IndexFileError(faults.listed());
  if (typeof chosen === "string") throw new IndexFileError([`${chosen}${columnsIn(table, asked)}`]);
  if (series === null || series.prints.length === 0)
    throw new IndexFileError([`has no value of series ${chosen.code}`]);
  return { name: chosen.code, series, choice: choiceIn(table, wanted, asked ?? chosen.code) };
}

const COLUMNS_LISTED_MAX = 20;

/** For a request that names a missing column. */
const columnsIn = ({ names, rows }: Table, asked: string | null): string =>
  rows.kind === "observations" && asked?.includes(":")
    ? `; its columns are ${names.slice(0, COLUMNS_LISTED_MAX).join(", ")}`
    : "";

function choiceIn({ rows, names }: Table, { column }: Wanted, name: string): string | null {
  if (rows.kind !== "observations" || column !== null) return null;
  const all = rows.values.map((value) => names[value]);
  const [taken, other] = all;
  if (other === undefined) return null;
  return `takes ${taken} of the columns ${all.join(", ")}; name the series ${name}:${other} to take another`;
}
