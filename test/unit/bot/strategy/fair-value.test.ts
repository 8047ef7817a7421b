// The center of quotes: whose book it is read from, and what stands in where a book says nothing.

import { describe, expect, test } from "vitest";
import { type Center, centers, fairValueUsd, reduceWhileThin } from "../../../../src/bot/strategy/fair-value.ts";
import type { Quotes } from "../../../../src/domain/quotes.ts";
import { absent, type View } from "../../../../src/domain/view.ts";
import { asksOf, bidsOf } from "../../../support/several-hands.ts";
import { healthyView, lots, now, old, oracle, order, usd, withInventory, withOrders } from "../risk/healthy.ts";

const level = (at: number, contracts = 1) => ({ price: usd(at), size: lots(contracts), orderCount: 1 });
/** The orders of a side grow from level to level. */
const bookOf = (bids: readonly number[], asks: readonly number[]) =>
  now({
    marketId: 1,
    bids: bids.map((at, nth) => level(at, nth + 1)),
    asks: asks.map((at, nth) => level(at, nth + 1)),
  });
const view: View = { ...healthyView, book: bookOf([198, 197, 196], [204, 205, 206]) };

test("mid, microprice and blend are of the others' book", () => {
  const ours = withOrders({ ...view, book: bookOf([200, 198, 197, 196], [202, 204, 205, 206]) }, [
    order(1, "buy", 200, 1),
    order(2, "sell", 202, 1),
  ]);
  expect(centers.map((center) => fairValueUsd(ours, center, lots(1)))).toEqual([200, 201, 201, 200.5]);
});

test("the microprice leans to the side with less on it", () => {
  const heavy = { ...view, book: now({ marketId: 1, bids: bidsOf(level(198, 3)), asks: asksOf(level(204, 1)) }) };
  expect(fairValueUsd(heavy, "microprice", lots(1))).toBeCloseTo(202.5, 9);
});

test("dust does not move it: two orders of a thousandth around any price are no book", () => {
  const dust = { ...view, book: now({ marketId: 1, bids: [level(209, 0.001)], asks: [level(210, 0.001)] }) };
  for (const center of centers) expect(fairValueUsd(dust, center, lots(0.5))).toBe(200);
});

test.each([
  ["a side is empty", bookOf([], [204])],
  ["it is crossed", bookOf([204], [204])],
  ["it was never heard", absent],
])("the oracle price stands in for the book where %s", (_, book) => {
  for (const center of centers) expect(fairValueUsd({ ...view, book }, center, lots(1))).toBe(200);
});

describe("a book that held enough and holds less than an order of ours", () => {
  const thin: View = {
    ...view,
    book: bookOf([], [204, 205]),
    signals: { ...view.signals, heldMidUsd: 201 },
  };
  test("its last mid stands in, not the oracle price of the last print", () => {
    expect(centers.map((center) => fairValueUsd(thin, center, lots(1)))).toEqual([200, 201, 201, 200.5]);
  });

  const both: Quotes = {
    quotes: (["buy", "sell"] as const).map((side) => ({
      side,
      level: 0,
      price: usd(side === "buy" ? 199 : 203),
      size: lots(1),
      reduceOnly: false,
      intent: "rest",
    })),
    fairValueUsd: 201,
    reason: null,
  };
  const left = (of: View, center: Center = "mid") =>
    reduceWhileThin(of, { center, size: lots(1) }, both).quotes.map(({ side, reduceOnly }) => [side, reduceOnly]);
  const whole = [
    ["buy", false],
    ["sell", false],
  ];

  test("only what reduces the position is quoted until it holds enough", () => {
    expect(left(withInventory(thin, 3))).toEqual([["sell", true]]);
    expect(left(withInventory(thin, -3))).toEqual([["buy", true]]);
    expect([left(thin), left({ ...withInventory(thin, 3), position: absent })]).toEqual([[], []]);
    expect(left({ ...thin, book: view.book })).toEqual(whole);
  });

  test("around the oracle price, and before the first mid since a print, both sides are", () => {
    expect(left(thin, "oracle")).toEqual(whole);
    expect(left({ ...thin, signals: view.signals })).toEqual(whole);
    expect(left({ ...thin, guidance: { extraInventory: 0, fairValueUsd: 201 } }, "oracle")).toEqual([]);
  });
});

test("facts of any age are read: whether they may be acted on is the guard's question", () => {
  expect(fairValueUsd({ ...view, oracle: old(oracle), book: absent }, "mid", lots(1))).toBe(200);
});

test("without an oracle price the book alone, without both nothing", () => {
  const blind = { ...view, oracle: absent };
  expect(centers.map((center) => fairValueUsd(blind, center, lots(1)))).toEqual([undefined, 201, 201, 201]);
  expect(centers.map((center) => fairValueUsd({ ...blind, book: absent }, center, lots(1)))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  ["one size", [1, 1, 1], [1, 2, 3], 0.25],
  ["two sizes", [1, 2, 3], [1, 2, 1], 0.5],
  ["one size, and dust of others", [1, 0.09, 0.08], [1, 2, 3], 0.25],
  ["three sizes", [1, 2, 3], [1, 3, 2], 1],
])("a book whose poorer side has orders of %s weighs so much beside the oracle price", (_, bids, asks, weight) => {
  const book = now({
    marketId: 1,
    bids: bids.map((contracts, nth) => level(200.8 - nth, contracts)),
    asks: asks.map((contracts, nth) => level(201.2 + nth, contracts)),
  });
  const [byOracle, mid, , blend] = centers.map((center) => fairValueUsd({ ...view, book }, center, lots(1)));
  expect(byOracle).toBe(200);
  expect(mid).toBeCloseTo(200 + weight, 9);
  expect(blend).toBeCloseTo(200 + weight / 2, 9);
});

test("a level of several orders counts by their mean size", () => {
  const levels = (sign: 1 | -1) =>
    [2, 4, 6].map((contracts, nth) => ({
      price: usd(201 + sign * (1 + nth)),
      size: lots(contracts),
      orderCount: nth + 1,
    }));
  const book = now({ marketId: 1, bids: levels(-1), asks: levels(1) });
  expect(fairValueUsd({ ...view, book }, "mid", lots(1))).toBeCloseTo(200.25, 9);
});
