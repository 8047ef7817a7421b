// Markouts: their sign, their moment, and what happens when nobody knew the mid.

import { expect, test } from "vitest";
import { createMarkouts, markoutBps, markoutHorizons } from "../../../../src/bot/analytics/markouts.ts";
import { price } from "../../../../src/domain/units.ts";

const fillPrice = price(20_000_000_000n);
const higher = price(20_020_000_000n);
const lower = price(19_980_000_000n);
const buy = { side: "buy", price: fillPrice } as const;
const sell = { side: "sell", price: fillPrice } as const;

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
  markouts.follow(buy, 500, 4);
  expect(markouts.resolve(1499, higher)).toEqual([]);
  expect(markouts.resolve(1500, higher)).toEqual([
    { horizon: "1s", bps: markoutBps("buy", fillPrice, higher), halfSpreadBps: 4 },
  ]);
  expect(markouts.resolve(1600, lower)).toEqual([]);
  expect(markouts.resolve(10_500, lower)).toEqual([
    { horizon: "10s", bps: markoutBps("buy", fillPrice, lower), halfSpreadBps: 4 },
  ]);
  expect(markouts.resolve(60_500, higher)).toMatchObject([{ horizon: "60s" }]);
  expect(markouts.resolve(300_500, higher)).toMatchObject([{ horizon: "300s" }]);
  expect(markouts.pendingCount()).toBe(0);
  expect(markouts.droppedCount()).toBe(0);
});

test("fills end in the order they came, each by its own side", () => {
  const markouts = createMarkouts();
  markouts.follow(buy, 0, 4);
  markouts.follow(sell, 100, 4);
  const bps = markouts.resolve(1100, higher).map((markout) => Math.round(markout.bps));
  expect(bps).toEqual([10, -10]);
});

test("a mid that comes back soon enough still counts, a later one never", () => {
  const soon = createMarkouts();
  soon.follow(buy, 0, 4);
  expect(soon.resolve(1000, null)).toEqual([]);
  expect(soon.resolve(1500, higher)).toMatchObject([{ horizon: "1s" }]);

  const late = createMarkouts();
  late.follow(buy, 0, 4);
  expect(late.resolve(1000, null)).toEqual([]);
  expect(late.resolve(1501, higher)).toEqual([]);
  expect(late.droppedCount()).toBe(1);
  expect(late.pendingCount()).toBe(3);
});

test("a process that stood still drops what it slept through and keeps what is yet to come", () => {
  const markouts = createMarkouts();
  markouts.follow(buy, 0, 4);
  expect(markouts.resolve(100_000, higher)).toEqual([]);
  expect(markouts.droppedCount()).toBe(3);
  expect(markouts.resolve(300_000, higher)).toMatchObject([{ horizon: "300s" }]);
});

test("a full queue counts what it cannot follow", () => {
  const markouts = createMarkouts();
  for (let fill = 0; fill < 5000; fill += 1) markouts.follow(buy, fill, 4);
  expect(markouts.pendingCount() + markouts.droppedCount()).toBe(20_000);
  expect(markouts.droppedCount()).toBeGreaterThan(0);
});
