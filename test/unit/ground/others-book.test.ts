// The book without ourselves.

import { expect, test } from "vitest";
import { othersBook } from "../../../src/domain/others-book.ts";
import { lots, order, usd } from "../bot/risk/healthy.ts";

const level = (at: number, contracts: number, orderCount: number) => ({
  price: usd(at),
  size: lots(contracts),
  orderCount,
});
const book = { marketId: 1, bids: [level(199, 3, 2), level(198, 1, 1)], asks: [level(201, 2, 1)] };

test("our share of a level is taken off, a level that is all ours is gone", () => {
  const orders = [
    order(1, "buy", 199, 2, { remainingSize: lots(1) }),
    order(2, "buy", 198, 1),
    order(3, "sell", 202, 1),
  ];
  expect(othersBook(book, orders)).toEqual({ ...book, bids: [level(199, 2, 1)] });
});

test("what is in doubt is not in the book, what is being canceled still is", () => {
  const doubtful = [
    order(1, "buy", 198, 1, { state: "unknown" }),
    order(2, "buy", 199, 1, { state: "inFlight" }),
    order(3, "sell", 201, 2, { state: "canceling" }),
  ];
  expect(othersBook(book, doubtful)).toEqual({ ...book, asks: [] });
});

test("an order that waits for its trigger is in no level", () => {
  expect(othersBook(book, [order(1, "sell", 201, 2, { isConditional: true })])).toEqual(book);
});

test("what is being placed is taken out where a level is exactly it: its frame came before its answer", () => {
  expect(othersBook(book, [order(1, "buy", 198, 1, { state: "inFlight" })]).bids).toEqual([level(199, 3, 2)]);
});

test.each([
  ["not moved yet", [level(199, 3, 2), level(198, 1, 1)], [level(199, 3, 2)]],
  ["moved to a level of its own", [level(199, 3, 2), level(197, 1, 1)], [level(199, 3, 2)]],
  ["moved, and another's order came where it was", [level(198, 2, 1), level(197, 1, 1)], [level(198, 2, 1)]],
  ["moved into a level of others: it shows there until its answer", [level(197, 4, 2)], [level(197, 4, 2)]],
])("what is being moved is taken out where it is: %s", (_, bids, left) => {
  const moving = order(1, "buy", 198, 1, { pending: { price: usd(197), size: lots(1) } });
  expect(othersBook({ ...book, bids }, [moving]).bids).toEqual(left);
});

test("a book older than our order never goes below nothing", () => {
  expect(othersBook(book, [order(1, "buy", 198, 5)]).bids).toEqual([level(199, 3, 2)]);
});

test("a level counts as the others' only with both size and orders left", () => {
  const one = { ...book, bids: [level(199, 3, 1)], asks: [level(201, 2, 2)] };
  const ours = [order(1, "buy", 199, 2), order(2, "sell", 201, 2)];
  expect(othersBook(one, ours)).toEqual({ ...book, bids: [], asks: [] });
});

test("without orders of ours it is the book itself", () => {
  expect(othersBook(book, [])).toEqual(book);
});
