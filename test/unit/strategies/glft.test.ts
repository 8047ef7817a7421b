// GLFT against published numbers, its own exact laws, and the quotes that come of it.

import { describe, expect, test } from "vitest";
import type { FillModel } from "../../../src/bot/strategy/public.ts";
import { contractsOf, usdOf } from "../../../src/domain/rounding.ts";
import { absent, type View } from "../../../src/domain/view.ts";
import { closedForm, gammaForInventory, strategy } from "../../../strategies/glft.ts";
import { healthyView, lots, now, usd, withInventory } from "../bot/risk/healthy.ts";
import { noSignals } from "../bot/scene.ts";

describe("closed form", () => {
  test("the notebook of hftbacktest: half spread 20.472085338, skew 9.763268650", () => {
    const model: FillModel = { sigma: 10.69, intensityA: 2.986_162_360_812_285, intensityK: 0.042_357_411_150_840_49 };
    const { halfSpreadUsd, skewUsd } = closedForm(model, 0.05);
    expect(Math.abs(halfSpreadUsd - 20.472_085_338)).toBeLessThan(1e-9);
    expect(Math.abs(skewUsd - 9.763_268_65)).toBeLessThan(1e-9);
  });

  test("with no risk aversion left, half a spread of 1 / k and no skew", () => {
    const { halfSpreadUsd, skewUsd } = closedForm({ sigma: 1, intensityA: 1, intensityK: 2 }, 1e-12);
    expect(halfSpreadUsd).toBeCloseTo(0.5, 5);
    expect(skewUsd).toBeLessThan(1e-5);
  });
});

test("a smaller wanted deviation is more risk aversion", () => {
  const model: FillModel = { sigma: 2, intensityA: 140, intensityK: 1.5 };
  const gammas = [1, 2, 5, 10].map((wanted) => gammaForInventory(model, wanted));
  expect(gammas).toEqual(gammas.toSorted((a, b) => b - a));
});

/** Prices round to the tick of 0.01, outward. */
const expectWithinTick = (depthUsd: number | undefined, wantedUsd: number | undefined) =>
  expect(Math.abs((depthUsd ?? Number.NaN) - (wantedUsd ?? Number.NaN))).toBeLessThan(0.010_001);

/** c1 of a model with k 5 a USD, A 0.2 and 0.4 bps of 200 USD, at the risk aversion that makes the skew so large. */
function closedFormHalf(skewUsd: number): number {
  const model: FillModel = { sigma: 0.008, intensityA: 0.2, intensityK: 5 };
  const gamma = gammaForInventory(model, 1 / Math.sqrt(2 * 5 * skewUsd));
  return Math.log(1 + gamma / 5) / gamma;
}

