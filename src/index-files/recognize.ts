// Recognizes a file's layout: a publisher's by the names of its columns, else by their content.

import { readDate } from "./dates.ts";
import type { DateColumns, Layout } from "./layout.ts";
import { isRowNumber, keyOf } from "./layout.ts";
import { fhfaMaster, fhfaRegions } from "./publishers/fhfa.ts";
import { fred } from "./publishers/fred.ts";
import { landRegistry } from "./publishers/land-registry.ts";
import { parcl } from "./publishers/parcl.ts";
import { redfin } from "./publishers/redfin.ts";
import { zillow } from "./publishers/zillow.ts";
import { byShape, isNumbers } from "./shape.ts";
import type { DateAt, Table } from "./table.ts";

/** Those that need the most columns first: FRED's one column, a date, is in other files too. */
const layouts: readonly Layout[] = [parcl, fhfaMaster, fhfaRegions, redfin, landRegistry, zillow, fred];

/** `head` is line 1, `sample` the rows below it. Null: no layout that is known. */
export function recognize(
  head: readonly string[],
  sample: readonly (readonly string[])[],
  delimiter: string,
): Table | null {
  const names = head.map((name) => name.trim());
  for (const layout of layouts) {
    const rows = rowsOf(layout, names, sample, delimiter);
    if (rows !== null) return { names, isHeadless: false, rows };
  }
  return byShape(names, sample, delimiter);
}

/** Null: a column is missing that the layout needs. */
function rowsOf(
  layout: Layout,
  names: readonly string[],
  sample: readonly (readonly string[])[],
  delimiter: string,
): Table["rows"] | null {
  const keys = names.map(keyOf);
  const find = (wanted: readonly string[]) => wanted.map((key) => keys.indexOf(key)).find((at) => at !== -1);
  const findAll = (wanted: readonly string[]) => wanted.map((key) => keys.indexOf(key)).filter((at) => at !== -1);
  if (layout.rows === "dates") {
    const date = dateAt(layout.date, find);
    if (date?.kind !== "day" || names.slice(0, date.column).some((name) => !isRowNumber(name))) return null;
    const others = names.flatMap((name, column) =>
      column === date.column || isRowNumber(name) ? [] : [{ column, name }],
    );
    const areNumbers = others.every(({ column }) => isNumbers(sample, column, delimiter));
    return areNumbers && others.length > 0 ? { kind: "dates", date, series: others } : null;
  }
  const code = find(layout.code);
  if (code === undefined) return null;
  const series = { code, region: find(layout.region) ?? null, apart: findAll(layout.apart) };
  if (layout.rows === "series") {
    const dates = names.flatMap((name, column) => {
      const date = readDate(name, "yearFirst");
      return date === null ? [] : [{ column, date }];
    });
    return dates.length === 0 ? null : { kind: "series", ...series, dates };
  }
  const date = dateAt(layout.date, find);
  const values = findAll(layout.values);
  return date === null || values.length === 0 ? null : { kind: "observations", ...series, date, values };
}

function dateAt(date: DateColumns, find: (wanted: readonly string[]) => number | undefined): DateAt | null {
  if (date.kind === "day") {
    const column = find(date.column);
    return column === undefined ? null : { kind: "day", column, form: date.form };
  }
  const [year, period] = [find(date.year), find(date.period)];
  if (year === undefined || period === undefined) return null;
  if (date.perYear !== null) return { kind: "period", year, period, perYear: date.perYear };
  const frequency = find(["frequency"]);
  return frequency === undefined ? null : { kind: "frequency", year, period, frequency };
}
