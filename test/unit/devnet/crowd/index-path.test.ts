// The index paths: calibrated, repeatable, and due by block number.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { OracleSource } from "../../../../src/devnet/config/config.ts";
import { clockChangeMs, indexPathOf } from "../../../../src/devnet/crowd/index-path.ts";
import { price } from "../../../../src/domain/units.ts";
import { readIndexFile } from "../../../../src/index-files/read.ts";
import { seriesOf } from "../../../support/index-series.ts";

const synthetic: OracleSource = {
  source: "synthetic",
  price: price(20_000_000_000n),
  printEverySecs: 86_400,
  validForSecs: 86_460,
  driftPercent: 0.027,
  volatilityPercent: 0.056,
  autocorrelation: 0.76,
};

function returnsOf(prices: readonly bigint[]): number[] {
  return prices.slice(1).map((next, i) => Math.log(Number(next) / Number(prices[i])) * 100);
}

function figuresOf(returns: readonly number[]) {
  const mean = returns.reduce((sum, r) => sum + r, 0) / returns.length;
  const variance = returns.reduce((sum, r) => sum + (r - mean) ** 2, 0) / returns.length;
  const lagged = returns.slice(1).reduce((sum, r, i) => sum + (r - mean) * ((returns[i] ?? 0) - mean), 0);
  return { mean, deviation: Math.sqrt(variance), lag1: lagged / returns.length / variance };
}

describe("a synthetic index", () => {
  it("has the mean, deviation and lag-1 autocorrelation it was asked for", () => {
    const path = indexPathOf(synthetic, 7n, 1);
    const figures = figuresOf(returnsOf([...Array(20_000).keys()].map((k) => path.printAt(k) ?? 0n)));
    expect(figures.mean).toBeCloseTo(0.027, 2);
    expect(figures.deviation).toBeGreaterThan(0.053);
    expect(figures.deviation).toBeLessThan(0.059);
    expect(figures.lag1).toBeGreaterThan(0.74);
    expect(figures.lag1).toBeLessThan(0.78);
  });

  it("repeats to the last digit, in whatever order it is asked", () => {
    const forward = indexPathOf(synthetic, 7n, 1);
    const jumping = indexPathOf(synthetic, 7n, 1);
    const wanted = [...Array(50).keys()].map((k) => forward.printAt(k));
    expect([49, 3, 17, 0].map((k) => jumping.printAt(k))).toEqual([49, 3, 17, 0].map((k) => wanted[k]));
  });

  it("is pinned: the same prints on every machine and in every release", () => {
    const path = indexPathOf(synthetic, 7n, 1);
    expect([0, 1, 2, 100].map((k) => path.printAt(k))).toMatchInlineSnapshot(`
      [
        20000000000n,
        20004234800n,
        20008600404n,
        21086540642n,
      ]
    `);
  });

  it("differs by seed and by market", () => {
    const prints = [indexPathOf(synthetic, 7n, 1), indexPathOf(synthetic, 8n, 1), indexPathOf(synthetic, 7n, 2)];
    expect(new Set(prints.map((path) => path.printAt(5))).size).toBe(3);
  });

  it("never reaches zero, however wild it was configured", () => {
    const path = indexPathOf({ ...synthetic, price: price(100n), driftPercent: -50, volatilityPercent: 80 }, 3n, 1);
    for (let k = 0; k < 200; k += 1) expect(path.printAt(k)).toBeGreaterThan(0n);
  });
});