describe("quotes", () => {
  const written = {
    size: 0.5,
    maxInventory: 10,
    levels: 3,
    stepBps: 5,
    center: "oracle",
    volatilityBps: 1,
    intensityA: 0.2,
    depthBps: 10,
  };
  const params = (changes: object = {}) => strategy.params.parse({ ...written, ...changes });
  const quote = (view: View, changes: object = {}) =>
    strategy.quote(view, params(changes), strategy.start(params(changes)));
  const depths = (view: View, changes: object = {}) => {
    const { quotes, fairValueUsd } = quote(view, changes);
    const of = (side: "buy" | "sell") =>
      quotes.filter((one) => one.side === side).map((one) => Math.abs(usdOf(one.price) - (fairValueUsd ?? 0)));
    return { bids: of("buy"), asks: of("sell") };
  };
  const openBook: View = { ...healthyView, book: now({ marketId: 1, bids: [], asks: [] }), feeTier: absent };

  test("are symmetric without inventory", () => {
    const { bids, asks } = depths(openBook);
    expect(bids).toHaveLength(3);
    for (const [level, bid] of bids.entries()) expectWithinTick(bid, asks[level]);
  });

  test("lean against the inventory: long bids deeper and asks nearer, short the other way round", () => {
    const flat = depths(openBook, { inventoryStd: 2 });
    const long = depths(withInventory(openBook, 3), { inventoryStd: 2 });
    const short = depths(withInventory(openBook, -3), { inventoryStd: 2 });
    expect(long.bids[0]).toBeGreaterThan((flat.bids[0] ?? 0) + 0.02);
    expect(long.asks[0]).toBeLessThan((flat.asks[0] ?? 0) - 0.02);
    expectWithinTick(short.bids[0], long.asks[0]);
  });

  test("volatility moves them: from the usual 0.4 bps per root second to 20 the skew grows fifty times, the half spread by half of that", () => {
    const { volatilityBps, ...estimating } = written;
    const at = (bps: number, changes: object = {}) => {
      const signals = { ...openBook.signals, volatilityBps: bps, dayVolatilityBps: 0.4, slowVolatilityBps: 0.4 };
      const given = strategy.params.parse({ ...estimating, minHalfSpreadBps: 0, inventoryStd: 2, ...changes });
      const half = (view: View) =>
        usdOf(strategy.quote({ ...view, signals }, given, null).quotes.find(({ side }) => side === "sell")!.price) -
        200;
      return { half: half(openBook), skew: half(openBook) - half(withInventory(openBook, 0.5)) };
    };
    // In USD: k is 5, and a deviation of four lots is a skew of 1 / (2 x 5 x 16) a lot.
    const usual = 1 / 160;
    for (const bps of [0.4, 2, 20]) {
      const skew = (bps / 0.4) * usual;
      expectWithinTick(at(bps).half, closedFormHalf(usual) + skew / 2);
      expect(Math.abs(at(bps).skew - skew)).toBeLessThan(0.010_001);
    }
    expect(at(20).half - at(0.4).half).toBeGreaterThan(0.14);
    expect(at(20, { slowVolatilityBps: 20 }).half - at(0.4).half).toBeLessThan(0.010_001);
    expect(volatilityBps).toBe(1);
  });

  test("stay between least and most half spread", () => {
    expectWithinTick(depths(openBook, { minHalfSpreadBps: 40 }).bids[0], 0.8);
    expectWithinTick(depths(openBook, { minHalfSpreadBps: 0, maxHalfSpreadBps: 3 }).bids[0], 0.06);
  });

  test("are inside what others show for one order, however far takers reach, and never nearer than the least half spread", () => {
    const level = (at: number) => ({ price: usd(at), size: lots(1), orderCount: 1 });
    const shown = (half: number): View => ({
      ...openBook,
      book: now({ marketId: 1, bids: [level(200 - half)], asks: [level(200 + half)] }),
    });
    // 10 bps, the depth, are 0.2 USD.
    expect(depths(shown(0.1), { minHalfSpreadBps: 1 }).bids[0]).toBeCloseTo(0.08, 9);
    expect(depths(shown(0.1), { minHalfSpreadBps: 6 }).bids[0]).toBeCloseTo(0.12, 9);
    expectWithinTick(depths(shown(2), { minHalfSpreadBps: 1 }).bids[0], depths(openBook).bids[0]);
  });

  test("move out by a maker fee and in by a rebate, each alone", () => {
    const tier = (makerFeeBps: number) => ({
      ...openBook,
      feeTier: now({ assetClass: "RealEstate", minVolume30d: 0n as never, makerFeeBps, takerFeeBps: 10 }),
    });
    const base = depths(tier(0), { minHalfSpreadBps: 0 }).bids[0] ?? 0;
    expectWithinTick(depths(tier(5), { minHalfSpreadBps: 0 }).bids[0], base + 0.1);
    expectWithinTick(depths(tier(-5), { minHalfSpreadBps: 0 }).bids[0], base - 0.1);
  });

  test("what adds pays 1 / k and all of the impact, what reduces a whole lot half of it", () => {
    const changes = { impactBps: 20, gamma: 1e-9, minHalfSpreadBps: 0, levels: 1 };
    const at = (contracts: number) => depths(withInventory(openBook, contracts), changes);
    // 1 / k is 10 bps, or 0.2 USD, and 20 bps of impact are 0.4.
    for (const [held, bid, ask] of [
      [0, 0.6, 0.6],
      [2, 0.6, 0.4],
      [-2, 0.4, 0.6],
    ] as const) {
      expectWithinTick(at(held).bids[0], bid);
      expectWithinTick(at(held).asks[0], ask);
    }
    // Half of a lot that sells 0.5 while 0.25 is held adds.
    expectWithinTick(at(0.25).asks[0], 0.5);
  });

  test("stop adding at the inventory's cap, and quote no more than may be added", () => {
    const sizes = (contracts: number) =>
      quote(withInventory(openBook, contracts))
        .quotes.filter(({ side }) => side === "buy")
        .map((one) => contractsOf(one.size));
    expect(sizes(0)).toEqual([0.5, 0.5, 0.5]);
    expect(sizes(9.25)).toEqual([0.5, 0.25]);
    expect(sizes(10)).toEqual([]);
    expect(quote(withInventory(openBook, 10)).quotes.length).toBe(3);
  });

  test("law: scale invariance. A hundred times the price is the same in basis points", () => {
    const at = (scale: number) => {
      const view = structuredClone(openBook) as { -readonly [K in keyof View]: View[K] };
      if (openBook.oracle.state !== "fresh" || openBook.market.state !== "fresh") throw new Error("healthy");
      const multiply = (amount: bigint) => amount * BigInt(scale);
      view.oracle = now({ ...openBook.oracle.value, price: multiply(openBook.oracle.value.price) as never });
      view.market = now({ ...openBook.market.value, tickSize: multiply(openBook.market.value.tickSize) as never });
      return quote(view).quotes.map((one) => Number(one.price) / scale);
    };
    expect(at(100)).toEqual(at(1));
  });

  test("estimates are used where nothing is configured, the prior where nothing is known", () => {
    const { volatilityBps, intensityA, depthBps, ...rest } = written;
    const free = { ...rest, gamma: 0.5, minHalfSpreadBps: 0 };
    const spread = (signals: View["signals"]) => {
      const parsed = strategy.params.parse(free);
      const { quotes } = strategy.quote({ ...openBook, signals }, parsed, null);
      return Number((quotes.find(({ side }) => side === "sell")?.price ?? 0n) - (quotes[0]?.price ?? 0n));
    };
    expect(spread({ ...noSignals, intensityK: 20 })).toBeLessThan(spread(noSignals));
    expect(spread({ ...noSignals, volatilityBps: 20 })).toBeGreaterThan(spread(noSignals));
    expect([volatilityBps, intensityA, depthBps]).toEqual([1, 0.2, 10]);
  });
});

