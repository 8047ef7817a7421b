// What people and programs write around a number, read exactly.

import { describe, expect, test } from "vitest";
import { isMissing, readValue } from "../../../src/index-files/values.ts";

const E8 = 100_000_000n;

test.each([
  ["217", 217n * E8],
  ["217.10000000000002", 21_710_000_000n],
  ["217.09999999999997", 21_710_000_000n],
  ["217.123456785", 21_712_345_679n],
  ["0.00000001", 1n],
  ["2.170576e+02", 21_705_760_000n],
  ["2.17E2", 217n * E8],
  ["1e-8", 1n],
  ["1,085.29", 108_529_000_000n],
  ["1,234,567", 1_234_567n * E8],
  ["1 085.29", 108_529_000_000n],
  ["1'085.29", 108_529_000_000n],
  ["$1,085.29", 108_529_000_000n],
  ["US$217.1", 21_710_000_000n],
  ["£301285", 301_285n * E8],
  ["\uFFFD301285", 301_285n * E8],
  ["217,1 €", 21_710_000_000n],
  ["5 USD", 5n * E8],
  ["$401.7K", 401_700n * E8],
  ["1.25M", 1_250_000n * E8],
  ["0.9b", 900_000_000n * E8],
  ["-5", -5n * E8],
  ["-$5", -5n * E8],
])("%j is %s units of 1e-8", (written, raw) => {
  expect(readValue(written, ",")).toBe(raw);
});

describe("a comma", () => {
  test.each([
    ["217,057", ";", 21_705_700_000n],
    ["217,057", ",", 217_057n * E8],
    ["217,057", "\t", 217_057n * E8],
    ["217,05", ",", 21_705_000_000n],
    ["1.085,29", ";", 108_529_000_000n],
    ["1,085.29", ";", 108_529_000_000n],
    ["1,234,567", ";", 1_234_567n * E8],
  ])("of %s in a file of %j is what the file's delimiter makes of it", (written, delimiter, raw) => {
    expect(readValue(written, delimiter)).toBe(raw);
  });
});

test.each([
  "abc",
  "inf",
  "-Infinity",
  "0x10",
  "1,2,3",
  "12,34.5",
  "1.2.3",
  "5.",
  "5%",
  "1e99",
  "99999999999999",
  "--5",
  "$",
  "1 2",
  "2024-01-01",
])("%j is no value", (written) => {
  expect(readValue(written, ",")).toBe(null);
});

test("a cell without a value says so in the words of many programs, a zero is a value", () => {
  for (const none of ["", ".", "NaN", "nan", "NA", "N/A", "#N/A", "null", "None", "-"])
    expect(isMissing(none)).toBe(true);
  for (const some of ["0", "none of it", "-1", ".."]) expect(isMissing(some)).toBe(false);
});
