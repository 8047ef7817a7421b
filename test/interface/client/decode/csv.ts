// Comma-separated values by RFC 4180, read; src/kernel/csv.ts writes them.

import { CodedError } from "../../../../src/kernel/errors.ts";

export class CsvError extends CodedError<"csv_malformed"> {}

/** Rows of cells; lines may end in LF alone and the last one in nothing. Throws CsvError. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at) : bareCell(text, at);
    row.push(cell.value);
    at = cell.end;
    if (text[at] === ",") {
      at += 1;
      if (at < text.length) continue;
      row.push("");
    }
    rows.push(row);
    row = [];
    at += text.startsWith("\r\n", at) ? 2 : 1;
  }
  return rows;
}

type Cell = { readonly value: string; readonly end: number };

function bareCell(text: string, start: number): Cell {
  let end = start;
  while (end < text.length && text[end] !== "," && text[end] !== "\n" && !text.startsWith("\r\n", end)) {
    if (text[end] === '"') throw new CsvError("csv_malformed", "a quote stands inside a cell without quotes");
    end += 1;
  }
  return { value: text.slice(start, end), end };
}

function quotedCell(text: string, start: number): Cell {
  let value = "";
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] !== '"') value += text[at];
    else if (text[at + 1] === '"') {
      value += '"';
      at += 1;
    } else return { value, end: checkedEnd(text, at + 1) };
  }
  throw new CsvError("csv_malformed", "a quoted cell does not end");
}

/** What follows a closing quote is a comma, a line's end or nothing. */
function checkedEnd(text: string, end: number): number {
  const follows = text.slice(end, end + 2);
  if (follows === "" || /^(?:,|\n|\r\n)/.test(follows)) return end;
  throw new CsvError("csv_malformed", "text follows a quoted cell");
}

/** Each row as values by the header's names, whatever the order of columns. Throws CsvError where a row is longer or shorter. */
export function csvRecords(text: string): readonly Readonly<Record<string, string>>[] {
  const [header, ...rows] = parseCsv(text);
  if (header === undefined) throw new CsvError("csv_malformed", "the text has no header");
  if (new Set(header).size !== header.length) throw new CsvError("csv_malformed", "a column has the name of another");
  return rows.map((cells, index) => {
    if (cells.length !== header.length) {
      throw new CsvError("csv_malformed", `line ${index + 2} has ${cells.length} cells, the header ${header.length}`);
    }
    return Object.fromEntries(header.map((name, column) => [name, cells[column] ?? ""]));
  });
}
