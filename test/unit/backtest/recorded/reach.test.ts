// The law of takers on generated sessions whose law is known: A, k and the share of the informed, with what their intervals hold.

import { expect, test } from "vitest";
import { informedOf } from "../../../../src/backtest/recorded/informed.ts";
import { type ReachStretch, reachFit, sumsOf } from "../../../../src/backtest/recorded/reach-fit.ts";
import { stdOf } from "../../../../src/backtest/summary.ts";
import {
  noReachSums,
  noReachWatch,
  type ReachWatch,
  type Taker,
  totalOf,
  watchBook,
  watchTrade,
  withTouches,
} from "../../../../src/bot/strategy/reach.ts";
import { lawOf, whyUnidentified } from "../../../../src/bot/strategy/reach-law.ts";
import { orderId, type Price, price, type Side, size } from "../../../../src/domain/units.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

/** Distances are USD, sizes contracts. */
type World = {
  /** Takers a second and side that know nothing and would reach the mid, and k of how far they would. */
  readonly a: number;
  readonly k: number;
  /** Of all takers: they buy where the mid is higher in five minutes, else they sell. */
  readonly informed: number;
  /** The touch is drawn evenly between the two, anew each 20 s. */
  readonly touch: readonly [nearest: number, farthest: number];
  /** Mean of an exponential. */
  readonly takerSize: number;
  /** Half the time an order of ours rests on both sides, nearer by this factor than the others' touch; null: never. */
  readonly own: number | null;
};

const plain: World = { a: 0.6, k: 10, informed: 0, touch: [0.05, 0.15], takerSize: 0.3, own: null };

const MARKET = 1;
const MID = 200;
const SECONDS = 3600;
const STRETCHES = 20;
const AHEAD_SECONDS = 300;
const LEVELS = [2, 3, 4];
const LEVEL_USD = 0.04;
const OWN_SIZE = 0.5;
const ownId = (side: Side) => orderId(side === "buy" ? 1n : 2n);
const OTHERS = orderId(3n);

type Offer = { readonly price: Price; readonly usd: number; left: number; readonly isOurs: boolean };

function session(world: World, seed: bigint) {
  const { a, k, informed, takerSize } = world;
  const prng = createPrng(seed);
  const mids = [MID];
  for (let second = 1; second <= SECONDS + AHEAD_SECONDS; second += 1)
    mids.push((mids[second - 1] ?? 0) + 0.01 * prng.gaussian());
  const midAt = (second: number): number => mids[Math.floor(second)] ?? 0;
  let watch: ReachWatch = noReachWatch;
  let shownAt = 0;
  let stretchTakers: Taker[] = [];
  let { touches } = noReachSums;
  const stretches: ReachStretch[] = [];
  const gap = (1 - informed) / (2 * a);
  let [second, nextTaker, takers] = [0, prng.exponential(gap), 0];
  let [half, quotes] = [0, false];
  for (let tick = 0; tick <= SECONDS; tick += 20) {
    for (; nextTaker < tick; nextTaker += prng.exponential(gap)) {
      second = nextTaker;
      takers += 1;
      take(show());
      // Whoever was taken comes back at once.
      show();
    }
    second = tick;
    while (stretches.length < Math.floor((STRETCHES * tick) / SECONDS)) {
      stretches.push({ takers: stretchTakers, touches });
      [stretchTakers, touches] = [[], noReachSums.touches];
    }
    half = world.touch[0] + (world.touch[1] - world.touch[0]) * prng.float();
    quotes = world.own !== null && prng.chance(0.5);
    show();
  }
  const all = stretches.flatMap((each) => each.takers);
  const known = informedOf(all, { fromMs: 0, toMs: 1000 * SECONDS, mids: mids.slice(0, SECONDS + 1) });
  const sums = sumsOf(stretches, known?.weightOf ?? (() => 1));
  const fit = reachFit(sums);
  /** Per USD. */
  const perUsd = fit?.k && { low: fit.k.low / MID, value: fit.k.value / MID, high: fit.k.high / MID };
  const why = whyUnidentified(totalOf(sumsOf(stretches, () => 1)));
  return { stretches, informed: known, fit: fit && { ...fit, k: perUsd }, why };

  /** The book of now. */
  function show(): Readonly<Record<Side, readonly Offer[]>> {
    const mid = midAt(second);
    const offer = (side: Side, usd: number, left: number, isOurs: boolean): Offer => {
      const at = mid + (side === "sell" ? usd : -usd);
      return { price: price(BigInt(Math.round(at * 1e8))), usd, left, isOurs };
    };
    const of = (side: Side): readonly Offer[] => [
      ...(quotes ? [offer(side, half * (world.own ?? 1), OWN_SIZE, true)] : []),
      ...LEVELS.map((contracts, nth) => offer(side, half + nth * LEVEL_USD, contracts, false)),
    ];
    const shown = { buy: of("buy"), sell: of("sell") };
    const levels = (side: Side) =>
      shown[side].map((each) => ({ price: each.price, size: sized(each.left), orderCount: 1 }));
    touches = withTouches({ ...noReachSums, touches }, watch, second - shownAt).touches;
    shownAt = second;
    const looked = watchBook(watch, { marketId: MARKET, bids: levels("buy"), asks: levels("sell") }, mid);
    watch = looked.watch;
    stretchTakers.push(...looked.ended);
    return shown;
  }

  function take(shown: Readonly<Record<Side, readonly Offer[]>>): void {
    const rises = midAt(second + AHEAD_SECONDS) > midAt(second);
    const takerSide: Side = (prng.chance(informed) ? rises : prng.chance(0.5)) ? "buy" : "sell";
    const makerSide: Side = takerSide === "buy" ? "sell" : "buy";
    const reach = prng.exponential(1 / k);
    let left = prng.exponential(takerSize);
    for (const { price: at, usd, left: offered, isOurs } of shown[makerSide]) {
      if (left <= 0 || usd > reach) break;
      const taken = Math.min(left, offered);
      left -= taken;
      const ids = { takerOrderId: orderId(BigInt(1000 + takers)), makerOrderId: isOurs ? ownId(makerSide) : OTHERS };
      const trade = { marketId: MARKET, price: at, size: sized(taken), takerSide, txHash: "", timestampMs: null };
      const traded = watchTrade(watch, { ...trade, ...ids }, { atMs: 1000 * second, isOurs });
      watch = traded.watch;
      stretchTakers.push(...traded.ended);
    }
  }
}

