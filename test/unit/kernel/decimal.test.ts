// Decimal text to whole numbers at a scale and back: exact, or an error that says why not.

import { describe, expect, test } from "vitest";
import { DecimalError, formatDecimal, parseDecimal } from "../../../src/kernel/decimal.ts";

/** The code that parsing `text` at scale 8 fails with, or undefined. */
function codeOf(text: string): string | undefined {
  try {
    parseDecimal(text, 8);
    return undefined;
  } catch (thrown) {
    return thrown instanceof DecimalError ? thrown.code : "something else";
  }
}

describe("parseDecimal", () => {
  test.each([
    ["216.94", 8, 21_694_000_000n],
    ["0.5", 6, 500_000n],
    ["100000", 6, 100_000_000_000n],
    ["-0.00000001", 8, -1n],
    ["0", 8, 0n],
    ["-0", 8, 0n],
    ["007", 0, 7n],
    ["1.500000000000", 6, 1_500_000n],
    ["170141183460469231731687303715884105727", 0, 2n ** 127n - 1n],
  ])("%s at scale %d", (text, scale, value) => {
    expect(parseDecimal(text, scale)).toBe(value);
  });

  test.each([
    "",
    " ",
    " 1",
    "1 ",
    "+1",
    "1e3",
    "1E3",
    ".5",
    "5.",
    ".",
    "-",
    "--1",
    "1_000",
    "1,000",
    "0x10",
    "NaN",
    "Infinity",
    "١",
    "1\n",
  ])("refuses %j", (text) => {
    expect(codeOf(text)).toBe("decimal_malformed");
  });

  test("refuses more decimals than the scale has, it does not round", () => {
    expect(codeOf("1.000000001")).toBe("decimal_precision");
    expect(() => parseDecimal("0.5", 0)).toThrow(DecimalError);
  });

  test("refuses text beyond all reason before it makes a number of it", () => {
    expect(codeOf("9".repeat(1_000_000))).toBe("decimal_malformed");
  });
});

describe("formatDecimal", () => {
  test.each([
    [21_694_000_000n, 8, "216.94"],
    [-1n, 8, "-0.00000001"],
    [0n, 8, "0"],
    [500_000n, 6, "0.5"],
    [7n, 0, "7"],
    [-120n, 1, "-12"],
  ])("%d at scale %d is %s", (value, scale, text) => {
    expect(formatDecimal(value, scale)).toBe(text);
  });
});
