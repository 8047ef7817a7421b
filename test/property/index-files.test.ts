// An index file says the same however a program has written it: the order and case of its columns, the order of its rows, its delimiter,
// encoding and line ends change nothing that is read.

import fc from "fast-check";
import { expect, test } from "vitest";
import { readIndexFile } from "../../src/index-files/read.ts";
import { decoded } from "../../src/kernel/text-encoding.ts";

type Written = {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly asked: string;
};

const value = fc.integer({ min: 15_000, max: 25_000 }).map((cents) => (cents / 100).toFixed(2));
const values = fc.array(value, { minLength: 3, maxLength: 70 });
const day = (at: number) => new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10);

const parcl = values.map(
  (all): Written => ({
    names: ["parcl_id", "date", "price_feed", "name"],
    rows: all.flatMap((each, at) => [
      ["5", day(at), each, "Ynys Môn"],
      ["6", day(at), "1", "New York, NY"],
    ]),
    asked: "5",
  }),
);
const landRegistry = values.map(
  (all): Written => ({
    names: ["Date", "RegionName", "AreaCode", "AveragePrice", "Index", "IndexSA"],
    rows: all.map((each, at) => {
      const month = `${(at % 12) + 1}`.padStart(2, "0");
      return [`01/${month}/${2015 + Math.floor(at / 12)}`, "Bath, City of", "E06", "300000", each, ""];
    }),
    asked: "Bath, City of",
  }),
);
const fhfa = values.map(
  (all): Written => ({
    names: ["city", "metro_name", "yr", "qtr", "index_nsa"],
    rows: all.map((each, at) => ["10180", "Abilene, TX", `${2000 + Math.floor(at / 4)}`, `${(at % 4) + 1}`, each]),
    asked: "10180",
  }),
);

const spelling = fc.record({
  columns: fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
  rows: fc.array(fc.nat(), { minLength: 140, maxLength: 140 }),
  rename: fc.constantFrom(
    (name: string) => name,
    (name: string) => name.toUpperCase(),
    (name: string) => name.toLowerCase(),
    (name: string) => ` ${name.replaceAll("_", " ")} `,
  ),
  delimiter: fc.constantFrom(",", ";", "\t", "|"),
  hasQuotes: fc.boolean(),
  lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
  encode: fc.constantFrom(
    (text: string) => Buffer.from(text),
    (text: string) => Buffer.from(`\uFEFF${text}`),
    (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le"),
    (text: string) => Buffer.from(text, "utf16le").swap16(),
  ),
  pieceBytes: fc.integer({ min: 2, max: 500 }),
});

test("order, case, delimiter, quotes, line ends, encoding and pieces change nothing that is read", () => {
  fc.assert(
    fc.property(fc.oneof(parcl, landRegistry, fhfa), spelling, (written, how) => {
      const { names, rows, asked } = written;
      const plain = [names, ...rows].map((cells) => cells.map(quoted).join(",")).join("\n");
      const order = sortedBy(
        names.map((_, at) => at),
        how.columns,
      );
      const table = [names.map(how.rename), ...sortedBy(rows, how.rows)].map((cells) =>
        order.map((at) => cells[at] ?? ""),
      );
      const write = (cell: string) => (how.hasQuotes || cell.includes(how.delimiter) ? quoted(cell) : cell);
      const text = table.map((cells) => cells.map(write).join(how.delimiter)).join(how.lineEnd);
      const pieces = decoded(inPieces(how.encode(text), how.pieceBytes));
      const [expected, found] = [readIndexFile([plain], asked), readIndexFile(pieces, asked)];
      expect(found.series).toEqual(expected.series);
      expect(found.name).toBe(expected.name);
    }),
  );
});

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

const sortedBy = <Item>(items: readonly Item[], keys: readonly number[]): readonly Item[] =>
  items
    .map((item, at) => ({ item, key: keys[at] ?? 0 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);

function* inPieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
