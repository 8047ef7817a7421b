// The guard around a publication: its phases in any order of events, what each leaves of the quotes, and how wide is wide enough.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  breakEvenWidth,
  type GuardTimes,
  guardPhase,
  guardQuotes,
  recoveryWidth,
  timesFor,
  windowShare,
} from "../../../../src/bot/strategy/print-guard.ts";
import type { Quote } from "../../../../src/domain/quotes.ts";
import { usdOf } from "../../../../src/domain/rounding.ts";
import { lots, usd } from "../risk/healthy.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const times: GuardTimes = {
  windowMs: 30 * MINUTE_MS,
  pullMs: 2 * MINUTE_MS,
  settleMs: 3000,
  recoveryMs: 5 * MINUTE_MS,
};
const phaseBefore = (toPrintMs: number | null) =>
  guardPhase({ toPrintMs, sincePrintMs: Number.POSITIVE_INFINITY, isBookNew: true }, times);
const phaseAfter = (sincePrintMs: number, isBookNew = true) =>
  guardPhase({ toPrintMs: DAY_MS - sincePrintMs, sincePrintMs, isBookNew }, times);

describe("phases", () => {
  test("open, window, pulled, in that order before a print; late prints stay pulled however late", () => {
    expect(phaseBefore(31 * MINUTE_MS)).toBe("open");
    expect(phaseBefore(30 * MINUTE_MS)).toBe("window");
    expect(phaseBefore(2 * MINUTE_MS)).toBe("pulled");
    expect(phaseBefore(0)).toBe("pulled");
    expect(phaseBefore(-30 * DAY_MS)).toBe("pulled");
  });

  test("a print whose time nobody knows may come at any moment", () => {
    expect(phaseBefore(null)).toBe("pulled");
  });

  test("after a print nothing rests for three seconds, and until the book is younger than it", () => {
    expect(phaseAfter(0)).toBe("settling");
    expect(phaseAfter(2999)).toBe("settling");
    expect(phaseAfter(3000)).toBe("open");
    expect(phaseAfter(MINUTE_MS, false)).toBe("settling");
  });

  test("of an index that prints each minute no phase takes more than its share", () => {
    expect(timesFor(times, DAY_MS)).toEqual(times);
    expect(timesFor(times, MINUTE_MS)).toEqual({ windowMs: 6000, pullMs: 1200, settleMs: 3000, recoveryMs: 1200 });
  });
});

const quote = (side: Quote["side"], at: number): Quote => ({
  side,
  level: 0,
  price: usd(at),
  size: lots(1),
  reduceOnly: false,
  intent: "rest",
});
const quotes = { quotes: [quote("buy", 199.9), quote("sell", 200.1)], fairValueUsd: 200, reason: null };
const guarded = {
  reducesInWindow: false,
  extraUsd: 0.3,
  width: 1,
  inventory: lots(2),
  tickSize: usd(0.01),
} as const;
const pricesOf = (of: { readonly quotes: readonly Quote[] }) =>
  of.quotes.map(({ side, price, reduceOnly }) => [side, usdOf(price), reduceOnly]);

describe("quotes", () => {
  test("open: as they are", () => {
    expect(guardQuotes(quotes, { ...guarded, phase: "open" })).toEqual(quotes);
  });

  test("in the window what adds to the position stands further away, what reduces it stays", () => {
    const expected = [
      ["buy", 199.6, false],
      ["sell", 200.1, false],
    ];
    expect(pricesOf(guardQuotes(quotes, { ...guarded, phase: "window" }))).toEqual(expected);
    const flat = pricesOf(guardQuotes(quotes, { ...guarded, inventory: lots(0), phase: "window" }));
    expect(flat).toEqual([
      ["buy", 199.6, false],
      ["sell", 200.4, false],
    ]);
  });

  test("pulled, or reducing in the window: what reduces rests, as an order that can do nothing else", () => {
    const reducing = [["sell", 200.1, true]];
    expect(pricesOf(guardQuotes(quotes, { ...guarded, phase: "pulled" }))).toEqual(reducing);
    expect(pricesOf(guardQuotes(quotes, { ...guarded, phase: "window", reducesInWindow: true }))).toEqual(reducing);
    expect(pricesOf(guardQuotes(quotes, { ...guarded, phase: "pulled", inventory: lots(0) }))).toEqual([]);
  });

  test("settling: none, with the reason", () => {
    const none = guardQuotes(quotes, { ...guarded, phase: "settling" });
    expect(none.quotes).toEqual([]);
    expect(none.reason).toContain("a print has come");
  });

  test("after a print twice as wide, half of that gone after five minutes, and ticks are rounded outward", () => {
    expect(recoveryWidth(3000, times)).toBe(2);
    expect(recoveryWidth(3000 + 5 * MINUTE_MS, times)).toBeCloseTo(1.5, 12);
    expect(recoveryWidth(Number.POSITIVE_INFINITY, times)).toBe(1);
    expect(pricesOf(guardQuotes(quotes, { ...guarded, phase: "open", width: 1.55 }))).toEqual([
      ["buy", 199.84, false],
      ["sell", 200.16, false],
    ]);
  });

  test("the extra distance grows to its full size where nothing may rest anymore", () => {
    expect(windowShare(2 * MINUTE_MS, times)).toBe(1);
    expect(windowShare(30 * MINUTE_MS, times)).toBeCloseTo(Math.exp(-28 / 30), 9);
  });
});

/** A clock that runs, prints that come early, in time, late or never, a book that forms again or does not. */
const steps = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 20 * MINUTE_MS }),
    event: fc.constantFrom("none", "none", "none", "print", "book"),
    inventory: fc.integer({ min: -3, max: 3 }),
  }),
  { maxLength: 100 },
);

test("forbidden: to add to a position inside the pull, or after it until a print has come", () => {
  fc.assert(
    fc.property(steps, fc.boolean(), (events, reducesInWindow) => {
      const everyMs = 2 * 60 * MINUTE_MS;
      let [nowMs, printMs, bookMs] = [0, Number.NEGATIVE_INFINITY, 0];
      let dueMs = everyMs;
      for (const { afterMs, event, inventory } of events) {
        nowMs += afterMs;
        if (event === "print") [printMs, dueMs] = [nowMs, nowMs + everyMs];
        if (event === "book") bookMs = nowMs;
        const phase = guardPhase(
          { toPrintMs: dueMs - nowMs, sincePrintMs: nowMs - printMs, isBookNew: bookMs >= printMs },
          times,
        );
        const left = guardQuotes(quotes, { ...guarded, reducesInWindow, inventory: lots(inventory), phase });
        const adding = left.quotes.filter(({ side }) => (side === "buy" ? inventory >= 0 : inventory <= 0));
        if (dueMs - nowMs <= times.pullMs) expect(adding).toEqual([]);
        if (nowMs - printMs < times.settleMs) expect(left.quotes).toEqual([]);
        for (const { side, price } of left.quotes)
          expect(side === "buy" ? usdOf(price) <= 199.9 : usdOf(price) >= 200.1).toBe(true);
      }
    }),
  );
});

test.each([
  [0.01, 0.008],
  [0.02, 0.016],
  [0.05, 0.0399],
  [0.1, 0.08],
  [0.2, 0.1617],
  [0.3, 0.2466],
  [0.5, 0.4363],
])("where a share of %d knows the print, %d surprises away breaks even", (informed, z) => {
  expect(Math.abs(breakEvenWidth(informed) - z)).toBeLessThan(6e-5);
});
