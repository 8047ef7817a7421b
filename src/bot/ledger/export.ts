// A table of the ledger as text for other programs: CSV with a header (RFC 4180), or one JSON object a line. Every value is text, so
// that no reader rounds a large number.

import type { LedgerReads, LedgerRow, LedgerTable } from "./store.ts";

export type ExportFormat = "csv" | "json";

/** Lines with their ends, as the rows come: nothing is gathered. An empty table gives no line. Throws what the storage throws. */
export function* exportTable(
  read: Pick<LedgerReads, "rows">,
  table: LedgerTable,
  format: ExportFormat,
): Iterable<string> {
  let columns: readonly string[] | null = null;
  for (const row of read.rows(table)) {
    if (format === "json") {
      yield `${JSON.stringify(row)}\n`;
      continue;
    }
    if (columns === null) {
      columns = Object.keys(row);
      yield csvLine(columns);
    }
    yield csvLine(columns.map((column) => cell(row, column)));
  }
}

const cell = (row: LedgerRow, column: string): string => row[column] ?? "";
const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(",")}\r\n`;

/** A spreadsheet takes a cell that begins with one of these for a formula; what the exchange wrote must not become one. */
const FORMULA = /^[=@\t\r]|^[+-](?!\d+$)/;

function quoted(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
