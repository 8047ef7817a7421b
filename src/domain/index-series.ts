// The history of an index as a CSV file tells it (contract section 3): a header, then one print a row, several series in one file.

import { parseDecimal } from "../kernel/decimal.ts";
import { nearest } from "../kernel/nearest.ts";
import { PRICE_SCALE, type Price, price } from "./units.ts";

export type DatedPrint = { readonly date: string; readonly price: Price };

const HEADER = "parcl_id,date,price_feed";
/** Series that a fault names. */
const NAMED_MAX = 5;

/**
 * The prints of one series, oldest first. Throws RangeError with one sentence (the line counted from 1) when the text is no such file
 * or lacks the series.
 */
export function readIndexSeries(csv: string, seriesId: string): readonly DatedPrint[] {
  const [header, ...rows] = csv.split(/\r?\n/);
  if (header?.trim() !== HEADER) throw new RangeError(`line 1 must be ${HEADER}`);
  const prints: DatedPrint[] = [];
  const others = new Set<string>();
  for (const [index, row] of rows.entries()) {
    if (row.trim() === "") continue;
    const [series = "", date, written, ...more] = row.split(",");
    if (series !== seriesId && more.length === 0) others.add(series);
    else prints.push(readRow(date, written, more.length, index + 2));
  }
  if (prints.length === 0) throw new RangeError(`has no row of series ${seriesId}${hint(seriesId, [...others])}`);
  return prints.sort((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date)));
}

function hint(wanted: string, others: readonly string[]): string {
  const near = nearest(wanted, others);
  if (near !== undefined) return `; did you mean ${near}?`;
  if (others.length === 0) return "";
  return `; it has ${others.slice(0, NAMED_MAX).join(", ")}${others.length > NAMED_MAX ? ", …" : ""}`;
}

function readRow(date: string | undefined, written: string | undefined, extra: number, line: number): DatedPrint {
  if (date === undefined || written === undefined || extra > 0 || !/^\d{4}-\d{2}-\d{2}$/.test(date)) {
    throw new RangeError(`line ${line} must be a parcl_id, a date as 2024-01-31 and a price`);
  }
  let raw: bigint;
  try {
    raw = parseDecimal(written.trim(), PRICE_SCALE);
  } catch (cause) {
    throw new RangeError(`line ${line} has no price in ${JSON.stringify(written)}`, { cause });
  }
  if (raw <= 0n) throw new RangeError(`line ${line} has a price that is not above 0`);
  return { date, price: price(raw) };
}
