// What a seed draws of the world: within its ranges, spread over them, the same for every setting; and nothing where it is fixed.

import { expect, test } from "vitest";
import { worldOf } from "../../../src/backtest/world.ts";
import { loadConfiguration } from "../../../src/configuration.ts";
import { createPrng } from "../../../src/kernel/prng.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";
import { backtestFiles } from "./scene.ts";

const { devnet } = await loadConfiguration(backtestFiles(), systemFiles);
if (devnet === null) throw new Error("the scene has a devnet");
const of = (seed: number, isDrawn = true) => worldOf(devnet, isDrawn, createPrng(BigInt(seed)));
const worlds = Array.from({ length: 200 }, (_, seed) => of(seed).line);

test.each([
  ["an order, ms", worlds.map(({ orderMs }) => orderMs), 200, 800],
  ["frames and reads, ms", worlds.map(({ feedMs }) => feedMs), 25, 100],
  ["informed takers", worlds.map(({ informedShare }) => informedShare ?? 0), 0.05, 0.15],
  ["gaps until pressure is gone", worlds.map(({ pressureGaps }) => pressureGaps ?? 0), 0.45, 1.8],
  ["seconds in which funding pays a premium", worlds.map((world) => world.premiumPeriodSecs["1"] ?? 0), 28_800, 86_400],
])("%s: within the range, and all over it", (_, drawn, low, high) => {
  const [least, most] = [Math.min(...drawn), Math.max(...drawn)];
  const tenth = (high - low) / 10;
  expect([least >= low, most <= high, least < low + tenth, most > high - tenth]).toEqual([true, true, true, true]);
});

test("markets differ only by what is configured: one draw for all of them", () => {
  for (const { premiumPeriodSecs } of worlds) expect(new Set(Object.values(premiumPeriodSecs)).size).toBe(1);
});

test("the exchange gets what the line says", () => {
  const { line, devnet: drawn } = of(3);
  expect(drawn.markets.map((market) => [`${market.marketId}`, market.premiumPeriodSecs])).toEqual(
    Object.entries(line.premiumPeriodSecs),
  );
  expect(drawn.flow).toEqual({ ...devnet.flow, informedShare: line.informedShare, pressureGaps: line.pressureGaps });
});

test("orders take the median, and one in a hundred five times as long; frames have their own", () => {
  const { line, latencies } = of(5);
  const { orders, answers, frames } = latencies(createPrng(1n));
  const sorted = (latency: () => number) => Array.from({ length: 20_000 }, latency).toSorted((a, b) => a - b);
  const [order, answer] = [sorted(orders), sorted(answers)];
  const at = (values: readonly number[], share: number): number => values[Math.floor(share * values.length)] ?? 0;
  expect(at(order, 0.5) / line.orderMs).toBeCloseTo(1, 1);
  expect(at(order, 0.99) / line.orderMs / 5).toBeCloseTo(1, 1);
  expect(at(answer, 0.5) / line.feedMs).toBeCloseTo(1, 1);
  expect(at(sorted(frames), 0.5) / line.feedMs).toBeCloseTo(1, 1);
});

test("a fixed world is as configured, whatever the seed", () => {
  const lines = [1, 2, 3].map((seed) => of(seed, false));
  expect(new Set(lines.map(({ line }) => JSON.stringify(line))).size).toBe(1);
  expect(lines[0]?.line).toEqual({
    isDrawn: false,
    orderMs: 400,
    feedMs: 50,
    informedShare: 0.1,
    pressureGaps: 0.9,
    premiumPeriodSecs: { "1": 28_800, "2": 28_800 },
  });
  expect(lines[0]?.devnet).toEqual(devnet);
});

test("without a crowd nobody is informed", () => {
  const { line, devnet: quiet } = worldOf({ ...devnet, flow: { enabled: false } }, true, createPrng(1n));
  expect([line.informedShare, line.pressureGaps, quiet.flow]).toEqual([null, null, { enabled: false }]);
});
