// The budget: floors that keep room for cancels, a rate that is learned, and an exchange's own count that is kept to.

import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { type BudgetOptions, RateBudget } from "../../../../../src/bot/decider/sends/budget.ts";
import type { RateLimit } from "../../../../../src/domain/account.ts";
import type { Lane } from "../../../../../src/domain/lane.ts";
import { createVirtualClock, type VirtualClock } from "../../../../../src/kernel/virtual-clock.ts";

const lanes: readonly Lane[] = ["cancel", "reduce", "modify", "place"];
const tooMany = (retryAfterMs: number | null = null) => ({ kind: "rateLimited", error: "", retryAfterMs }) as const;
const executed = { kind: "executed", hash: "", events: [] } as const;

let clock: VirtualClock;
beforeEach(() => {
  clock = createVirtualClock({ startMs: 0 });
});
const budgetOf = (options: Partial<BudgetOptions> = {}) => new RateBudget(options, { clock });

/** How many transactions of the lane start at once. */
function burst(budget: RateBudget, lane: Lane, most = 1000): number {
  let count = 0;
  while (count < most && budget.take(lane) === 0) count += 1;
  return count;
}

test("each lane leaves the share of the bucket that belongs to those before it", () => {
  const counts = lanes.map((lane) => [lane, burst(budgetOf(), lane, 100)]);
  expect(Object.fromEntries(counts)).toEqual({ cancel: 100, reduce: 28, modify: 26, place: 24 });
});

test("however long new orders have pressed, at least 30 % of the bucket is there for cancels, without waiting", () => {
  const budget = budgetOf();
  for (let second = 0; second < 60; second += 1) {
    burst(budget, "place");
    burst(budget, "modify");
    burst(budget, "reduce");
    clock.advanceSync(250);
    expect(budget.remaining("cancel")).toBeGreaterThanOrEqual(12);
  }
});

test("what cancels took is paid back before anything else starts", () => {
  const budget = budgetOf();
  for (let n = 0; n < 60; n += 1) expect(budget.take("cancel")).toBe(0);
  expect(lanes.map((lane) => budget.remaining(lane))).toEqual([0, 0, 0, 0]);
  clock.advanceSync(1000);
  expect(lanes.map((lane) => budget.remaining(lane))).toEqual([0, 0, 0, 0]);
  clock.advanceSync(2000);
  expect(lanes.map((lane) => budget.remaining(lane))).toEqual([40, 28, 26, 24]);
});

test("law: whoever waits as long as told gets through, and nobody sooner", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...lanes), { minLength: 50, maxLength: 300 }), (asked) => {
      const budget = budgetOf();
      for (const lane of asked) {
        const waitMs = budget.take(lane);
        if (waitMs === 0) continue;
        clock.advanceSync(waitMs - 1);
        expect(budget.take(lane)).toBeGreaterThan(0);
        clock.advanceSync(1);
        expect(budget.take(lane)).toBe(0);
      }
    }),
    { numRuns: 50 },
  );
});

test("law: no minute holds more than the rate, the burst and what cancels forced", () => {
  const budget = budgetOf();
  let count = 0;
  for (let step = 0; step < 6000; step += 1) {
    count += burst(budget, "place");
    clock.advanceSync(10);
  }
  expect(count).toBeLessThanOrEqual(60 * 20 + 40);
  expect(count).toBeGreaterThan(60 * 20 - 20);
});

describe("learning", () => {
  test("a 429 halves the rate once a burst and closes all lanes but cancels until Retry-After", () => {
    const budget = budgetOf();
    for (let n = 0; n < 10; n += 1) budget.learn(tooMany(3000));
    expect(budget.ratePerSec).toBe(10);
    expect(lanes.map((lane) => budget.take(lane))).toEqual([0, 3000, 3000, 3000]);
    expect(lanes.map((lane) => budget.remaining(lane) > 0)).toEqual([true, false, false, false]);
    clock.advanceSync(2999);
    expect(budget.take("reduce")).toBe(1);
    clock.advanceSync(1);
    expect(budget.take("reduce")).toBe(0);
  });

  test("a wait is whole milliseconds: less than a clock can tell would be asked for again and again", () => {
    clock.advanceSync(1 / 3);
    const budget = budgetOf();
    budget.learn(tooMany(1000));
    clock.advanceSync(1000 - 1e-10);
    expect(budget.take("place")).toBe(1);
  });

  test("without Retry-After a second, and never more than a minute", () => {
    const budget = budgetOf();
    budget.learn(tooMany());
    expect(budget.take("place")).toBe(1000);
    budget.learn(tooMany(86_400_000));
    expect(budget.take("place")).toBe(60_000);
  });

  test("never below the least rate, never above the most", () => {
    const budget = budgetOf();
    for (let n = 0; n < 20; n += 1) {
      budget.learn(tooMany());
      clock.advanceSync(1001);
    }
    expect(budget.ratePerSec).toBe(1);
    for (let n = 0; n < 100_000; n += 1) budget.learn(executed);
    expect(budget.ratePerSec).toBe(200);
  });

  test("the rate grows by the step a second of full use, and not while it is idle", () => {
    const budget = budgetOf();
    clock.advanceSync(60_000);
    expect(budget.ratePerSec).toBe(20);
    for (let n = 0; n < 20; n += 1) budget.learn(executed);
    expect(budget.ratePerSec).toBeGreaterThan(23);
    expect(budget.ratePerSec).toBeLessThanOrEqual(24);
    budget.learn({ kind: "unknown", why: "" });
    budget.learn({ kind: "notSent", why: "" });
    expect(budget.ratePerSec).toBeLessThanOrEqual(24);
  });

  test("at the least rate a transaction still starts now and then", () => {
    const budget = budgetOf({ startPerSec: 1, burstSecs: 0.1 });
    expect(burst(budget, "place")).toBe(1);
    clock.advanceSync(1000);
    expect(burst(budget, "place")).toBe(1);
  });
});

