// The deviation of the inventory that a strategy is given is the one that it gets, whatever the market does otherwise than the formula has it.

import { describe, expect, test } from "vitest";
import { observePublication } from "../../../../src/bot/strategy/print-schedule.ts";
import { foldQuotes, type Own, readSignals, startSignals } from "../../../../src/bot/strategy/signals.ts";
import { noSkewScale, observeLean, skewDataShare } from "../../../../src/bot/strategy/skew-scale.ts";
import type { Strategy } from "../../../../src/bot/strategy/strategy.ts";
import type { TrackedOrder } from "../../../../src/domain/order.ts";
import type { Quotes } from "../../../../src/domain/quotes.ts";
import { usdOf } from "../../../../src/domain/rounding.ts";
import type { Side } from "../../../../src/domain/units.ts";
import type { View } from "../../../../src/domain/view.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { exp } from "../../../../src/kernel/real.ts";
import { strategy as avellanedaStoikov } from "../../../../strategies/avellaneda-stoikov.ts";
import { strategy as glft } from "../../../../strategies/glft.ts";
import { plainHeld } from "../../../support/plain-bot.ts";
import { healthyView, lots, market, now, oracle, order, usd } from "../risk/healthy.ts";

const HOUR_SEC = 3600;
const at = (inventory: number) => ({ inventory, wantedStd: 2 });

const resting = (side: Side): TrackedOrder => order(1, side, 200, 1);

/** Looks at it each `everySec` for so many hours. */
const held = (inventory: number, hours: number, everySec = 5) => {
  let state = noSkewScale;
  for (let sec = 0; sec <= hours * HOUR_SEC; sec += everySec) state = observeLean(state, at(inventory), sec * 1000);
  return state;
};

describe("the scale of the skew", () => {
  test("is 1 and all prior at first; rises while the inventory is beyond its deviation, falls while it is within, stays at it", () => {
    expect(noSkewScale.scale).toBe(1);
    expect(skewDataShare(noSkewScale)).toBe(0);
    expect(held(4, 1).scale).toBeGreaterThan(1.2);
    expect(held(1, 1).scale).toBeLessThan(0.95);
    expect(held(2, 100).scale).toBe(1);
    expect(skewDataShare(held(2, 100))).toBeGreaterThan(0.9);
  });

  test("goes by time and not by turns", () => {
    const [often, seldom] = [held(3, 12, 1), held(3, 12, 10)];
    expect(often.scale / seldom.scale).toBeCloseTo(1, 2);
    expect(observeLean(often, at(3), 12 * HOUR_SEC * 1000 + 999)).toBe(often);
  });

  test("stays within a ninth and nine, and comes back from there as fast", () => {
    expect(held(0, 1000).scale).toBe(1 / 9);
    let state = held(100, 1000);
    expect(state.scale).toBe(9);
    state = observeLean(state, at(0), state.lastMs! + 5000);
    expect(state.scale).toBeLessThan(9);
  });

  test("a time that nobody watched counts for nothing, and an inventory that was taken over as three deviations", () => {
    const before = held(4, 1);
    const after = observeLean(before, at(4), before.lastMs! + 60_000);
    expect({ ...after, lastMs: 0 }).toEqual({ ...before, lastMs: 0 });
    expect(held(1000, 1)).toEqual(held(6, 1));
  });
});

describe("what counts", () => {
  const wide = { quotes: [], fairValueUsd: 200, reason: null, lean: at(4) };
  const own = (side: "buy" | "sell", chainTimeMs: number | null = null): Own => ({
    orders: [resting(side)],
    vacated: [],
    orderSize: lots(1),
    chainTimeMs,
  });
  const scaleAfter = (quotes: Pick<Quotes, "lean">, ours: Own, state = startSignals(1)) =>
    readSignals(foldQuotes(foldQuotes(state, quotes, ours, 0), quotes, ours, 10_000)).skewScale;

  test("an inventory while what brings it back rests, and not while only what adds does, nothing does, or nothing is wanted", () => {
    expect(scaleAfter(wide, own("sell"))).toBeGreaterThan(1);
    expect(scaleAfter(wide, own("buy"))).toBe(1);
    expect(scaleAfter({ lean: at(-4) }, own("buy"))).toBeGreaterThan(1);
    expect(scaleAfter({ lean: at(0) }, own("buy"))).toBeLessThan(1);
    expect(scaleAfter(wide, { ...own("sell"), orders: [] })).toBe(1);
    expect(scaleAfter({}, own("sell"))).toBe(1);
  });

  test("nothing around a print, whose risk has a skew of its own", () => {
    const publishedMs = 1_790_000_000_000;
    const schedule = observePublication(null, { publishedMs, validUntilSec: publishedMs / 1000 + 86_400 }, null);
    const state = { ...startSignals(1), schedule };
    expect(scaleAfter(wide, own("sell", publishedMs + 60_000), state)).toBe(1);
    expect(scaleAfter(wide, own("sell", publishedMs + HOUR_SEC * 1000), state)).toBeGreaterThan(1);
  });
});

