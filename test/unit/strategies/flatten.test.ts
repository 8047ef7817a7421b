// The exit: the schedule of Almgren and Chriss, and orders that follow it and only ever reduce.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contractsOf, usdOf } from "../../../src/domain/rounding.ts";
import { absent, type View } from "../../../src/domain/view.ts";
import { createPrng } from "../../../src/kernel/prng.ts";
import { remainingInventory, strategy, urgency } from "../../../strategies/flatten.ts";
import { chainTimeMs, healthyView, lots, now, usd, withInventory } from "../bot/risk/healthy.ts";

describe("the schedule", () => {
  test("is X sinh(K (T - t)) / sinh(K T)", () => {
    for (const elapsed of [0, 600, 1800, 3599])
      expect(remainingInventory(10, elapsed, 3600, 0.001)).toBeCloseTo(
        (10 * Math.sinh(0.001 * (3600 - elapsed))) / Math.sinh(3.6),
        9,
      );
  });

  test.each([0, 1e-12, 1e-9])("without urgency (%d) a straight line, to a millionth", (rate) => {
    for (const elapsed of [0, 1, 1234, 3599.5, 3600])
      expect(Math.abs(remainingInventory(10, elapsed, 3600, rate) - 10 * (1 - elapsed / 3600))).toBeLessThan(1e-6);
  });

  test("edge: all before the start, nothing after the end, no overflow however urgent", () => {
    expect(remainingInventory(10, -5, 60, 0.1)).toBeCloseTo(10, 12);
    expect(remainingInventory(10, 61, 60, 0.1)).toBe(0);
    expect(remainingInventory(10, 0, 86_400, 10)).toBeCloseTo(10, 12);
    expect(remainingInventory(10, 100, 86_400, 10)).toBeLessThan(1e-9);
  });

  test("law: it only falls, and faster at first the more urgent it is", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.01, noNaN: true }), fc.integer({ min: 1, max: 3599 }), (rate, elapsed) => {
        const left = remainingInventory(10, elapsed, 3600, rate);
        expect(left).toBeLessThanOrEqual(remainingInventory(10, elapsed - 1, 3600, rate));
        expect(remainingInventory(10, elapsed, 3600, rate + 0.001)).toBeLessThanOrEqual(left + 1e-12);
      }),
    );
  });

  test("K is the root of lambda sigma^2 over eta", () => {
    expect(urgency(2, 3, 0.5)).toBe(6);
  });
});

const book = now({
  marketId: 1,
  bids: [{ price: usd(199.9), size: lots(50), orderCount: 3 }],
  asks: [{ price: usd(200.1), size: lots(50), orderCount: 3 }],
});
const params = (changes: object = {}) => strategy.params.parse({ size: 1, durationSec: 1000, ...changes });
const at = (contracts: number, sec: number): View => ({
  ...withInventory({ ...healthyView, book }, contracts),
  chain: now({ height: sec, timeMs: chainTimeMs + sec * 1000, offsetMs: 0, blockMs: 200 }),
});

