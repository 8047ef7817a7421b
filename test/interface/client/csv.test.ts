// Comma-separated values by RFC 4180, written and read.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeCsv } from "../../../src/kernel/csv.ts";
import { CsvError, csvRecords, parseCsv } from "./decode/csv.ts";

test("lines end in CRLF, and only cells that need them stand in quotes", () => {
  expect(
    encodeCsv(
      ["a", "b c"],
      [
        ["1,5", 'say "hi"'],
        ["x\ny", ""],
      ],
    ),
  ).toBe('a,b c\r\n"1,5","say ""hi"""\r\n"x\ny",\r\n');
});

test("parse(encode(rows)) = rows", () => {
  const cell = fc.oneof(fc.string(), fc.stringMatching(/^[",\r\n a]{0,6}$/));
  const table = fc.integer({ min: 1, max: 4 }).chain((width) => {
    const row = fc.array(cell, { minLength: width, maxLength: width });
    return fc.tuple(row, fc.array(row));
  });
  fc.assert(
    fc.property(table, ([header, rows]) => {
      expect(parseCsv(encodeCsv(header, rows))).toEqual([header, ...rows]);
    }),
  );
});

describe("parseCsv", () => {
  test.each([
    ["", []],
    ["a,b", [["a", "b"]]],
    [
      "a,b\n1,2\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "a,\r\n,b\r\n",
      [
        ["a", ""],
        ["", "b"],
      ],
    ],
    ["a,", [["a", ""]]],
    ['"a""b","c\r\nd"', [['a"b', "c\r\nd"]]],
    ['""\r\n', [[""]]],
  ])("%j", (text, rows) => {
    expect(parseCsv(text)).toEqual(rows);
  });

  test.each(['"a', 'a"b', '"a"b', '"a" ,b', '"""', 'a,"b\n'])("%j is malformed", (text) => {
    expect(() => parseCsv(text)).toThrow(CsvError);
  });
});

describe("csvRecords", () => {
  test("finds values by the header's names, whatever their order", () => {
    expect(csvRecords("b,a\r\n2,1\r\n")).toEqual([{ a: "1", b: "2" }]);
    expect(csvRecords("a\r\n")).toEqual([]);
  });

  test.each(["", "a,b\r\n1\r\n", "a\r\n1,2\r\n", "a,a\r\n1,2\r\n"])("%j is malformed", (text) => {
    expect(() => csvRecords(text)).toThrow(CsvError);
  });
});