test("an impact of each fill adds half of it to the half spread, and exp(k impact / 4) times the skew", () => {
  const model: FillModel = { sigma: 2, intensityA: 140, intensityK: 1.5 };
  const [plain, moved] = [closedForm(model, 0.1), closedForm({ ...model, impact: 0.2 }, 0.1)];
  expect(moved.skewUsd / plain.skewUsd).toBeCloseTo(Math.exp(0.075), 12);
  expect(moved.halfSpreadUsd - moved.skewUsd / 2).toBeCloseTo(plain.halfSpreadUsd - plain.skewUsd / 2 + 0.1, 12);
  const wanted = gammaForInventory({ ...model, impact: 0.2 }, 3);
  expect(1 / Math.sqrt(2 * 1.5 * closedForm({ ...model, impact: 0.2 }, wanted).skewUsd)).toBeCloseTo(3, 9);
});

describe("parameters", () => {
  test.each([
    [{}, ["size", "maxInventory"]],
    [{ size: 1, maxInventory: 5, gamma: 1, inventoryStd: 1 }, ["gamma"]],
    [{ size: 1, maxInventory: 5, minHalfSpreadBps: 5, maxHalfSpreadBps: 4 }, ["minHalfSpreadBps"]],
    [{ size: 0, maxInventory: 5 }, ["size"]],
    [{ size: "0.0000001", maxInventory: 5 }, ["size"]],
    [{ size: 1, maxInventory: 5, levels: 0 }, ["levels"]],
    [{ size: 1, maxInventory: 5, sigma: 3 }, [""]],
  ])("forbidden: %o", (written, paths) => {
    const { error } = strategy.params.safeParse(written);
    expect(error?.issues.map(({ path }) => path.join("."))).toEqual(paths);
  });
});
