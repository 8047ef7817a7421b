// The history that the rows of a file are: dates, values, gaps, what cannot be. The shapes that people have them in lie in ../shared/data/index-csv.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { gapsText } from "../../../src/domain/index-series.ts";
import { IndexFileError } from "../../../src/index-files/fault.ts";
import { readIndexFile } from "../../../src/index-files/read.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";
import { PROJECT } from "../../support/quoin.ts";

const HEADER = "parcl_id,date,price_feed";
const csvOf = (...rows: readonly string[]) => [HEADER, ...rows].join("\n");
const read = (...rows: readonly string[]) => readIndexFile([csvOf(...rows)], "5").series;

function faultsOf(csv: string): readonly string[] {
  try {
    readIndexFile([csv], "5");
  } catch (error) {
    if (error instanceof IndexFileError) return error.faults;
    throw error;
  }
  return [];
}

test("equal rows count once, in whatever order and spelling they stand", () => {
  const { prints, gaps } = read("5,2024-01-02,200.10", "5,2024-01-01,200", "5,2024-01-02,200.1", "6,2024-01-03,1");
  expect({ prints, gaps }).toEqual({
    prints: [
      { date: "2024-01-01", price: 20_000_000_000n, step: 0 },
      { date: "2024-01-02", price: 20_010_000_000n, step: 1 },
    ],
    gaps: [],
  });
});

test.each([
  "2024-02-30",
  "2023-02-29",
  "2023-13-01",
  "2023-00-10",
  "2023-01-32",
  "9999-99-99",
  "0000-01-01",
  "9999-12-31",
  "2024-1-1",
  "31.01.2024",
  "",
])("the date %j is refused", (date) => {
  expect(faultsOf(csvOf("5,2024-01-01,200", `5,${date},200`))).toEqual([
    `line 3: ${JSON.stringify(date)} is not allowed; a date is a day of the calendar, as 2024-01-31`,
  ]);
});

test("a day outside of the years that an index can have, or a value that is none, is refused", () => {
  expect(faultsOf(csvOf("5,2024-01-01,200", "5,2024-01-02,abc", "5,2024-01-03,0", "5,2024-01-04,-1"))).toEqual(
    ["abc", "0", "-1"].map(
      (text, at) => `line ${at + 3}: "${text}" is not allowed; a value is a number above 0, as 217.1`,
    ),
  );
});

describe("a missing value", () => {
  const rows = (...values: readonly string[]) => values.map((value, at) => `5,2024-01-0${at + 1},${value}`);

  test.each(["", "NaN", ".", "NA", "-", "null"])("%j is allowed before the first value and after the last", (none) => {
    const { prints, gaps } = read(...rows(none, none, "200", "201", none));
    expect(prints.map(({ date }) => date)).toEqual(["2024-01-03", "2024-01-04"]);
    expect(gaps).toEqual([]);
  });

  test.each(["", "NaN", "."])("%j between two values is refused by its line", (none) => {
    expect(faultsOf(csvOf(...rows("200", none, "201")))).toEqual([
      `line 3: 2024-01-02 has ${none === "" ? "no value" : `"${none}" for a value`} between two others; remove the row where none was published`,
    ]);
  });

  test("counts for nothing beside a value of the same date, whichever comes first", () => {
    const [first = "", second = "", third = ""] = rows("200", "201", "202");
    const empty = "5,2024-01-02,";
    expect(read(first, second, empty, third)).toEqual(read(first, empty, second, third));
    expect(read(first, second, empty, third).prints).toHaveLength(3);
  });

  test("is no history", () => {
    expect(faultsOf(csvOf(...rows("", "")))).toEqual(["has no value of series 5"]);
  });
});

test("a leap day is a day, and so is one of the oldest index", () => {
  expect(read("5,2024-02-29,200").prints).toHaveLength(1);
  expect(read("5,1628-01-01,200").prints).toHaveLength(1);
});

test("two values for one date are refused at the later line", () => {
  expect(faultsOf(csvOf("5,2024-01-01,200", "5,2024-01-02,201", "5,2024-01-01,200.01"))).toEqual([
    "line 4: 2024-01-01 has the value 200.01 here and 200 in line 2",
  ]);
});

