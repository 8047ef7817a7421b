// Comma-separated values: what is written is read again, RFC 4180's quotes, every line end, and quotes that cannot be read.

import { expect, test } from "vitest";
import { CsvFault, csvRows, decodeCsv, encodeCsv } from "../../../src/kernel/csv.ts";

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
    { line: 1, cells: ["a", "b"] },
    { line: 3, cells: ["1\n2", "3"] },
    { line: 5, cells: ["4", "5"] },
  ]);
});

test("an empty last cell is a cell, an empty text no row", () => {
  expect(cellsOf("a,\n,b")).toEqual([
    ["a", ""],
    ["", "b"],
  ]);
  expect(cellsOf("")).toEqual([]);
});

test("lines of one text may end differently", () => {
  expect(cellsOf("a,b\r\nc,d\ne,f\r\n")).toEqual([
    ["a", "b"],
    ["c", "d"],
    ["e", "f"],
  ]);
});

test("the delimiter may be another", () => {
  expect([...csvRows(['a;"b;c"\n1;2,5'], () => ";")].map(({ cells }) => cells)).toEqual([
    ["a", "b;c"],
    ["1", "2,5"],
  ]);
});

test.each(["\n", "\r\n", "\r"])("wherever a text with %j is cut into pieces, its rows are the same", (end) => {
  const text = ["a,b", '"x ""y"", z",1', '"two', 'lines",2', "", "c,d", ""].join(end);
  const whole = decodeCsv(text);
  expect(whole.map(({ line }) => line)).toEqual([1, 2, 3, 6]);
  for (let cut = 0; cut <= text.length; cut += 1)
    expect([...csvRows([text.slice(0, cut), text.slice(cut)])], `cut at ${cut}`).toEqual(whole);
  expect([...csvRows(text)]).toEqual(whole);
});

test.each([
  ['a,"b\nc,d', "a quote is not closed"],
  ['a,b"c"\nd,e', "a quote stands inside a cell that is not in quotes"],
  ['"a"b,c\nd,e', "text follows the closing quote of a cell"],
])("%j is refused at its line, after the rows before it", (text, message) => {
  const rows: unknown[] = [];
  const read = () => {
    for (const { cells } of csvRows([`x,y\n1,"2\n3"\n${text}`])) rows.push(cells);
  };
  expect(read).toThrow(CsvFault);
  expect(read).toThrow(expect.objectContaining({ line: 4, message }));
  expect(rows.slice(0, 2)).toEqual([
    ["x", "y"],
    ["1", "2\n3"],
  ]);
});

test("a quote that is never closed is a fault once a row has more than a mebibyte", () => {
  let given = 0;
  function* endless() {
    yield 'x,y\n1,"';
    for (;;) {
      given += 1;
      yield "2\n".repeat(1000);
    }
  }
  expect(() => [...csvRows(endless())]).toThrow(expect.objectContaining({ line: 2 }));
  expect(given).toBeLessThan(1000);
});
