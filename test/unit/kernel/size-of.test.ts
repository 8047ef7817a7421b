// The size of a value is near what it keeps, and is found in bounded time.

import { expect, test } from "vitest";
import { sizeOf } from "../../../src/kernel/size-of.ts";

const MB = 1024 * 1024;
const circle: unknown[] = [1];
circle.push(circle);

test.each<[string, unknown, number, number]>([
  ["nothing", null, 0, 0],
  ["a small memory", { turns: 3, last: null, name: "glft", prices: [1n, 2n] }, 100, 300],
  ["a list of numbers", Array.from({ length: 500_000 }, (_, at) => at / 3), 3 * MB, 5 * MB],
  ["lists in a list", Array.from({ length: 100 }, () => Array.from({ length: 10_000 }, (_, at) => at)), 7 * MB, 9 * MB],
  ["bytes", { kept: [new Uint8Array(2 * MB), new Float64Array(MB / 8)] }, 3 * MB, 3 * MB + 200],
  ["a map of texts", new Map(Array.from({ length: 10_000 }, (_, at) => [at, "x".repeat(100)])), MB, 2 * MB],
  ["a set", new Set(Array.from({ length: 10_000 }, (_, at) => `${at}`)), 100_000, 600_000],
  ["a circle", circle, 16, 100],
])("%s", (_, value, least, most) => {
  expect(sizeOf(value)).toBeGreaterThanOrEqual(least);
  expect(sizeOf(value)).toBeLessThanOrEqual(most);
});

test("a deep one is not followed for ever", () => {
  let reads = 0;
  const bush = (depth: number): object =>
    Object.defineProperty({}, "more", {
      enumerable: true,
      get: () => {
        reads += 1;
        return depth === 0 ? [] : Array.from({ length: 64 }, () => bush(depth - 1));
      },
    });
  sizeOf(bush(5));
  expect(reads).toBeLessThan(30_000);
});
