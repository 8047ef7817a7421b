// What is said of orders that may still rest when canceling came to its end without the exchange's word.

import { expect, test } from "vitest";
import { remainingLines } from "../../../../../src/bot/decider/acting/remaining-text.ts";
import { accountId, orderId, price, size } from "../../../../../src/domain/units.ts";

const resting = {
  orderId: orderId(7n),
  marketId: 1,
  side: "buy",
  price: price(21_672_000_000n),
  remainingSize: size(500_000n),
} as const;
const lines = remainingLines.bind(null, accountId(12n));

test("nothing, where the exchange confirmed it", () => {
  expect(lines({ confirmed: true, remaining: [], kept: [], unresolved: 0, unread: [], reads: 2 })).toEqual([]);
});

test("an exchange that did not answer: the orders that we last knew of, in the units people write, and what is unconfirmed", () => {
  expect(lines({ confirmed: false, remaining: [resting], kept: [], unresolved: 1, unread: [], reads: 0 })).toEqual([
    "account 12 market 1 order 7: buy 0.5 at 216.72",
    "account 12: 1 transactions are unresolved",
    "account 12: the exchange did not answer; what else rests is not known",
  ]);
});

test("nothing known, and no confirmation: that is no proof", () => {
  expect(lines({ confirmed: false, remaining: [], kept: [], unresolved: 0, unread: [], reads: 1 })).toEqual([
    "account 12: the lists of its orders have not yet shown that nothing rests",
  ]);
});

test("a list that could not be read, and an order of which only the id is known", () => {
  const known = { orderId: orderId(9n), marketId: null };
  const unread = ["GET /v1/accounts/12/orders: HTTP 503"];
  expect(lines({ confirmed: false, remaining: [known], kept: [], unresolved: 0, reads: 1, unread })).toEqual([
    "account 12 order 9: no answer and no list says that it is gone",
    "account 12: GET /v1/accounts/12/orders: HTTP 503; what else rests is not known",
  ]);
});
