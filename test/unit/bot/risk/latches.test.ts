// Halts that stay: what holds whom, and that only an operator's word lifts it.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  foldLatch,
  heldSinceMs,
  isLatched,
  type Latches,
  latchesOn,
  tradingStateOf,
} from "../../../../src/bot/risk/latches.ts";
import { strictest, tradingStates } from "../../../../src/bot/risk/trading-state.ts";
import { type Latch, type LatchEvent, latchKinds } from "../../../../src/domain/latch.ts";
import { accountId } from "../../../../src/domain/units.ts";

const one = accountId(1n);
const two = accountId(2n);
const latch = (changes: Partial<Latch> = {}): Latch => ({
  kind: "loss",
  accountId: one,
  marketId: 1,
  holds: "halted",
  reason: "lost too much",
  numbers: {},
  ...changes,
});
const trip = (changes: Partial<Latch> = {}): LatchEvent => ({ kind: "tripped", latch: latch(changes) });
const lift = (changes: Partial<Extract<LatchEvent, { kind: "lifted" }>> = {}): LatchEvent => ({
  kind: "lifted",
  accountId: one,
  marketId: 1,
  latch: null,
  reason: "looked at it",
  ...changes,
});
const fold = (...events: readonly LatchEvent[]): Latches => events.reduce(foldLatch, []);

test("active, then reducing, then halted: the strictest holds", () => {
  expect(strictest([])).toBe("active");
  for (const a of tradingStates) {
    for (const b of tradingStates) {
      expect(tradingStates.indexOf(strictest([a, b]))).toBe(
        Math.max(tradingStates.indexOf(a), tradingStates.indexOf(b)),
      );
    }
  }
});

describe("a latch", () => {
  test("of a market holds that market, of an account all of its markets, of nobody else", () => {
    const market = fold(trip());
    expect(tradingStateOf(market, one, 1)).toBe("halted");
    expect(tradingStateOf(market, one, 2)).toBe("active");
    expect(tradingStateOf(market, one, null)).toBe("active");
    const account = fold(trip({ marketId: null, holds: "reducing" }));
    expect(tradingStateOf(account, one, 2)).toBe("reducing");
    expect(tradingStateOf(account, one, null)).toBe("reducing");
    expect(tradingStateOf(account, two, 2)).toBe("active");
    expect(latchesOn(account, one, 2)).toHaveLength(1);
  });

  test("tripped again keeps its first reason; a stricter one holds, a milder one does not", () => {
    const first = trip({ kind: "operator", holds: "reducing", reason: "first" });
    const stricter = fold(first, trip({ kind: "operator", holds: "halted", reason: "second" }));
    expect(stricter).toEqual([latch({ kind: "operator", holds: "halted", reason: "first" })]);
    const milder = fold(trip({ holds: "halted" }), trip({ holds: "reducing", reason: "second" }));
    expect(milder).toEqual([latch()]);
    expect(isLatched(milder, latch({ holds: "reducing" }))).toBe(true);
    expect(isLatched(fold(first), latch({ kind: "operator", holds: "halted" }))).toBe(false);
  });

  test("is lifted by kind, by market, or all of an account at once", () => {
    const held = fold(
      trip(),
      trip({ kind: "drawdown" }),
      trip({ marketId: 2 }),
      trip({ marketId: null }),
      trip({ accountId: two }),
    );
    expect(held).toHaveLength(5);
    expect(foldLatch(held, lift({ latch: "loss" }))).toHaveLength(4);
    expect(foldLatch(held, lift())).toHaveLength(3);
    expect(foldLatch(held, lift({ marketId: null }))).toEqual([latch({ accountId: two })]);
    expect(foldLatch(held, lift({ marketId: null, latch: "drawdown" }))).toHaveLength(4);
    expect(foldLatch(held, lift({ latch: "mismatch" }))).toEqual(held);
  });
});

test("law: without a lift a market only gets stricter, whatever trips in whatever order", () => {
  const trips = fc.record({
    kind: fc.constantFrom(...latchKinds),
    accountId: fc.constantFrom(one, two),
    marketId: fc.constantFrom(null, 1, 2),
    holds: fc.constantFrom("reducing" as const, "halted" as const),
  });
  fc.assert(
    fc.property(fc.array(trips), (drawn) => {
      let held: Latches = [];
      let state = tradingStateOf(held, one, 1);
      for (const tripped of drawn) {
        held = foldLatch(held, trip(tripped));
        const next = tradingStateOf(held, one, 1);
        expect(strictest([state, next])).toBe(next);
        state = next;
      }
      expect(held.length).toBeLessThanOrEqual(latchKinds.length * 2 * 3);
    }),
  );
});

test("a latch holds since its first trip, whatever was said again, and anew after it was lifted", () => {
  const since = (...events: readonly LatchEvent[]) =>
    heldSinceMs(
      events.map((event, nth) => ({ atMs: 10 * nth, event })),
      latch(),
    );
  expect(since()).toBe(null);
  expect(since(trip({ accountId: two }), trip({ kind: "operator" }), trip({ marketId: null }))).toBe(null);
  expect(since(trip({ marketId: 2 }), trip({ holds: "reducing" }), trip({ reason: "again" }))).toBe(10);
  expect(since(trip(), lift())).toBe(null);
  expect(since(trip(), lift(), trip(), trip())).toBe(20);
});