describe("a series", () => {
  const timing = { choice: null, printEverySecs: 0.15, validForSecs: 0.2 };
  const path = indexPathOf({ source: "csv", series: seriesOf([100n, 101n]), ...timing }, 1n, 1);

  it("prints its rows in order and then nothing", () => {
    expect([0, 1, 2].map((k) => path.printAt(k))).toEqual([100n, 101n, undefined]);
  });

  it("prints nothing in a gap, while its level goes on in equal steps", () => {
    const csv = "parcl_id,date,price_feed\n1,2024-01-01,100\n1,2024-01-02,100\n1,2024-01-03,100\n1,2024-01-07,104\n";
    const gapped = indexPathOf({ source: "csv", series: readIndexFile([csv], "1").series, ...timing }, 1n, 1);
    const usd = (k: number) => Number(gapped.printAt(k) ?? 0n) / 1e8;
    expect([2, 3, 4, 5, 6, 7].map(usd)).toEqual([100, 0, 0, 0, 104, 0]);
    const levels = [2, 3, 4, 5, 6].map((k) => Math.exp(gapped.levelOf(k) / 1e6));
    for (const [at, level] of levels.entries()) expect(level, `step ${at}`).toBeCloseTo(1 + at / 100, 9);
  });

  it("is due by logical time, with fractions of seconds", () => {
    expect([0, 149, 150, 299, 300].map((ms) => path.newestAt(ms))).toEqual([0, 0, 1, 1, 2]);
    expect(path.validForMs).toBe(200);
  });
});

describe("a fixed index", () => {
  it("prints once", () => {
    const path = indexPathOf({ source: "fixed", price: price(5n), validForSecs: 60 }, 1n, 1);
    expect([path.printAt(0), path.printAt(1), path.newestAt(1e12)]).toEqual([5n, undefined, 0]);
  });
});

describe("the calibration", () => {
  const file = "../shared/data/price-feed-us.csv";
  // A user's clone has no ../shared: skipped there with a line that says so, run in CI.
  it.skipIf(!existsSync(file))(`matches the real series (skipped without ${file})`, () => {
    const rows = readFileSync(file, "utf8").trim().split("\n").slice(1);
    const figures = figuresOf(returnsOf(rows.map((row) => BigInt(Math.round(Number(row.split(",")[2]) * 1e8)))));
    expect(figures.mean).toBeCloseTo(0.027, 3);
    expect(figures.deviation).toBeCloseTo(0.056, 3);
    expect(figures.lag1).toBeCloseTo(0.76, 1);
  });
});

describe("an index whose clocks change", () => {
  const hour = 3_600_000;
  const day = 24 * hour;
  const changed = (bySecs: number, printEverySecs = 86_400) =>
    indexPathOf({ ...synthetic, printEverySecs, clockChange: { afterSecs: 2 * 86_400, bySecs } }, 7n, 1);

  it.each([
    ["earlier", -3600],
    ["later", 3600],
  ])("prints an hour %s from then on, the same prints", (_, bySecs) => {
    const path = changed(bySecs);
    const by = bySecs * 1000;
    expect([0, 1, 2, 3].map(path.dueMs)).toEqual([0, day, 2 * day + by, 3 * day + by]);
    for (const k of [1, 2, 3, 4]) {
      expect([path.newestAt(path.dueMs(k) - 1), path.newestAt(path.dueMs(k))]).toEqual([k - 1, k]);
      expect(path.printAt(k)).toBe(indexPathOf(synthetic, 7n, 1).printAt(k));
    }
  });

  it("an index that prints each quarter of an hour goes on as before", () => {
    const path = changed(-3600, 900);
    const same = indexPathOf({ ...synthetic, printEverySecs: 900 }, 7n, 1);
    for (const k of [0, 191, 192, 193]) expect([path.dueMs(k), path.newestAt(k * 900_000)]).toEqual([same.dueMs(k), k]);
  });

  it.each([-3600, 3600])("moved by %i s it is first seen where the newest print is another one", (bySecs) => {
    const source = { ...synthetic, clockChange: { afterSecs: 1.5 * 86_400, bySecs } };
    const [path, same] = [indexPathOf(source, 7n, 1), indexPathOf(synthetic, 7n, 1)];
    const seenMs = clockChangeMs(source) ?? Number.NaN;
    expect(path.newestAt(seenMs)).not.toBe(same.newestAt(seenMs));
    for (const beforeMs of [1, hour, day])
      expect(path.newestAt(seenMs - beforeMs)).toBe(same.newestAt(seenMs - beforeMs));
    expect(clockChangeMs({ ...source, printEverySecs: 900 }), "whole steps").toBeNull();
  });
});
