// Markouts: their sign, their moment, and what happens when nobody knew the mid.

import { describe, expect, test } from "vitest";
import {
  createJudgedMarkouts,
  createMarkouts,
  markoutBps,
  markoutHorizons,
  queueDecile,
} from "../../../../src/bot/analytics/markouts.ts";
import { price, size } from "../../../../src/domain/units.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

const fillPrice = price(20_000_000_000n);
const higher = price(20_020_000_000n);
const lower = price(19_980_000_000n);
const followed = { price: fillPrice, size: size(1_000_000n), halfSpreadBps: 4 };
const buy = (atMs: number) => ({ ...followed, side: "buy", atMs }) as const;
const sell = (atMs: number) => ({ ...followed, side: "sell", atMs }) as const;

test("a rise after a buy is a gain, after a sell a loss", () => {
  expect(markoutBps("buy", fillPrice, higher)).toBeCloseTo(10, 9);
  expect(markoutBps("sell", fillPrice, higher)).toBeCloseTo(-10, 9);
  expect(markoutBps("buy", fillPrice, lower)).toBeCloseTo(-10, 9);
  expect(markoutBps("sell", fillPrice, lower)).toBeCloseTo(10, 9);
  expect(markoutBps("buy", fillPrice, fillPrice)).toBe(0);
});

test("the horizons are closed and in order", () => {
  expect(markoutHorizons).toEqual(["1s", "10s", "60s", "300s"]);
});

test("each horizon is told once, by the mid of the first turn that reaches it", () => {
  const markouts = createMarkouts();
  markouts.follow(buy(500));
  expect(markouts.resolve(1499, higher)).toEqual([]);
  expect(markouts.resolve(1500, higher)).toEqual([
    { horizon: "1s", bps: markoutBps("buy", fillPrice, higher), fill: buy(500) },
  ]);
  expect(markouts.resolve(1600, lower)).toEqual([]);
  expect(markouts.resolve(10_500, lower)).toEqual([
    { horizon: "10s", bps: markoutBps("buy", fillPrice, lower), fill: buy(500) },
  ]);
  expect(markouts.resolve(60_500, higher)).toMatchObject([{ horizon: "60s" }]);
  expect(markouts.resolve(300_500, higher)).toMatchObject([{ horizon: "300s" }]);
  expect(markouts.pendingCount()).toBe(0);
  expect(markouts.droppedCount()).toBe(0);
});

test("fills end in the order they came, each by its own side", () => {
  const markouts = createMarkouts();
  markouts.follow(buy(0));
  markouts.follow(sell(100));
  const bps = markouts.resolve(1100, higher).map((markout) => Math.round(markout.bps));
  expect(bps).toEqual([10, -10]);
});

test("a mid that comes back soon enough still counts, a later one never", () => {
  const soon = createMarkouts();
  soon.follow(buy(0));
  expect(soon.resolve(1000, null)).toEqual([]);
  expect(soon.resolve(1500, higher)).toMatchObject([{ horizon: "1s" }]);

  const late = createMarkouts();
  late.follow(buy(0));
  expect(late.resolve(1000, null)).toEqual([]);
  expect(late.resolve(1501, higher)).toEqual([]);
  expect(late.droppedCount()).toBe(1);
  expect(late.pendingCount()).toBe(3);
});

test("a process that stood still drops what it slept through and keeps what is yet to come", () => {
  const markouts = createMarkouts();
  markouts.follow(buy(0));
  expect(markouts.resolve(100_000, higher)).toEqual([]);
  expect(markouts.droppedCount()).toBe(3);
  expect(markouts.resolve(300_000, higher)).toMatchObject([{ horizon: "300s" }]);
});

test("a full queue counts what it cannot follow", () => {
  const markouts = createMarkouts();
  for (let fill = 0; fill < 5000; fill += 1) markouts.follow(buy(fill));
  expect(markouts.pendingCount() + markouts.droppedCount()).toBe(20_000);
  expect(markouts.droppedCount()).toBeGreaterThan(0);
});

describe("horizons that are drawn for each fill", () => {
  const drawn = ["drawnSoon", "drawnLate"] as const;
  /** When each of a hundred fills was judged, ms after it, by a look every 10 ms. */
  const delays = (seed: bigint, of: (typeof drawn)[number]): readonly number[] => {
    const markouts = createJudgedMarkouts(createPrng(seed));
    for (let nth = 0; nth < 100; nth += 1) markouts.follow(buy(nth));
    const found: number[] = [];
    for (let now = 0; now <= 125_000; now += 10)
      for (const { horizon, fill } of markouts.resolve(now, higher)) if (horizon === of) found.push(now - fill.atMs);
    return found;
  };

  test("lie all over 1 to 10 s and 10 to 120 s, one of each a fill", () => {
    for (const [of, from, until] of [
      ["drawnSoon", 1000, 10_000],
      ["drawnLate", 10_000, 120_000],
    ] as const) {
      const found = delays(7n, of);
      expect(found).toHaveLength(100);
      expect(Math.min(...found)).toBeGreaterThanOrEqual(from);
      expect(Math.max(...found)).toBeLessThanOrEqual(until + 10);
      expect(found.filter((ms) => ms < (from + until) / 2).length).toBeGreaterThan(30);
      expect(found.filter((ms) => ms > (from + until) / 2).length).toBeGreaterThan(30);
    }
  });

  test("are the seed's: the same again, and others with another", () => {
    expect(delays(7n, "drawnSoon")).toEqual(delays(7n, "drawnSoon"));
    expect(delays(8n, "drawnSoon")).not.toEqual(delays(7n, "drawnSoon"));
  });
});

test("edge: tenths of a queue, from the front", () => {
  expect([0n, 9n, 10n, 55n, 99n].map((ahead) => queueDecile(ahead, 100n))).toEqual([1, 1, 2, 6, 10]);
});
