// Export: every row, every digit, and text that other programs read as it was meant.

import { expect, test } from "vitest";
import { csvLine, type ExportFormat, exportTable } from "../../../../src/bot/ledger/export.ts";
import type { LedgerRow } from "../../../../src/bot/ledger/store.ts";

/** All rows as lines, under the named columns. */
const lines = (
  format: ExportFormat,
  rows: readonly LedgerRow[],
  names: readonly string[] = Object.keys(rows[0] ?? {}),
) => {
  const columns = names.map((name) => ({ name, isInteger: false }));
  return [...exportTable({ rows: () => rows }, { table: "fills", columns }, format)];
};

test("CSV has a header, quotes what needs it, and ends lines as RFC 4180 says", () => {
  const rows = [
    { id: "18446744073709551615", remark: 'said "no", twice', fee: null },
    { id: "2", remark: "two\nlines", fee: "-5" },
  ];
  expect(lines("csv", rows).join("")).toBe(
    'id,remark,fee\r\n18446744073709551615,"said ""no"", twice",\r\n2,"two\nlines",-0.000005\r\n',
  );
});

test.each([
  ["=1+1", "'=1+1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["-1+cmd", "'-1+cmd"],
  ["+1", "+1"],
  ["-170141183460469231731687303715884105728", "-170141183460469231731687303715884105728"],
  ["-0.5", "-0.5"],
  ["-0.5.5", "'-0.5.5"],
  ["plain", "plain"],
])("CSV keeps %s from becoming a formula, and numbers numbers", (text, shown) => {
  expect(lines("csv", [{ a: text }])[1]).toBe(`${shown}\r\n`);
});

test("JSON is an object a line, all values text or null", () => {
  const rows = [
    { id: "18446744073709551615", fee: null },
    { id: "2", fee: "-5" },
  ];
  const printed = lines("json", rows);
  expect(printed.map((line) => JSON.parse(line))).toEqual([rows[0], { id: "2", fee: "-0.000005" }]);
  expect(printed.every((line) => line.endsWith("}\n"))).toBe(true);
});

test("prices, sizes and amounts are decimals of the exchange's scales; ids, and what is no whole number, stay", () => {
  const row = {
    order_id: "7",
    price: "41312000000",
    size: "500000",
    fee: "-1",
    inventory: "-7952500",
    reference_price: "?",
  };
  const [line] = lines("json", [row]);
  expect(JSON.parse(line ?? "")).toEqual({
    order_id: "7",
    price: "413.12",
    size: "0.5",
    fee: "-0.000001",
    inventory: "-7.9525",
    reference_price: "?",
  });
});

test("an empty table is a CSV with its header, and no JSON", () => {
  expect(lines("csv", [], ["id", "fee"])).toEqual(["id,fee\r\n"]);
  expect(lines("json", [], ["id", "fee"])).toEqual([]);
});

test("edge: a row of an older archive lacks a column, which stays empty", () => {
  expect(lines("csv", [{ id: "1" }, { id: "2", at_ms: "7" }], ["id", "at_ms"])).toEqual([
    "id,at_ms\r\n",
    "1,\r\n",
    "2,7\r\n",
  ]);
});

test("forbidden: a cell that orders the terminal about, or that a spreadsheet takes for a formula", () => {
  expect(csvLine(["\u001b[2J", "=1+1", 'a "b"', "\u202e", "-1.5"])).toBe(
    '\\u001b[2J,\'=1+1,"a ""b""",\\u202e,-1.5\r\n',
  );
});
