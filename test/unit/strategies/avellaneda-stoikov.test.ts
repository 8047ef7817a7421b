// Avellaneda and Stoikov: the formulas of the paper, and the quotes that come of them.

import { describe, expect, test } from "vitest";
import { usdOf } from "../../../src/domain/rounding.ts";
import { absent, type View } from "../../../src/domain/view.ts";
import { gammaForInventory, optimalQuotes, strategy } from "../../../strategies/avellaneda-stoikov.ts";
import { chainTimeMs, healthyView, now, withInventory } from "../bot/risk/healthy.ts";

describe("the optimal quotes", () => {
  const paper = { mid: 100, inventory: 0, gamma: 0.1, sigma: 2, k: 1.5, timeLeft: 1 };

  test("at the start: psi = gamma sigma^2 T + (2 / gamma) ln(1 + gamma / k), around the mid", () => {
    const { reservationPrice, spread, bid, ask } = optimalQuotes(paper);
    expect(reservationPrice).toBe(100);
    expect(spread).toBeCloseTo(0.4 + 20 * Math.log(1 + 1 / 15), 12);
    expect([bid, ask]).toEqual([100 - spread / 2, 100 + spread / 2]);
  });

  test.each([
    [0.1, 1.4908],
    [0.01, 1.3489],
    [1, 3.0217],
  ])("gamma %d: the spread is %d on average over the time", (gamma, wanted) => {
    const ends = [1, 0].map((timeLeft) => optimalQuotes({ ...paper, gamma, timeLeft }).spread);
    expect(((ends[0] ?? 0) + (ends[1] ?? 0)) / 2).toBeCloseTo(wanted, 4);
  });

  test("the reservation price moves by gamma sigma^2 (T - t) a lot, and the spread does not move with the inventory", () => {
    const long = optimalQuotes({ ...paper, inventory: 3, timeLeft: 0.5 });
    expect(long.reservationPrice).toBeCloseTo(100 - 3 * 0.1 * 4 * 0.5, 12);
    expect(long.spread).toBe(optimalQuotes({ ...paper, timeLeft: 0.5 }).spread);
  });

  test("edge: nearly no risk aversion leaves half a spread of 1 / k, and no time left no skew", () => {
    expect(optimalQuotes({ ...paper, gamma: 1e-12 }).spread).toBeCloseTo(2 / 1.5, 9);
    expect(optimalQuotes({ ...paper, inventory: 9, timeLeft: 0 }).reservationPrice).toBe(100);
  });

  test("law: scale invariance. Prices a hundred times as high, gamma and k converted, are quotes a hundred times as high", () => {
    const here = optimalQuotes({ ...paper, inventory: 2 });
    const there = optimalQuotes({ mid: 1e4, inventory: 2, gamma: 0.001, sigma: 200, k: 0.015, timeLeft: 1 });
    expect(there.bid / here.bid).toBeCloseTo(100, 9);
    expect(there.ask / here.ask).toBeCloseTo(100, 9);
  });

  test("the risk aversion of a wanted deviation: the chain of fills has that deviation", () => {
    const [sigma, k, timeLeft, wanted] = [0.02, 4, 600, 3];
    const gamma = gammaForInventory(sigma, k, timeLeft, wanted);
    const rates = (inventory: number) => {
      const { bid, ask } = optimalQuotes({ mid: 0, inventory, gamma, sigma, k, timeLeft });
      return { up: Math.exp(k * bid), down: Math.exp(-k * ask) };
    };
    let [weight, total, second] = [1, 1, 0];
    for (let lots = 1; lots <= 40; lots += 1) {
      weight *= rates(lots - 1).up / rates(lots).down;
      total += 2 * weight;
      second += 2 * weight * lots ** 2;
    }
    expect(Math.sqrt(second / total) / wanted).toBeCloseTo(1, 3);
  });
});

describe("quotes", () => {
  const written = { size: 1, maxInventory: 9, center: "oracle", volatilityBps: 1, depthBps: 10, minHalfSpreadBps: 0 };
  const openBook: View = { ...healthyView, book: now({ marketId: 1, bids: [], asks: [] }), feeTier: absent };
  const quote = (view: View, changes: object = {}) => {
    const params = strategy.params.parse({ ...written, ...changes });
    return strategy.quote(view, params, strategy.start(params));
  };
  const touch = (view: View, changes: object = {}) => {
    const { quotes } = quote(view, changes);
    const of = (side: "buy" | "sell") => usdOf(quotes.find((one) => one.side === side)!.price);
    return { bid: of("buy"), ask: of("sell") };
  };

  test("are those of the formula, rounded to the tick", () => {
    const [sigma, k, gamma] = [0.02, 5, 0.002];
    const wanted = optimalQuotes({ mid: 200, inventory: 2, gamma, sigma, k, timeLeft: 3600 });
    const { bid, ask } = touch(withInventory(openBook, 2), { gamma, horizonSec: 3600 });
    expect(bid).toBeLessThanOrEqual(wanted.bid);
    expect(wanted.bid - bid).toBeLessThan(0.01);
    expect(ask - wanted.ask).toBeLessThan(0.01);
  });

  test("a session ends: less skew towards its end, and the next starts afresh", () => {
    const at = (secondsBefore: number) => {
      const end = Math.ceil(chainTimeMs / 3_600_000) * 3_600_000;
      const chain = now({ height: 1, timeMs: end - secondsBefore * 1000, offsetMs: 0, blockMs: 200 });
      const { bid, ask } = touch(withInventory({ ...openBook, chain }, 3), { horizon: "session", gamma: 0.002 });
      return 200 - (bid + ask) / 2;
    };
    expect(at(3600)).toBeCloseTo(3 * 0.002 * 0.02 ** 2 * 3600, 1);
    expect(at(1800)).toBeLessThan(at(3599));
    expect(at(1)).toBeLessThan(0.02);
    expect(at(0)).toBe(at(3600));
  });

  test("forbidden: a session without the time of the chain", () => {
    expect(quote({ ...openBook, chain: absent }, { horizon: "session" }).reason).toBe(
      "the time of the chain is unknown",
    );
    expect(quote({ ...openBook, chain: absent }).quotes).toHaveLength(2);
  });

  test("volatility moves them: at three times what is usual the skew of a lot is nine times as wide, and the half spread has half of it", () => {
    const at = (bps: number) => {
      const signals = { ...openBook.signals, volatilityBps: bps, dayVolatilityBps: 0.4, slowVolatilityBps: 0.4 };
      const changes = { volatilityBps: undefined, inventoryStd: 2 };
      const flat = touch({ ...openBook, signals }, changes);
      const long = touch(withInventory({ ...openBook, signals }, 1), changes);
      return { half: (flat.ask - flat.bid) / 2, skew: (flat.ask + flat.bid - long.ask - long.bid) / 2 };
    };
    // In USD: k is 5, and a deviation of two lots is a skew of 1 / (2 x 5 x 4) a lot.
    const usual = 0.025;
    for (const times of [1, 3, 10]) {
      const { half, skew } = at(0.4 * times);
      expect(Math.abs(skew - usual * times ** 2)).toBeLessThan(0.011);
      expect(Math.abs(half - at(0.4).half - (usual * (times ** 2 - 1)) / 2)).toBeLessThan(0.011);
    }
  });

  test("stay between least and most half spread", () => {
    expect(touch(openBook, { minHalfSpreadBps: 50 }).bid).toBe(199);
    expect(touch(openBook, { maxHalfSpreadBps: 2 }).ask).toBe(200.04);
  });
});