describe("orders", () => {
  test("rest near fair value, on the reducing side alone, only what should be gone by now", () => {
    const given = params();
    const memory = strategy.start(given);
    expect(strategy.quote(at(4, 0), given, memory).quotes).toEqual([]);
    const [order, ...others] = strategy.quote(at(4, 100), given, memory).quotes;
    expect(others).toEqual([]);
    expect(order).toMatchObject({ side: "sell", reduceOnly: true, intent: "rest", size: lots(0.4) });
    expect(usdOf(order!.price)).toBe(200.02);
    const short = strategy.start(given);
    strategy.quote(at(-4, 0), given, short);
    expect(strategy.quote(at(-4, 100), given, short).quotes[0]).toMatchObject({ side: "buy", price: usd(199.98) });
  });

  test("take after the passive share, within the cap, not more than once a second", () => {
    const given = params({ maxSlippageBps: 20 });
    const memory = strategy.start(given);
    strategy.quote(at(4, 0), given, memory);
    const [order] = strategy.quote(at(4, 800), given, memory).quotes;
    expect(order).toMatchObject({ side: "sell", reduceOnly: true, intent: "take", size: lots(1) });
    expect(usdOf(order!.price)).toBeCloseTo(200 * 0.998, 9);
    expect(strategy.quote(at(3, 800.5), given, memory).quotes).toEqual([]);
    expect(strategy.quote(at(3, 801), given, memory).quotes).toHaveLength(1);
  });

  test("take no more than others offer within the cap, and nothing where they offer none", () => {
    const given = params({ maxSlippageBps: 20 });
    const offered = (contracts: number, usdPrice: number) => {
      const memory = strategy.start(given);
      const bids = [{ price: usd(usdPrice), size: lots(contracts), orderCount: 1 }];
      const view = {
        ...at(4, 800),
        book: now({ marketId: 1, bids, asks: book.state === "fresh" ? book.value.asks : [] }),
      };
      strategy.quote(at(4, 0), given, memory);
      return strategy.quote(view, given, memory);
    };
    expect(offered(0.3, 199.9).quotes).toMatchObject([{ intent: "take", size: lots(0.3) }]);
    expect(offered(0.3, 199)).toMatchObject({
      quotes: [],
      reason: "nobody trades within maxSlippageBps of fair value",
    });
  });

  test("with endsAt a restart in the middle goes on along the same schedule, its passive part too", () => {
    const endsAt = new Date(chainTimeMs + 1_000_000).toISOString();
    const given = params({ endsAt, urgencyPerHour: 10, size: 20 });
    const left = remainingInventory(10, 400, 1000, 10 / 3600);
    const whole = strategy.start(given);
    strategy.quote(at(10, 0), given, whole);
    const again = strategy.start(given);
    strategy.quote(at(left, 400), given, again);
    for (const sec of [700, 799, 801, 999, 1500]) {
      const [one, other] = [whole, again].map((memory) => strategy.quote(at(left, sec), given, memory).quotes[0]);
      expect(other?.intent).toBe(sec < 800 ? "rest" : "take");
      expect(other).toMatchObject({ intent: one?.intent });
      expect(Math.abs(Number((one?.size ?? 0n) - (other?.size ?? 0n)))).toBeLessThan(5);
    }
    expect(strategy.quote({ ...at(10, 0), chain: absent }, given, strategy.start(given)).reason).toBe(
      "the time of the chain is unknown",
    );
  });

  test("law: without endsAt a restart goes on along the schedule too, as if there had been none", () => {
    const given = params({ urgencyPerHour: 10, size: 20 });
    const whole = strategy.start(given);
    for (const sec of [0, 100, 801]) strategy.quote(at(10, sec), given, whole);
    const again = strategy.memory!.parse(JSON.parse(JSON.stringify(whole)));
    for (const sec of [801.5, 802, 900, 1500])
      expect(strategy.quote({ ...at(9, sec), nowMs: 1 }, given, again)).toEqual(
        strategy.quote(at(9, sec), given, whole),
      );
    expect(again).toEqual(whole);
  });

  test("with riskAversion K is the urgency of today's volatility and of what the book costs", () => {
    const given = params({ riskAversion: 0.01, durationSec: 3600, size: 10 });
    const memory = strategy.start(given);
    strategy.quote(at(4, 0), given, memory);
    // 0.5 bps of 200 USD, and 0.1 USD for ten contracts a second.
    expect(memory).toMatchObject({ ratePerSec: expect.closeTo(urgency(0.01, 0.01, 0.01), 9) });
    const thin = strategy.start(given);
    strategy.quote({ ...at(4, 0), book: absent }, given, thin);
    expect(thin).toMatchObject({ ratePerSec: 0 });
  });

  test("forbidden: quotes while flat, or while the position is unknown", () => {
    const given = params();
    expect(strategy.quote(at(0, 0), given, strategy.start(given)).reason).toBe("the position is flat");
    const view: View = { ...at(1, 0), position: { state: "absent" } };
    expect(strategy.quote(view, given, strategy.start(given)).reason).toBe("the position is unknown");
  });

  test("a position of the other sign starts a schedule of its own", () => {
    const given = params();
    const memory = strategy.start(given);
    strategy.quote(at(4, 0), given, memory);
    expect(strategy.quote(at(-4, 900), given, memory).quotes).toEqual([]);
    expect(strategy.quote(at(-4, 1000), given, memory).quotes[0]).toMatchObject({ side: "buy", intent: "rest" });
  });

  test("law: it reaches zero by the deadline, however its resting orders are filled, and never turns the position", () => {
    for (let seed = 1n; seed <= 50n; seed += 1n) {
      const prng = createPrng(seed);
      const start = 20 * (prng.float() - 0.5);
      const given = params({ durationSec: 600, urgencyPerHour: 20 * prng.float(), passiveShare: 0.9 * prng.float() });
      const memory = strategy.start(given);
      let held = Math.round(start * 1e6);
      for (let sec = 0; sec <= 600; sec += 1) {
        for (const { side, size, intent } of strategy.quote(at(held / 1e6, sec), given, memory).quotes) {
          expect(side).toBe(held > 0 ? "sell" : "buy");
          const filled =
            intent === "take" ? Number(size) : Math.floor(Number(size) * (prng.chance(0.1) ? prng.float() : 0));
          held += side === "buy" ? filled : -filled;
          expect(Math.sign(held) * Math.sign(start)).toBeGreaterThanOrEqual(0);
        }
      }
      expect(Math.abs(contractsOf(BigInt(held) as never))).toBe(0);
    }
  });
});
