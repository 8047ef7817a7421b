// Exports a table of the ledger as text for other programs: CSV with a header (RFC 4180), or one JSON object per line. Prices, sizes and
// amounts are exact decimals in USD, contracts and USDC; every value is text, so that no reader rounds a large number.

import { AMOUNT_SCALE, PRICE_SCALE, SIZE_SCALE } from "../../domain/units.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import { printableLines } from "../../kernel/printable.ts";
import type { LedgerColumn, LedgerReads, LedgerRow, LedgerTable } from "./store.ts";

export type ExportFormat = "csv" | "json";

/**
 * Lines with their line ends, row by row: nothing is buffered. An empty table is a CSV with only its header. Throws what the storage
 * throws.
 */
export function* exportTable(
  read: Pick<LedgerReads, "rows">,
  { table, columns }: { readonly table: LedgerTable; readonly columns: readonly LedgerColumn[] },
  format: ExportFormat,
): Iterable<string> {
  const names = columns.map(({ name }) => name);
  if (format === "csv") yield csvLine(names);
  for (const stored of read.rows(table)) {
    const row = inDecimals(stored);
    yield format === "json" ? `${JSON.stringify(row)}\n` : csvLine(names.map((name) => row[name] ?? ""));
  }
}

/** Decimals of columns that hold whole numbers in the exchange's scales, by column name. */
export const scales: Readonly<Record<string, number>> = {
  price: PRICE_SCALE,
  reference_price: PRICE_SCALE,
  entry_price: PRICE_SCALE,
  oracle_price: PRICE_SCALE,
  print: PRICE_SCALE,
  mid: PRICE_SCALE,
  size: SIZE_SCALE,
  inventory: SIZE_SCALE,
  fee: AMOUNT_SCALE,
  realized_pnl: AMOUNT_SCALE,
  amount: AMOUNT_SCALE,
  collateral: AMOUNT_SCALE,
  unrealized_pnl: AMOUNT_SCALE,
  unexplained: AMOUNT_SCALE,
  lifetime_volume: AMOUNT_SCALE,
};

const inDecimals = (row: LedgerRow): LedgerRow =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, decimalOf(value, scales[column])]));

/** A value that is not a whole number is exported unchanged, so that a damaged row stays visible. */
const decimalOf = (value: string | null, scale: number | undefined): string | null =>
  value === null || scale === undefined || !/^-?\d+$/.test(value) ? value : formatDecimal(BigInt(value), scale);

/** Cells as a line of RFC 4180 with its line end. No cell can become a formula, or a terminal command. */
export const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => quoted(printableLines(cell))).join(",")}\r\n`;

/** A spreadsheet reads a cell that begins with one of these as a formula; text from the exchange must not become one. */
const FORMULA = /^[=@\t\r]|^[+-](?!\d+(?:\.\d+)?$)/;

function quoted(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