describe("the exchange's own count", () => {
  const limit = (facts: Partial<RateLimit>): RateLimit => ({
    requestsUsed: null,
    requestsCap: null,
    requestsRemaining: null,
    ...facts,
  });

  test("has a reserve of 200, of a small count of 30 %: orders use half of it, reductions a quarter more", () => {
    const rich = budgetOf({ startPerSec: 10_000 });
    rich.learnLimit(limit({ requestsCap: 10_000n, requestsRemaining: 1_000n }));
    expect(burst(rich, "place", 5000)).toBe(900);
    expect(burst(rich, "reduce", 5000)).toBe(50);
    expect(burst(rich, "cancel", 50)).toBe(50);
    const poor = budgetOf();
    poor.learnLimit(limit({ requestsCap: 20n, requestsUsed: 10n }));
    expect(burst(poor, "place")).toBe(7);
  });

  test("every attempt counts, and a new answer starts the count over", () => {
    const budget = budgetOf({ startPerSec: 10_000 });
    budget.learnLimit(limit({ requestsCap: 1_000n, requestsRemaining: 110n }));
    for (let n = 0; n < 10; n += 1) budget.take("cancel");
    expect(budget.take("place")).toBe(1000);
    budget.learnLimit(limit({ requestsCap: 1_000n, requestsRemaining: 500n }));
    expect(budget.take("place")).toBe(0);
  });

  describe("in words that do not say what is counted", () => {
    const some = (used: bigint): RateLimit => limit({ requestsUsed: used, requestsCap: 40n, isUnitUnknown: true });
    const executed = (budget: RateBudget, times: number): void => {
      for (let n = 0; n < times; n += 1) budget.learn({ kind: "executed", hash: "h", events: [] });
    };

    test("is believed once it has grown by transactions of ours", () => {
      const budget = budgetOf();
      expect(budget.learnLimit(some(10n))).toEqual(limit({}));
      executed(budget, 8);
      expect(budget.learnLimit(some(18n))).toMatchObject({ requestsUsed: 18n });
      expect(burst(budget, "place")).toBe(16); // 22 left, of which 12 are reserved, and half of these for cancels.
    });

    test("is believed at once, or never, where the dialect says so", () => {
      expect(budgetOf({ countWord: "known" }).learnLimit(some(18n))).toMatchObject({ requestsUsed: 18n });
      const none = budgetOf({ countWord: "none" });
      expect(none.learnLimit(limit({ requestsRemaining: 0n }))).toEqual(limit({}));
      expect(none.take("place")).toBe(0);
    });

    test("is none while it stands still, and for good once it has gone down", () => {
      const budget = budgetOf();
      budget.learnLimit(some(39n));
      executed(budget, 20);
      expect(budget.learnLimit(some(39n))).toEqual(limit({}));
      expect(budget.take("place")).toBe(0);
      executed(budget, 20);
      expect(budget.learnLimit(some(1n))).toEqual(limit({}));
      executed(budget, 20);
      expect(budget.learnLimit(some(21n))).toEqual(limit({}));
    });

    test("that names only what remains is believed once that falls", () => {
      const budget = budgetOf();
      const left = (remaining: bigint) => limit({ requestsRemaining: remaining, isUnitUnknown: true });
      expect(budget.learnLimit(left(0n))).toEqual(limit({}));
      const other = budgetOf();
      other.learnLimit(left(90n));
      executed(other, 10);
      expect(other.learnLimit(left(80n))).toEqual(left(80n));
    });
  });

  test("what it does not tell does not limit", () => {
    const budget = budgetOf();
    budget.learnLimit(limit({ requestsRemaining: 0n }));
    expect(budget.take("place")).toBe(1000);
    budget.learnLimit(limit({}));
    expect(budget.take("place")).toBe(0);
  });
});
