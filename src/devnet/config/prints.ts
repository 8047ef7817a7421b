// Reads the prints of one series from a CSV file (header parcl_id,date,price_feed), oldest first.

import { PRICE_SCALE, type Price, price } from "../../domain/units.ts";
import { parseDecimal } from "../../kernel/decimal.ts";

export type Print = { readonly date: string; readonly price: Price };

const HEADER = "parcl_id,date,price_feed";

/** Throws RangeError with one sentence (the line counted from 1) when the text is no such file or lacks the series. */
export function readPrints(csv: string, seriesId: string): readonly Print[] {
  const [header, ...rows] = csv.split(/\r?\n/);
  if (header?.trim() !== HEADER) throw new RangeError(`line 1 must be ${HEADER}`);
  const prints: Print[] = [];
  for (const [index, row] of rows.entries()) {
    if (row.trim() === "") continue;
    const [series, date, written, ...more] = row.split(",");
    if (series !== seriesId && more.length === 0) continue;
    prints.push(readRow(date, written, more.length, index + 2));
  }
  if (prints.length === 0) throw new RangeError(`has no row of series ${seriesId}`);
  return prints.sort((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date)));
}

function readRow(date: string | undefined, written: string | undefined, extra: number, line: number): Print {
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
