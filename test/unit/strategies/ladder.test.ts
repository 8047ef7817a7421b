// The ladder: its levels, how it leans, and how seldom it moves.

import { describe, expect, test } from "vitest";
import { contractsOf, usdOf } from "../../../src/domain/rounding.ts";
import type { View } from "../../../src/domain/view.ts";
import { createPrng } from "../../../src/kernel/prng.ts";
import { hysteresisUsd, strategy } from "../../../strategies/ladder.ts";
import { healthyView, now, oracle, usd, withInventory } from "../bot/risk/healthy.ts";

const written = { size: 1, halfSpreadBps: 10, stepBps: 10, maxInventory: 10, center: "oracle", hysteresisBps: 5 };
const openBook: View = { ...healthyView, book: now({ marketId: 1, bids: [], asks: [] }) };
const at = (fairUsd: number, contracts = 0): View => ({
  ...withInventory(openBook, contracts),
  oracle: now({ ...oracle, price: usd(fairUsd) }),
});
const start = (changes: object = {}) => {
  const params = strategy.params.parse({ ...written, ...changes });
  const memory = strategy.start(params);
  return (view: View) => strategy.quote(view, params, memory);
};
const shown = (view: View, changes: object = {}) =>
  start(changes)(view).quotes.map(({ side, price, size }) => `${side} ${contractsOf(size)} at ${usdOf(price)}`);

describe("levels", () => {
  test("sizes decay by exp(-sizeDecay) a level", () => {
    expect(shown(at(200), { sizeDecay: Math.log(2) })).toEqual([
      "buy 1 at 199.8",
      "buy 0.5 at 199.6",
      "buy 0.25 at 199.4",
      "sell 1 at 200.2",
      "sell 0.5 at 200.4",
      "sell 0.25 at 200.6",
    ]);
  });

  test("full of inventory: the side that adds is gone, the other stands nearer, in full size", () => {
    expect(shown(at(200, 10), { levels: 1 })).toEqual(["sell 1 at 200.1"]);
  });

  test("half full: half of the skew, of distance and of size", () => {
    expect(shown(at(200, 5), { levels: 1 })).toEqual(["buy 0.75 at 199.75", "sell 1 at 200.15"]);
    expect(shown(at(200, -5), { levels: 1 })).toEqual(["buy 1 at 199.85", "sell 0.75 at 200.25"]);
  });

  test("prices are on the grid, outward", () => {
    const prices = start({ gridTicks: 25 })(at(200.07)).quotes.map(({ price }) => Number(price) / 25e6);
    expect(prices.every((price) => Number.isInteger(price))).toBe(true);
    expect(shown(at(200.07), { gridTicks: 25, levels: 1 })).toEqual(["buy 1 at 199.75", "sell 1 at 200.5"]);
  });

  test("law: no level's sizes together pass the inventory's cap", () => {
    for (let held = -10; held <= 10; held += 1) {
      const { quotes } = start({ levels: 5, sizeDecay: 0, size: 3 })(at(200, held));
      const sum = (side: "buy" | "sell") =>
        quotes.filter((one) => one.side === side).reduce((total, { size }) => total + contractsOf(size), 0);
      expect(held + sum("buy")).toBeLessThanOrEqual(10);
      expect(held - sum("sell")).toBeGreaterThanOrEqual(-10);
    }
  });
});

describe("hysteresis", () => {
  test("the quotes stay while fair value is within it, and follow when it has left", () => {
    const quote = start();
    const before = quote(at(200)).quotes;
    for (const fair of [200.05, 199.95, 200.09, 199.91]) expect(quote(at(fair)).quotes).toEqual(before);
    expect(quote(at(200.11)).quotes).not.toEqual(before);
    expect(quote(at(200.12)).fairValueUsd).toBe(200.12);
  });

  test("no level stands on the wrong side of fair value, wherever that is within reach", () => {
    const quote = start({ halfSpreadBps: 1, hysteresisBps: 50 });
    quote(at(200));
    for (const fair of [200.99, 199.01])
      for (const { side, price } of quote(at(fair)).quotes)
        expect(side === "buy" ? usdOf(price) < fair : usdOf(price) > fair).toBe(true);
  });

  test("theta: half of 1 / k, a tick at least, and what the budget asks for", () => {
    const given = { tickUsd: 0.01, sigma: 0.02, k: 5, actionsPerMove: 4, budgetPerDay: null, fillsPerDay: 0 };
    expect(hysteresisUsd(given)).toBeCloseTo(0.1, 12);
    expect(hysteresisUsd({ ...given, k: 100 })).toBe(0.01);
    const budget = hysteresisUsd({ ...given, budgetPerDay: 1000, fillsPerDay: 200 });
    expect(budget).toBeCloseTo(0.02 * Math.sqrt(86_400) * Math.sqrt(4 / 800), 12);
    // More fills than the budget: what is left for moves is a tenth of it.
    expect(hysteresisUsd({ ...given, budgetPerDay: 1000, fillsPerDay: 5000 })).toBeCloseTo(
      0.02 * Math.sqrt(86_400 / 25),
      12,
    );
  });

  test("law: a random walk moves the quotes sigma^2 / theta^2 times, within 10 %, and costs at most 3 % at k theta = 1/2", () => {
    const [stepUsd, thetaUsd, steps] = [0.2 / 12, 0.2, 40_000];
    const quote = start({ hysteresisBps: 10, halfSpreadBps: 20, levels: 1, gridTicks: 1 });
    const prng = createPrng(11n);
    let [fair, moves, loss, last] = [200, 0, 0, ""];
    let center = fair;
    const k = 0.5 / thetaUsd;
    const edge = (depth: number) => depth * Math.exp(-k * depth);
    for (let step = 0; step < steps; step += 1) {
      fair += stepUsd * prng.gaussian();
      const now = String(quote(at(fair)).quotes[0]?.price);
      if (now !== last) {
        moves += 1;
        center = fair;
      }
      last = now;
      loss += 1 - (edge(1 / k - (fair - center)) + edge(1 / k + (fair - center))) / (2 * edge(1 / k));
    }
    // A walk in steps passes the edge by 0.5826 of a step's deviation on average.
    const wanted = (steps * stepUsd ** 2) / (thetaUsd + 0.5826 * stepUsd) ** 2;
    expect(Math.abs(moves / wanted - 1)).toBeLessThan(0.1);
    expect(loss / steps).toBeLessThan(0.03);
    expect(loss / steps).toBeGreaterThan(0.015);
  });
});
