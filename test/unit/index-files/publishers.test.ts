// Files as their publishers write them: each is read as it is.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { IndexFileError } from "../../../src/index-files/fault.ts";
import { readIndexFile } from "../../../src/index-files/read.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";
import { PROJECT } from "../../support/quoin.ts";

const folder = resolve(PROJECT, "../shared/research/reports-4/index-layouts");
const read = (name: string, asked: string | null) => readIndexFile(systemFiles.pieces(resolve(folder, name)), asked);

// A user's clone has no ../shared: skipped there with a line that says so, run in CI.
describe.skipIf(!existsSync(folder))("a publisher's file (skipped without ../shared)", () => {
  test.each([
    ["fhfa_hpi_master.csv", "DV_ENC", "month", 39, "2015-01-01", 100.43],
    ["fhfa_metro.txt", "10180", "quarter", 39, "2015-01-01", 100.43],
    ["fred_CSUSHPINSA.csv", "CSUSHPINSA", "month", 39, "2015-01-01", 100.428],
    ["fred_old_CSUSHPISA.csv", "CSUSHPISA", "month", 39, "2015-01-01", 100.428],
    ["parcl_exp.csv", "2900187", "day", 39, "2025-01-01", 217.0576],
    ["parcl_iso.csv", "2900187", "day", 39, "2025-01-01", 217.057_644_02],
    // The last of 44 rows has no value.
    ["parcl_nan.csv", "2900187", "day", 43, "2025-01-01", 217.057_644_02],
    ["parcl_pandas_index.csv", "2900187", "day", 39, "2025-01-01", 217.057_644_02],
    ["parcl_sdk_order.csv", "2900187", "day", 39, "2025-01-01", 217.057_644_02],
    ["parcl_semicolon.csv", "2900187", "day", 39, "2025-01-01", 217.057_644_02],
    ["parcl_thousands.csv", "2900187", "day", 39, "2025-01-01", 1085.29],
    ["parcl_ts.csv", "2900187", "day", 39, "2025-01-01", 217.057_644_02],
    ["parcl_upper.csv", "2900187", "day", 39, "2025-01-01", 217.057_644_02],
    ["parcl_utf16.csv", "2900187", "day", 79, "2025-01-01", 217.057_644_02],
    ["redfin_us_national.tsv", "National", "month", 39, "2015-01-01", 401_713],
    ["uk_hpi_full.csv", "S12000034", "month", 39, "2015-01-01", 100.428_412_41],
  ])("%s holds one series and needs no name for it", (file, name, period, prints, date, value) => {
    const found = read(file, null);
    expect(found).toMatchObject({ name, series: { period } });
    expect(found.series.prints).toHaveLength(prints);
    expect(found.series.prints[0]).toEqual({ date, price: BigInt(Math.round(value * 1e8)), step: 0 });
    expect(read(file, name)).toEqual(found);
  });

  test.each([
    ["fred_multi.csv", "CSUSHPINSA, SFXRSA", "sfxrsa", 39, "2015-01-01", 200.857],
    // New York's row begins two months later and ends a month earlier.
    [
      "zillow_zhvi_metro.csv",
      '102001 (United States), 394913 ("New York, NY")',
      "New York, NY",
      22,
      "2015-03-31",
      405_315.126_433_48,
    ],
  ])("%s holds several, and lists them to those who name none", (file, listed, asked, prints, date, value) => {
    expect(() => read(file, null)).toThrow(new IndexFileError([`has several series; name one: ${listed}`]));
    const { series } = read(file, asked);
    expect(series).toMatchObject({ period: "month", gaps: [] });
    expect(series.prints).toHaveLength(prints);
    expect(series.prints[0]).toEqual({ date, price: BigInt(Math.round(value * 1e8)), step: 0 });
  });

  test.each([
    ["uk_hpi_full.csv", "Aberdeenshire", "Aberdeenshire:AveragePrice", 301_285],
    ["redfin_us_national.tsv", "National", "National:MEDIAN_PPSF", 200.8568],
    ["fhfa_hpi_master.csv", "East North Central Division", "DV_ENC:index_sa", 100.53],
  ])("%s is found by its region, and gives another column by name", (file, region, other, value) => {
    expect(read(file, region).choice).toContain(`name the series ${region}:`);
    const { series, choice } = read(file, other);
    expect(choice).toBe(null);
    expect(Number(series.prints[0]?.price) / 1e8).toBe(value);
  });
});
