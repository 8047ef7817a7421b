// Waits between connections: within a doubling ceiling, anywhere in it, and back to the start after a steady connection.

import { expect, test } from "vitest";
import { createBackoff, defaultBackoff } from "../../../../src/bot/venue/remote/backoff.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

const waits = (seed: bigint, lives: readonly number[]): readonly number[] => {
  const backoff = createBackoff(defaultBackoff, { prng: createPrng(seed) });
  return lives.map((livedMs) => backoff.nextMs(livedMs));
};

test("each wait stays below its ceiling: 250 ms, doubling, at most 10 s", () => {
  const ceilings = [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000];
  for (let seed = 0n; seed < 200n; seed += 1n) {
    for (const [at, waitMs] of waits(seed, Array(9).fill(0)).entries()) {
      expect(waitMs).toBeGreaterThanOrEqual(0);
      expect(waitMs).toBeLessThanOrEqual(ceilings[at] ?? 0);
    }
  }
});

test("waits are spread over the whole range, so that clients do not come back in step", () => {
  const last = Array.from({ length: 400 }, (_, seed) => waits(BigInt(seed), Array(7).fill(0)).at(-1) ?? 0);
  expect(last.filter((waitMs) => waitMs < 5000).length).toBeGreaterThan(150);
  expect(last.filter((waitMs) => waitMs >= 5000).length).toBeGreaterThan(150);
});

test("a steady connection starts over, one that died young does not", () => {
  const steady = waits(3n, [0, 0, 0, 0, 0, 0, 10_000]).at(-1) ?? 0;
  expect(steady).toBeLessThanOrEqual(250);
  const young = Array.from({ length: 50 }, (_, seed) => waits(BigInt(seed), [0, 0, 0, 0, 0, 0, 9999]).at(-1) ?? 0);
  expect(Math.max(...young)).toBeGreaterThan(1000);
});

test("the same seed waits the same", () => {
  expect(waits(7n, [0, 0, 0])).toEqual(waits(7n, [0, 0, 0]));
});
