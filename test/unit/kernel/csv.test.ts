// Comma-separated values: what is written is read again, RFC 4180's quotes, every line end, and quotes that cannot be read.

import { expect, test } from "vitest";
import { decodeCsv, encodeCsv } from "../../../src/kernel/csv.ts";

const cellsOf = (text: string) => decodeCsv(text).map(({ cells }) => cells);

test("what was written is read again, cells with commas, quotes and line ends included", () => {
  const rows = [
    ["a", 'says "no", twice', ""],
    ["b\r\nc", ",", "\n"],
  ];
  expect(cellsOf(encodeCsv(["x", "y", "z"], rows))).toEqual([["x", "y", "z"], ...rows]);
});

test.each(["\n", "\r\n", "\r"])("lines may end in %j, blank ones count for nothing but their number", (end) => {
  expect(decodeCsv(["\uFEFFa,b", "", '"1\n2",3', "4,5"].join(end))).toEqual([
    { line: 1, cells: ["a", "b"], fault: null },
    { line: 3, cells: ["1\n2", "3"], fault: null },
    { line: 5, cells: ["4", "5"], fault: null },
  ]);
});

test("an empty last cell is a cell, an empty text no row", () => {
  expect(cellsOf("a,\n,b")).toEqual([
    ["a", ""],
    ["", "b"],
  ]);
  expect(cellsOf("")).toEqual([]);
});

test.each([
  ['a,"b\nc,d', "a quote is not closed"],
  ['a,b"c"\nd,e', "a quote stands inside a cell that is not in quotes"],
  ['"a"b,c\nd,e', "text follows the closing quote of a cell"],
])("%j is refused at its line", (text, fault) => {
  expect(decodeCsv(`x,y\n${text}`)[1]).toMatchObject({ line: 2, fault });
});
