// Seeded randomness: the same draws everywhere, independent forks, honest distributions.

import { describe, expect, test } from "vitest";
import { InvariantError } from "../../../src/kernel/assert.ts";
import { createPrng, type Prng } from "../../../src/kernel/prng.ts";

const times = <T>(count: number, draw: () => T): T[] => Array.from({ length: count }, draw);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

test("a seed gives the same draws on every machine, today and tomorrow", () => {
  const random = createPrng(7n);
  expect(times(4, random.u32)).toEqual([1_974_645_330, 2_428_045_081, 1_583_074_825, 3_310_005_899]);
  expect(random.float()).toBe(0.734_213_040_923_378);
  expect(random.gaussian()).toBe(0.972_523_340_392_765);
  expect(random.exponential(3)).toBe(3.591_164_023_382_540_4);
  expect(random.shuffle([1, 2, 3, 4, 5, 6])).toEqual([2, 3, 6, 4, 5, 1]);
});

test("seeds are taken modulo 2^64, and near seeds have nothing in common", () => {
  expect(createPrng(5n).u32()).toBe(createPrng(2n ** 64n + 5n).u32());
  const firsts = new Set(times(1000, () => 0).map((_zero, seed) => createPrng(BigInt(seed)).u32()));
  expect(firsts.size).toBe(1000);
});

describe("fork", () => {
  test("depends on seed and label alone: draws here do not shift draws there", () => {
    const fresh = createPrng(7n);
    const used = createPrng(7n);
    times(100, used.u32);
    expect(times(5, used.fork("takers").u32)).toEqual(times(5, fresh.fork("takers").u32));
  });

  test("differs by label, by depth and from its parent", () => {
    const draw = (random: Prng) => times(3, random.u32).join();
    const root = createPrng(7n);
    const streams = [root, root.fork("a"), root.fork("b"), root.fork("a").fork("b"), root.fork("ab")].map(draw);
    expect(new Set(streams).size).toBe(5);
  });
});

describe("below", () => {
  test("takes every value and none beyond", () => {
    const random = createPrng(1n);
    const counts = new Map<number, number>();
    for (const value of times(6000, () => random.below(6))) counts.set(value, (counts.get(value) ?? 0) + 1);
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  test("the edges: 1 has one answer, 2^32 has all", () => {
    const random = createPrng(1n);
    expect(random.below(1)).toBe(0);
    expect(random.below(2 ** 32)).toBeGreaterThanOrEqual(0);
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 32 + 1])("%d is no bound", (n) => {
    expect(() => createPrng(1n).below(n)).toThrow(InvariantError);
  });
});

describe("distributions over 50,000 draws", () => {
  const random = createPrng(42n);
  const gaussians = times(50_000, random.gaussian);
  const floats = times(50_000, random.float);

  test("float is within [0, 1) with mean 1/2", () => {
    expect(floats.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(mean(floats)).toBeCloseTo(0.5, 2);
  });

  test("gaussian has mean 0, variance 1 and the tails of a normal", () => {
    expect(mean(gaussians)).toBeCloseTo(0, 1);
    expect(mean(gaussians.map((value) => value ** 2))).toBeCloseTo(1, 1);
    const beyondTwo = gaussians.filter((value) => Math.abs(value) > 2).length / gaussians.length;
    expect(beyondTwo).toBeCloseTo(0.0455, 2);
    expect(gaussians.some((value) => Math.abs(value) > 3.5)).toBe(true);
  });

  test("exponential is never below 0 and has the asked mean", () => {
    const waits = times(50_000, () => random.exponential(250));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
    expect(mean(waits) / 250).toBeCloseTo(1, 1);
  });

  test("chance 0 never happens, chance 1 always", () => {
    expect(times(1000, () => random.chance(0)).includes(true)).toBe(false);
    expect(times(1000, () => random.chance(1)).includes(false)).toBe(false);
  });
});

test("shuffle keeps the items and leaves the given array alone; pick needs one", () => {
  const random = createPrng(3n);
  const items = [1, 2, 3, 4, 5];
  expect(random.shuffle(items).sort((a, b) => a - b)).toEqual(items);
  expect(items).toEqual([1, 2, 3, 4, 5]);
  expect(items).toContain(random.pick(items));
  expect(() => random.pick([])).toThrow(InvariantError);
});
