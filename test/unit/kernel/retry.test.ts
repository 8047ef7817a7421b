// Trying again: waits that grow with failures in a row, jitter, back-off per name, and a question asked until it is answered.

import { describe, expect, test } from "vitest";
import { createPrng } from "../../../src/kernel/prng.ts";
import { BackOff, backOffMs, jitteredMs, untilAnswered } from "../../../src/kernel/retry.ts";
import { createVirtualClock } from "../../../src/kernel/virtual-clock.ts";

const options = { firstMs: 250, maxMs: 10_000 };
const failures = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const ceilings = [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000];

describe("waits", () => {
  test("law: the first as given, then each `growth` times the one before, up to the longest", () => {
    expect(failures.map((inRow) => backOffMs(options, inRow))).toEqual(ceilings);
    expect(backOffMs({ ...options, growth: 1.5 }, 3)).toBe(562.5);
  });

  test("edge: after a thousand failures it is still the longest", () => {
    expect(backOffMs(options, 5000)).toBe(10_000);
  });

  test("law: jitter stays below the ceiling and spreads over the whole range", () => {
    for (const [at, inRow] of failures.entries()) {
      const prng = createPrng(BigInt(at));
      const waits = Array.from({ length: 400 }, () => jitteredMs(options, inRow, prng));
      const ceilingMs = ceilings[at] ?? 0;
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...waits)).toBeLessThanOrEqual(ceilingMs);
      const early = waits.filter((waitMs) => waitMs < ceilingMs / 2).length;
      expect(early).toBeGreaterThan(150);
      expect(early).toBeLessThan(250);
    }
  });

  test("the same seed waits the same", () => {
    const wait = (): number => jitteredMs(options, 3, createPrng(7n));
    expect(wait()).toBe(wait());
  });
});

describe("back-off per name", () => {
  test("law: grows with each failure in a row of one name, and one success forgets them", () => {
    const backOff = new BackOff(options, { clock: createVirtualClock({ startMs: 0 }) });
    backOff.failed("a");
    backOff.failed("a");
    expect([backOff.waitMs("a"), backOff.waitMs("b")]).toEqual([500, 0]);
    backOff.succeeded("a");
    backOff.failed("a");
    expect(backOff.waitMs("a")).toBe(250);
  });

  test("law: the wait runs down with the clock", () => {
    const clock = createVirtualClock({ startMs: 0 });
    const backOff = new BackOff(options, { clock });
    backOff.failed("a");
    clock.advanceSync(100);
    expect(backOff.waitMs("a")).toBe(150);
    clock.advanceSync(200);
    expect(backOff.waitMs("a")).toBe(0);
  });
});

describe("asking until there is an answer", () => {
  const asked = async (answers: readonly (string | null)[], overAfter: number) => {
    const waits: number[] = [];
    let asks = 0;
    const answer = await untilAnswered(() => Promise.resolve(answers[asks++] ?? null), options, {
      wait: (ms) => Promise.resolve(void waits.push(ms)),
      isOver: () => asks >= overAfter,
    });
    return { answer, waits };
  };

  test("law: each null is followed by a longer wait; the answer ends it", async () => {
    expect(await asked([null, null, "yes"], 10)).toEqual({ answer: "yes", waits: [250, 500] });
  });

  test("edge: over before it began, nothing is asked", async () => {
    expect(await asked(["yes"], 0)).toEqual({ answer: null, waits: [] });
  });

  test("edge: without an answer it ends when it is over", async () => {
    expect(await asked([], 3)).toEqual({ answer: null, waits: [250, 500, 1000] });
  });
});