const sized = (contracts: number) => size(BigInt(Math.max(1, Math.round(contracts * 1e6))));

const sessionsOf = (world: World, count = 100) =>
  Array.from({ length: count }, (_, nth) => session(world, BigInt(4000 + nth)));

test.each([
  ["takers smaller than the touch", plain],
  ["takers that sweep levels", { ...plain, a: 0.2, takerSize: 8 }],
  ["quotes of ours inside the touch", { ...plain, a: 0.3, touch: [0.09, 0.11], own: 0.5 }],
  ["one taker in five knows the price in five minutes", { ...plain, informed: 0.2 }],
] as const satisfies readonly (readonly [string, World])[])(
  "%s: intervals hold A and k in 90 to 98 of 100 sessions, and none is wider than a factor of 3",
  (_, world) => {
    const held = { a: 0, k: 0 };
    for (const { fit, why } of sessionsOf(world)) {
      expect(why).toBeNull();
      for (const name of ["a", "k"] as const) {
        const { low, high } = fit?.[name] ?? { low: Number.NaN, high: Number.NaN };
        expect(high / low).toBeLessThanOrEqual(3);
        if (low <= world[name] && world[name] <= high) held[name] += 1;
      }
    }
    for (const name of ["a", "k"] as const) {
      expect(held[name], name).toBeGreaterThanOrEqual(90);
      expect(held[name], name).toBeLessThanOrEqual(98);
    }
  },
);

test.each([
  ["takers smaller than the touch", plain],
  ["takers that sweep levels", { ...plain, a: 0.2, takerSize: 8 }],
] as const satisfies readonly (readonly [string, World])[])(
  "%s: the standard error of ln k is its deviation from session to session",
  (_, world) => {
    const laws = sessionsOf(world).flatMap(({ stretches }) => lawOf(totalOf(sumsOf(stretches, () => 1))) ?? []);
    const deviation = stdOf(laws.map(({ k }) => Math.log(k))) ?? Number.NaN;
    const told = laws.reduce((sum, { errorOfLogK }) => sum + errorOfLogK, 0) / laws.length;
    expect(laws.length).toBe(100);
    expect(told / deviation).toBeGreaterThan(0.8);
    expect(told / deviation).toBeLessThan(1.25);
  },
);

test("where nobody knows more, the share of the informed is below 0.05 in 95 of 100 sessions", () => {
  const shares = sessionsOf({ ...plain, a: 0.2 }).map(({ informed }) => informed?.share.value ?? Number.NaN);
  expect(shares.filter((share) => share < 0.05).length).toBeGreaterThanOrEqual(95);
});

test("where one in two knows, the share is told and its interval holds it", () => {
  const shares = sessionsOf({ ...plain, informed: 0.5 }, 20).map(({ informed }) => informed?.share);
  for (const share of shares) expect(share?.value).toBeGreaterThan(0.3);
  expect(
    shares.filter((share) => share !== undefined && share.low <= 0.5 && share.high >= 0.5).length,
  ).toBeGreaterThanOrEqual(17);
});

const steady: World = { ...plain, touch: [0.1, 0.105], takerSize: 0.05 };

test("small takers at a touch that does not move say nothing of k", () => {
  expect(session(steady, 1n).why).toContain("the touch moved by less than 30 %");
});

test("two hundred of them at our own quotes do", () => {
  const { stretches, fit, why } = session({ ...steady, a: 0.6, own: 0.5 }, 1n);
  expect(stretches.flatMap(({ takers }) => takers).filter(({ isOurs }) => isOurs).length).toBeGreaterThan(200);
  expect(why).toBeNull();
  expect(fit?.k?.value).toBeCloseTo(steady.k, -1);
});

test("fewer than fifty takers are too few, and of an hour without one there is no law", () => {
  expect(session({ ...plain, a: 0.01 }, 1n).why).toMatch(/^\d+ takers came, 50 are needed$/);
  const { fit, informed } = session({ ...plain, a: 1e-9 }, 1n);
  expect([fit, informed]).toEqual([null, null]);
});
