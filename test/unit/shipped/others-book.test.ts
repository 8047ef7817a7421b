// The book without ourselves.

import { expect, test } from "vitest";
import type { TrackedOrder, VacatedPlace } from "../../../src/domain/order.ts";
import { othersBook } from "../../../src/domain/others-book.ts";
import { orderId, type Side } from "../../../src/domain/units.ts";
import { lots, order, usd } from "../bot/risk/healthy.ts";

const level = (at: number, contracts: number, orderCount: number) => ({
  price: usd(at),
  size: lots(contracts),
  orderCount,
});
const book = { marketId: 1, bids: [level(199, 3, 2), level(198, 1, 1)], asks: [level(201, 2, 1)] };

const own = (orders: readonly TrackedOrder[], vacated: readonly VacatedPlace[] = []) => ({ orders, vacated });
/** Where the order with this id rested until a moment ago. */
const left = (id: number, side: Side, at: number, contracts: number): VacatedPlace => ({
  orderId: orderId(BigInt(id)),
  side,
  price: usd(at),
  size: lots(contracts),
});

test("our share of a level is taken off, a level that is all ours is gone", () => {
  const orders = [
    order(1, "buy", 199, 2, { remainingSize: lots(1) }),
    order(2, "buy", 198, 1),
    order(3, "sell", 202, 1),
  ];
  expect(othersBook(book, own(orders))).toEqual({ ...book, bids: [level(199, 2, 1)] });
});

test("what is being canceled is in the book", () => {
  expect(othersBook(book, own([order(3, "sell", 201, 2, { state: "canceling" })]))).toEqual({ ...book, asks: [] });
});

test("an order that waits for its trigger is in no level", () => {
  expect(othersBook(book, own([order(1, "sell", 201, 2, { isConditional: true })]))).toEqual(book);
});

test.each(["inFlight", "unknown"] as const)(
  "an order that is %s is a level of exactly its size, and part of none",
  (state) => {
    expect(othersBook(book, own([order(1, "buy", 198, 1, { state })])).bids).toEqual([level(199, 3, 2)]);
    expect(othersBook(book, own([order(1, "buy", 199, 1, { state })])).bids).toEqual(book.bids);
  },
);

const moves: readonly (readonly [string, (typeof book)["bids"], (typeof book)["bids"]])[] = [
  ["not moved yet", [level(199, 3, 2), level(198, 1, 1)], [level(199, 3, 2)]],
  ["moved to a level of its own", [level(199, 3, 2), level(197, 1, 1)], [level(199, 3, 2)]],
  ["moved, and another's order came where it was", [level(198, 2, 1), level(197, 1, 1)], [level(198, 2, 1)]],
  ["moved into a level of others", [level(197, 4, 2)], [level(197, 3, 1)]],
  ["moved from a level of others", [level(198, 3, 2)], [level(198, 2, 1)]],
  ["in none of both", [level(196, 1, 1)], [level(196, 1, 1)]],
  ["another's alone is where it goes", [level(197, 4, 1)], [level(197, 4, 1)]],
];

test.each(moves)("an order that is being moved is taken out where it is: %s", (_, bids, others) => {
  const moving = order(1, "buy", 198, 1, { movingTo: [{ price: usd(197), size: lots(1) }] });
  expect(othersBook({ ...book, bids }, own([moving])).bids).toEqual(others);
});

test.each(moves)("the answer came before the book: %s", (_, bids, others) => {
  const moved = order(1, "buy", 197, 1);
  expect(othersBook({ ...book, bids }, own([moved], [left(1, "buy", 198, 1)])).bids).toEqual(others);
});

test("an order that is moved again is looked for where it was last", () => {
  const bids = [level(198, 1, 1), level(197, 1, 1)];
  const vacated = [left(1, "buy", 197, 1), left(1, "buy", 198, 1)];
  expect(othersBook({ ...book, bids }, own([order(1, "buy", 196, 1)], vacated)).bids).toEqual([level(198, 1, 1)]);
});

test("a larger size that is asked for is not where the order was", () => {
  const larger = { remainingSize: lots(4), pending: { price: usd(198), size: lots(4) } };
  const movingTo = [{ price: usd(197), size: lots(4) }];
  const bids = [level(198, 1, 1), level(197, 3, 1)];
  const moving = order(1, "buy", 198, 1, { ...larger, movingTo });
  expect(othersBook({ ...book, bids }, own([moving])).bids).toEqual([level(197, 3, 1)]);
});

test("an order that has just gone is a level of exactly its size, once, and part of none", () => {
  const gone = [left(9, "buy", 198, 1), left(9, "buy", 199, 3)];
  expect(othersBook(book, own([], gone)).bids).toEqual([level(199, 3, 2)]);
  expect(othersBook(book, own([], [left(9, "buy", 199, 1)])).bids).toEqual(book.bids);
  expect(othersBook(book, own([], [left(9, "sell", 198, 1)]))).toEqual(book);
});

test("a fill that the book does not show yet leaves nothing of the order", () => {
  const filled = order(1, "buy", 198, 0.4);
  expect(othersBook(book, own([filled], [left(1, "buy", 198, 1)])).bids).toEqual([level(199, 3, 2)]);
});

test("an order that stays explains its level before one that moves", () => {
  const bids = [level(198, 1, 1), level(197, 1, 1)];
  const moving = order(1, "buy", 198, 1, { movingTo: [{ price: usd(197), size: lots(1) }] });
  for (const orders of [
    [moving, order(2, "buy", 198, 1)],
    [order(2, "buy", 198, 1), moving],
  ])
    expect(othersBook({ ...book, bids }, own(orders)).bids).toEqual([]);
});

test("fills that the book knows and we do not never leave less than nothing", () => {
  expect(othersBook(book, own([order(1, "buy", 198, 5)])).bids).toEqual([level(199, 3, 2)]);
});

test("a level counts as the others' only with both size and orders left", () => {
  const bids = [level(199, 3, 2)];
  const ours = [order(1, "buy", 199, 2), order(2, "buy", 199, 1), order(3, "sell", 201, 2)];
  expect(othersBook({ ...book, bids }, own(ours))).toEqual({ ...book, bids: [], asks: [] });
});

test("a single larger order is not ours: the book does not show us yet", () => {
  const one = { ...book, bids: [level(199, 3, 1)] };
  expect(othersBook(one, own([order(1, "buy", 199, 2)]))).toEqual(one);
});

test("without orders of ours it is the book itself", () => {
  expect(othersBook(book, own([]))).toEqual(book);
});