test.each(["2001", "20.01", "20010"])("a slip of the decimal point, %s among prints near 200, is refused", (slip) => {
  const rows = ["200", "200.1", "200.2", slip, "200.4", "200.5"].map((usd, day) => `5,2024-01-0${day + 1},${usd}`);
  expect(faultsOf(csvOf(...rows))).toEqual([
    `line 5: the value ${slip} cannot follow: those around it are near ${slip === "20.01" ? "200.2" : "200.4"}`,
  ]);
});

test("a market that halves or doubles between two prints is a history", () => {
  expect(read("5,2024-01-01,200", "5,2024-01-02,100", "5,2024-01-03,200", "5,2024-01-04,400").prints).toHaveLength(4);
});

test("every fault is listed with its line, twenty of them in full", () => {
  const rows = Array.from({ length: 30 }, (_, at) => `5,2024-02-30,${at + 1}`);
  const faults = faultsOf(csvOf(...rows));
  expect(faults).toHaveLength(21);
  expect(faults.at(0)).toContain("line 2: ");
  expect(faults.at(-1)).toBe("and 10 more lines with faults");
});

describe("a gap", () => {
  const rowsAt = (...days: readonly number[]) =>
    days.map((day) => `5,${new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)},200`);

  test("is a stretch of days without prints, and as many steps as it lasts", () => {
    const { prints, gaps } = read(...rowsAt(0, 1, 2, 5, 6, 7, 9));
    expect(prints.map(({ step }) => step)).toEqual([0, 1, 2, 5, 6, 7, 9]);
    expect(gaps).toEqual([
      { after: "2024-01-03", before: "2024-01-06", missing: 2 },
      { after: "2024-01-08", before: "2024-01-10", missing: 1 },
    ]);
    expect(gapsText(gaps)).toBe("2 gaps, the longest 2 prints between 2024-01-03 and 2024-01-06");
    expect(gapsText([])).toBe(null);
  });

  test("goes by the usual interval: a monthly history has none, one month missing is one", () => {
    const months = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((month) => `5,2023-0${month}-01,200`);
    expect(read(...months).gaps).toEqual([]);
    const { prints, gaps } = read(...months.filter((_, at) => at !== 4));
    expect(gaps).toEqual([{ after: "2023-04-01", before: "2023-06-01", missing: 1 }]);
    expect(prints.map(({ step }) => step)).toEqual([0, 1, 2, 3, 5, 6, 7, 8]);
  });
});

test.each([
  ["too few cells", csvOf("5,2024-01-01"), ["line 2: has 2 cells, and line 1 has 3"]],
  ["too many cells", csvOf("5,2024-01-01,200,1"), ["line 2: has 4 cells, and line 1 has 3"]],
  [
    "an open quote, after the faults before it",
    csvOf("5,2024-01-01", '5,"2024-01-01,200'),
    ["line 2: has 2 cells, and line 1 has 3", "line 3: a quote is not closed"],
  ],
])("%s is refused", (_name, csv, faults) => {
  expect(faultsOf(csv)).toEqual(faults);
});

const folder = resolve(PROJECT, "../shared/data/index-csv");
// A user's clone has no ../shared: skipped there with a line that says so, run in CI.
describe.skipIf(!existsSync(folder))("the files that people have (skipped without ../shared)", () => {
  const series = (name: string) => readIndexFile(systemFiles.pieces(resolve(folder, name)), "5826765").series;

  test("doubled rows and quoted fields hold the same history", () => {
    expect(series("doubled.csv")).toEqual(series("quoted.csv"));
    expect(series("quoted.csv").prints).toHaveLength(400);
  });

  test("binary noise is rounded away", () => {
    const { prints, gaps } = series("float.csv");
    expect(gaps).toEqual([]);
    expect(prints.every(({ price }) => price % 100_000n === 0n)).toBe(true);
  });

  test("a gap of 120 days is one", () => {
    expect(series("gap.csv").gaps).toEqual([{ after: "2023-07-19", before: "2023-11-17", missing: 120 }]);
  });

  test("impossible dates are refused, each by its line", () => {
    let faults: readonly string[] = [];
    try {
      series("baddates.csv");
    } catch (error) {
      faults = (error as IndexFileError).faults;
    }
    expect(faults.map((fault) => fault.split(" is ")[0])).toEqual([
      'line 102: "2023-02-31"',
      'line 103: "2023-13-45"',
      'line 104: "9999-99-99"',
    ]);
  });
});
