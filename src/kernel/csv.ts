// Comma-separated values by RFC 4180: lines end in CRLF, cells with commas, quotes or line ends stand in quotes, quotes are doubled.

/** Header and rows as text, CRLF after each line, the last one included. */
export function encodeCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");
}

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
