// The center of quotes: whose book it is read from, and what stands in where a book says nothing.

import { expect, test } from "vitest";
import { centers, fairValueUsd } from "../../../../src/bot/strategy/fair-value.ts";
import { absent, type View } from "../../../../src/domain/view.ts";
import { healthyView, lots, now, old, oracle, order, usd, withOrders } from "../risk/healthy.ts";

const level = (at: number, contracts = 1) => ({ price: usd(at), size: lots(contracts), orderCount: 1 });
const bookOf = (bids: readonly number[], asks: readonly number[]) =>
  now({ marketId: 1, bids: bids.map((at) => level(at)), asks: asks.map((at) => level(at)) });
const view: View = { ...healthyView, book: bookOf([198], [204]) };

test("mid, microprice and blend are of the others' book", () => {
  const ours = withOrders({ ...view, book: bookOf([200, 198], [202, 204]) }, [
    order(1, "buy", 200, 1),
    order(2, "sell", 202, 1),
  ]);
  expect(centers.map((center) => fairValueUsd(ours, center, lots(1)))).toEqual([200, 201, 201, 200.5]);
});

test("the microprice leans to the side with less on it", () => {
  const heavy = { ...view, book: now({ marketId: 1, bids: [level(198, 3)], asks: [level(204, 1)] }) };
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