const written = { size: 1, maxInventory: 60, inventoryStd: 4, volatilityBps: 1, depthBps: 5, minHalfSpreadBps: 0 };
const MID = 200;

const viewOf = (inventory: number, skewScale: number): View => ({
  ...healthyView,
  market: now({ ...market, tickSize: usd(0.000_01) }),
  oracle: now({ ...oracle, price: usd(MID) }),
  book: now({ marketId: 1, bids: [], asks: [] }),
  position: now(plainHeld(lots(inventory), usd(MID))),
  feeTier: { state: "absent" },
  guidance: { fairValueUsd: MID, extraInventory: 0 },
  signals: { ...healthyView.signals, skewScale },
});

function quoting<Params>(strategy: Strategy<Params, null>, params: Record<string, unknown> = {}) {
  const parsed = strategy.params.parse({ ...written, ...params });
  return (view: View): Quotes => strategy.quote(view, parsed, null);
}

const strategies = [
  ["glft", quoting(glft, { intensityA: 0.05 }), quoting(glft, { gamma: 0.1, inventoryStd: undefined })],
  [
    "avellaneda-stoikov",
    quoting(avellanedaStoikov),
    quoting(avellanedaStoikov, { gamma: 0.1, inventoryStd: undefined }),
  ],
] as const;

/** USD below and above the mid. */
const depthsOf = ({ quotes }: Quotes) => {
  const [bid, ask] = (["buy", "sell"] as const).map((side) => quotes.find((one) => one.side === side));
  return { bid: MID - usdOf(bid!.price), ask: usdOf(ask!.price) - MID };
};

describe.each(strategies)("%s", (_, quote, quoteAverse) => {
  test("the scale moves both quotes, by as many times, and leaves the spread between them", () => {
    const [plain, scaled] = [1, 5].map((scale) => depthsOf(quote(viewOf(2, scale))));
    expect(scaled!.bid + scaled!.ask).toBeCloseTo(plain!.bid + plain!.ask, 4);
    expect((scaled!.bid - scaled!.ask) / (plain!.bid - plain!.ask)).toBeCloseTo(5, 1);
    expect(depthsOf(quote(viewOf(0, 5)))).toEqual(depthsOf(quote(viewOf(0, 1))));
  });

  test("a risk aversion that is given is taken at its word, and nothing is learned from it", () => {
    expect(quoteAverse(viewOf(2, 5))).toEqual(quoteAverse(viewOf(2, 1)));
    expect(quoteAverse(viewOf(2, 1)).lean).toBe(undefined);
    expect(quote(viewOf(2, 1)).lean).toEqual({ inventory: 2, wantedStd: 4 });
  });

  /**
   * Takers of one side come in bursts of a quarter of an hour or so, and reach half as far, or twice as far, as is assumed. Standard
   * deviation of the position over five days, after two.
   */
  const deviationWith = (depthFactor: number, isScaled: boolean): number => {
    const prng = createPrng(11n);
    const STEP_SEC = 20;
    const own = { orders: [resting("buy"), resting("sell")] };
    let signals = startSignals(1);
    let [inventory, buyers, squares, count] = [0, 0.5, 0, 0];
    for (let sec = 0; sec < 7 * 24 * HOUR_SEC; sec += STEP_SEC) {
      if (prng.float() < STEP_SEC / 900) buyers = prng.float() < 0.5 ? 0.3 : 0.7;
      const quotes = quote(viewOf(inventory, isScaled ? signals.skew.scale : 1));
      const { bid, ask } = depthsOf(quotes);
      const chance = (depth: number, share: number) =>
        1 - exp(-2 * share * STEP_SEC * 0.05 * exp(-depth / (0.1 * depthFactor)));
      if (prng.float() < chance(ask, buyers)) inventory -= 1;
      if (prng.float() < chance(bid, 1 - buyers)) inventory += 1;
      const facts = { ...own, vacated: [], orderSize: lots(1), chainTimeMs: null };
      signals = foldQuotes(signals, quotes, facts, sec * 1000);
      if (sec < 2 * 24 * HOUR_SEC) continue;
      squares += inventory ** 2;
      count += 1;
    }
    return Math.sqrt(squares / count);
  };

  test.each([0.5, 2])(
    "the wanted deviation is met within 15 % where takers come in bursts and reach %d times as far",
    (reach) => {
      expect(Math.abs(deviationWith(reach, true) / 4 - 1)).toBeLessThan(0.15);
      if (reach > 1) expect(deviationWith(reach, false) / 4).toBeGreaterThan(1.3);
    },
  );
});
