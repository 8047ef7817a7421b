// Comma-separated values by RFC 4180: cells with commas, quotes or line ends are quoted, quotes inside are doubled. Written with CRLF; read
// by csv-parse with any line ends, any delimiter, and with or without a byte order mark.

import { CsvError, parse } from "csv-parse/sync";

/** Header and rows as text, CRLF after every line. */
export function encodeCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");
}

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export type CsvRow = {
  /** Line on which the row begins, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
};

/** A row that cannot be read, so that the rest cannot be trusted: after a wrong quote it is unknown what is inside quotes. */
export class CsvFault extends Error {
  /** The line on which the row begins, counted from 1. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Characters of a row: a table of 26,000 regions has some 5,000. A longer one is a quote that is not closed. */
const ROW_MAX = 1024 * 1024;
/** Characters parsed per piece. */
const PIECE = 64 * 1024;

/**
 * Rows without the blank ones, the header included. `pieces` are the text, cut anywhere; the rows of 64 KiB are held at a time.
 * `delimiterOf` sees how the text begins, at least its first line. Throws CsvFault after the rows that could be read.
 */
export function* csvRows(
  pieces: Iterable<string>,
  delimiterOf: (start: string) => string = () => ",",
): Generator<CsvRow, void> {
  let [line, rest, delimiter] = [1, "", ""];
  function* rowsOf(text: string): Generator<CsvRow, void> {
    const isStart = delimiter === "";
    if (isStart) delimiter = delimiterOf(text);
    const { rows, fault } = parsed(text, delimiter, isStart);
    const hasQuotes = text.includes('"');
    for (const cells of rows) {
      if (cells.length > 1 || cells[0]?.trim() !== "") yield { line, cells };
      line += hasQuotes ? cells.reduce((lines, cell) => lines + lineEndsIn(cell), 1) : 1;
    }
    if (fault !== null) throw new CsvFault(line, fault);
  }
  for (const piece of inParts(pieces)) {
    rest += piece;
    const end = rest.length > ROW_MAX ? endOfRows(rest) || rest.length : endOfRows(rest);
    if (end === 0) continue;
    const whole = rest.slice(0, end);
    rest = rest.slice(end);
    yield* rowsOf(whole);
  }
  if (rest !== "") yield* rowsOf(rest);
}

function* inParts(pieces: Iterable<string>): Generator<string, void> {
  for (const piece of pieces) for (let at = 0; at < piece.length; at += PIECE) yield piece.slice(at, at + PIECE);
}

/** All rows of a text. Throws CsvFault. */
export const decodeCsv = (text: string): readonly CsvRow[] => [...csvRows([text])];

type Parsed = { readonly rows: readonly (readonly string[])[]; readonly fault: string | null };

const faults: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE: "a quote stands inside a cell that is not in quotes",
  CSV_INVALID_CLOSING_QUOTE: "text follows the closing quote of a cell",
  CSV_QUOTE_NOT_CLOSED: "a quote is not closed",
  CSV_MAX_RECORD_SIZE: "a quote is not closed, or the line is longer than 1 MiB",
};

/** Blank lines are rows of one empty cell. */
function parsed(text: string, delimiter: string, isStart: boolean): Parsed {
  const options = {
    delimiter,
    bom: isStart,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    max_record_size: ROW_MAX,
  };
  try {
    return { rows: parse(text, options), fault: null };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const before = Number(error.records);
    return {
      rows: before > 0 ? parse(text, { ...options, to: before }) : [],
      fault: faults[error.code] ?? error.message,
    };
  }
}

/** Where the last whole row of `text` ends; 0: it has none. A line end inside of quotes ends no row. */
function endOfRows(text: string): number {
  const lineEnd = text.includes("\n") ? "\n" : "\r";
  // A carriage return at the end of a piece may be half of a line end.
  const last = lineEnd === "\r" ? text.length - 1 : text.length;
  let [end, from, isQuoted] = [0, 0, false];
  while (from < last) {
    const quote = text.indexOf('"', from);
    const until = quote === -1 ? last : Math.min(quote, last);
    const at = isQuoted || until === 0 ? -1 : text.lastIndexOf(lineEnd, until - 1);
    if (at >= from) end = at + 1;
    if (quote === -1) break;
    from = quote + 1;
    isQuoted = !isQuoted;
  }
  return end;
}

const lineEndsIn = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;
