// Comma-separated values by RFC 4180: cells with commas, quotes or line ends are quoted, quotes inside are doubled. Written with CRLF; read
// with any line end, with or without a byte order mark.

/** Header and rows as text, CRLF after every line. */
export function encodeCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");
}

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export type CsvRow = {
  /** Line on which the row begins, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why its quotes cannot be read; null if they can. */
  readonly fault: string | null;
};

/** Rows without blank ones, header included. An unclosed quote takes the rest of the text into its row. */
export function decodeCsv(text: string): readonly CsvRow[] {
  const rows: CsvRow[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  for (let line = 1; at < text.length; line += 1) {
    const startLine = line;
    const cells: string[] = [];
    let fault: string | null = null;
    for (let isLast = false; !isLast; ) {
      const cell = cellAt(text, at);
      line += lineEndsIn(text.slice(at, cell.end));
      cells.push(cell.text);
      fault ??= cell.fault;
      isLast = text[cell.end] !== ",";
      at = isLast ? cell.end : cell.end + 1;
    }
    at += text.startsWith("\r\n", at) ? 2 : 1;
    if (fault !== null || cells.length > 1 || cells[0]?.trim() !== "") rows.push({ line: startLine, cells, fault });
  }
  return rows;
}

type Cell = { readonly text: string; readonly end: number; readonly fault: string | null };

function cellAt(text: string, start: number): Cell {
  if (text[start] !== '"') {
    const end = cellEnd(text, start);
    const bare = text.slice(start, end);
    return { text: bare, end, fault: bare.includes('"') ? "a quote stands inside a cell that is not in quotes" : null };
  }
  let close = text.indexOf('"', start + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close === -1) return { text: text.slice(start + 1), end: text.length, fault: "a quote is not closed" };
  const end = cellEnd(text, close + 1);
  const inside = text.slice(start + 1, close).replaceAll('""', '"');
  const isRight = text.slice(close + 1, end).trim() === "";
  return { text: inside, end, fault: isRight ? null : "text follows the closing quote of a cell" };
}

const CELL_ENDS = new Set([",", "\r", "\n"]);

/** Position of the next comma or line end, or the end of the text. */
function cellEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && !CELL_ENDS.has(text[end] ?? "")) end += 1;
  return end;
}

const lineEndsIn = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;
