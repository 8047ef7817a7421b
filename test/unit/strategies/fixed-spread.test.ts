// Fixed spread: where it stands, how it leans, and what it refuses.

import { describe, expect, test } from "vitest";
import { contractsOf, usdOf } from "../../../src/domain/rounding.ts";
import { absent, type View } from "../../../src/domain/view.ts";
import { strategy } from "../../../strategies/fixed-spread.ts";
import { asksOf, bidsOf } from "../../support/several-hands.ts";
import { healthyView, now, withInventory } from "../bot/risk/healthy.ts";

const openBook: View = { ...healthyView, book: now({ marketId: 1, bids: [], asks: [] }) };
const quote = (view: View, written: object) => {
  const params = strategy.params.parse(written);
  return strategy.quote(view, params, strategy.start(params));
};
const prices = (view: View, written: object) =>
  quote(view, written).quotes.map(({ side, price, size }) => `${side} ${contractsOf(size)} at ${usdOf(price)}`);

test("the configuration of the contract: 10 bps, two levels of half a contract, 5 bps apart", () => {
  expect(prices(openBook, { halfSpreadBps: 10, size: 0.5, levels: 2, stepBps: 5 })).toEqual([
    "buy 0.5 at 199.8",
    "buy 0.5 at 199.7",
    "sell 0.5 at 200.2",
    "sell 0.5 at 200.3",
  ]);
});

test("bids round down to the tick and asks up", () => {
  expect(prices(openBook, { halfSpreadBps: 10.3, size: 1 })).toEqual(["buy 1 at 199.79", "sell 1 at 200.21"]);
});

test("the skew moves both sides against the inventory, by so much a contract", () => {
  expect(prices(withInventory(openBook, 3), { halfSpreadBps: 10, size: 1, skewBps: 2 })).toEqual([
    "buy 1 at 199.68",
    "sell 1 at 200.08",
  ]);
  expect(prices(withInventory(openBook, -3), { halfSpreadBps: 10, size: 1, skewBps: 2 })).toEqual([
    "buy 1 at 199.92",
    "sell 1 at 200.32",
  ]);
});

describe("the center", () => {
  const view: View = {
    ...healthyView,
    book: now({
      marketId: 1,
      bids: bidsOf({ price: 19_900_000_000n as never, size: 3_000_000n as never, orderCount: 1 }),
      asks: asksOf({ price: 20_300_000_000n as never, size: 1_000_000n as never, orderCount: 1 }),
    }),
  };
  test.each([
    ["oracle", 200],
    ["mid", 201],
    ["microprice", 202],
    ["blend", 201],
  ])("%s", (center, fair) => {
    expect(quote(view, { halfSpreadBps: 100, size: 1, center }).fairValueUsd).toBeCloseTo(fair, 9);
  });

  test("is the oracle price where a side of the book is empty", () => {
    expect(quote(openBook, { halfSpreadBps: 10, size: 1, center: "mid" }).fairValueUsd).toBe(200);
  });

  test("unknown: no quotes, and why", () => {
    const blind = { ...healthyView, book: absent, oracle: absent };
    expect(quote(blind, { halfSpreadBps: 10, size: 1 })).toEqual({
      quotes: [],
      fairValueUsd: null,
      reason: "the fair value is unknown",
    });
  });
});

test("market unknown: no quotes, and why", () => {
  expect(quote({ ...openBook, market: absent }, { halfSpreadBps: 10, size: 1 }).reason).toBe("the market is unknown");
});

test.each([
  [{}, ["halfSpreadBps", "size"]],
  [{ halfSpreadBps: 10, size: 1, halfspreadBps: 3 }, [""]],
  [{ halfSpreadBps: 0, size: 1 }, ["halfSpreadBps"]],
  [{ halfSpreadBps: "10", size: 1 }, ["halfSpreadBps"]],
  [{ halfSpreadBps: 10, size: -1 }, ["size"]],
  [{ halfSpreadBps: 10, size: 1, center: "last" }, ["center"]],
])("forbidden: %o", (written, paths) => {
  const { error } = strategy.params.safeParse(written);
  expect(error?.issues.map(({ path }) => path.join("."))).toEqual(paths);
});
