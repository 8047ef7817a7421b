// A and k as a running bot learns them, in flows of takers whose law is known.

import { describe, expect, test } from "vitest";
import {
  type FillIntensity,
  noFillIntensity,
  observeBook,
  observeTaker,
  skipTime,
} from "../../../../src/bot/strategy/fill-intensity.ts";
import type { Level } from "../../../../src/domain/book.ts";
import { orderId, type Side } from "../../../../src/domain/units.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { lots, usd } from "../risk/healthy.ts";

const MID = 200;
const DAY_SEC = 86_400;

const level = (at: number, size: number): Level => ({ price: usd(at), size: lots(size), orderCount: 1 });
/** Two levels a side, the first at half a spread from the mid. */
const bookOf = (half: number, size = 2) => ({
  marketId: 1,
  bids: [level(MID - half, size), level(MID - half - 0.05, size)],
  asks: [level(MID + half, size), level(MID + half + 0.05, size)],
});
const tradeOf = (id: number, side: Side, distance: number, size: number) => ({
  marketId: 1,
  price: usd(MID + (side === "buy" ? distance : -distance)),
  size: lots(size),
  takerSide: side,
  takerOrderId: orderId(BigInt(id + 1)),
  makerOrderId: orderId(0n),
  txHash: "",
  timestampMs: null,
});

type World = {
  /** Takers a second and side that would reach the mid, and k of how far they would, per USD. */
  readonly a: number;
  readonly k: number;
  /** Half spreads, one of them drawn each twenty seconds, USD. */
  readonly halves: readonly number[];
  /** Mean size of a taker, contracts. */
  readonly size: number;
};
const plain: World = { a: 0.5, k: 10, halves: [0.05, 0.1, 0.15], size: 0.3 };

function watched({ a, k, halves, size }: World, seconds: number): FillIntensity {
  const prng = createPrng(11n);
  let state = noFillIntensity;
  let half = halves[0] ?? 0;
  let next = prng.exponential(1 / (2 * a));
  for (let sec = 0, id = 0; sec <= seconds; sec += 1) {
    if (sec % 20 === 0) half = prng.pick(halves);
    state = observeBook(state, bookOf(half), MID, 1000 * sec);
    for (; next < sec + 1; next += prng.exponential(1 / (2 * a)), id += 1) {
      const [side, reach] = [prng.pick(["buy", "sell"] as const), prng.exponential(1 / k)];
      let left = prng.exponential(size);
      for (const at of [half, half + 0.05]) {
        if (left <= 0 || at > reach) break;
        const taken = Math.min(2, left);
        left -= taken;
        const seen = { atMs: 1000 * next, isOurs: false };
        state = observeTaker(state, tradeOf(id, side, at, Math.max(0.001, taken)), seen);
      }
      state = observeBook(state, bookOf(half), MID, 1000 * next);
    }
  }
  return state;
}

describe("A and k", () => {
  test.each([
    ["takers smaller than what rests", plain, 0.1],
    ["takers that take all that rests", { ...plain, size: 20, k: 20 }, 0.1],
    ["few takers", { ...plain, a: 0.03 }, 0.3],
  ])("are found: %s", (_, world, most) => {
    const { law } = watched(world, 6 * 3600);
    expect(Math.abs((law?.a ?? 0) / world.a - 1)).toBeLessThan(most);
    expect(Math.abs((law?.k ?? 0) / world.k - 1)).toBeLessThan(most);
  });

  test("are not identified by fewer than fifty takers", () => {
    const state = watched({ ...plain, a: 0.005 }, 3600);
    expect(state.seen).toBeGreaterThan(10);
    expect(state.law).toBe(null);
  });

  test("are not identified where small takers meet a touch that never moves", () => {
    expect(watched({ ...plain, halves: [0.1], size: 0.1 }, 7200).law).toBe(null);
  });

  test("law: one taker that sweeps the whole book hardly moves them", () => {
    const before = watched(plain, 3600);
    const deep = observeTaker(before, tradeOf(1e6, "buy", 20, 1), { atMs: 3_601_000, isOurs: false });
    const after = observeBook(deep, bookOf(0.1), MID, 3_700_000);
    expect((after.law?.k ?? 0) / (before.law?.k ?? 1)).toBeGreaterThan(0.95);
  });
});

describe("time", () => {
  const seconds = ({ sums }: FillIntensity): number => sums.touches.reduce((sum, each) => sum + each, 0) / 2;
  const look = (state: FillIntensity, half: number, sec: number) => observeBook(state, bookOf(half), MID, 1000 * sec);

  test("counts at the touch that stood, until the next look", () => {
    const state = look(look(look(noFillIntensity, 0.1, 0), 0.2, 5), 0.1, 10);
    expect(seconds(state)).toBe(10);
    expect(state.sums.touches.filter((each) => each > 0)).toEqual(new Float32Array([10, 10]));
  });

  test("law: a book before an outage says nothing of the time without a look", () => {
    expect(seconds(look(look(noFillIntensity, 0.1, 0), 0.1, 60))).toBe(0);
  });

  test("law: a book before time that must teach nothing says nothing of the time after it", () => {
    expect(seconds(look(skipTime(look(noFillIntensity, 0.1, 0)), 0.1, 10))).toBe(0);
  });

  test("unseen is no time without takers: their rate stays, and weighs less", () => {
    const state = watched({ ...plain, a: 2 }, 3600);
    const { takers } = state.sums;
    const after = look(state, 0.1, 3600 + DAY_SEC);
    expect(after.sums.takers / takers).toBeCloseTo(0.5, 2);
    expect(after.sums.takers / seconds(after)).toBeCloseTo(takers / seconds(state), 4);
    expect(look(state, 0.1, 365 * DAY_SEC).sums.takers).toBeCloseTo(200, 6);
  });
});

test("a sweep over levels is one taker, as far as its last trade, and one that paid no more than it had to is ended by the next price", () => {
  const seen = { atMs: 1000, isOurs: false };
  const swept = [tradeOf(1, "buy", 0.1, 2), tradeOf(1, "buy", 0.15, 1), tradeOf(2, "sell", 0.1, 2)].reduce(
    (state, trade) => observeTaker(state, trade, seen),
    observeBook(noFillIntensity, bookOf(0.1), MID, 0),
  );
  const { sums } = observeBook(swept, bookOf(0.1), MID, 2000);
  expect(sums).toMatchObject({ takers: 2, ended: 1 });
  expect(sums.reached).toBeCloseTo((0.15 + 0.1) / MID, 9);
});
