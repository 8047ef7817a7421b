// The table of an order's life, cell by cell: what is legal, where it leads, and that everything else is illegal.

import { expect, test } from "vitest";
import { nextState, type OrderTrigger, orderTriggers } from "../../../../../src/bot/feed/orders/order-states.ts";
import type { OrderState } from "../../../../../src/domain/order.ts";

const states: readonly OrderState[] = ["inFlight", "working", "canceling", "unknown"];

/** Columns in the order of `orderTriggers`; `-` is illegal. */
const table: Readonly<Record<OrderState, string>> = {
  //         accepted  partly    modSent   modAnsw   canSent   canAnsw  canTold   lost    declined doubtEnd  ended
  inFlight: "working   -         -         -         inFlight  inFlight -         unknown gone     -         gone",
  working: " working   working   working   working   canceling working  canceling unknown -        working   gone",
  canceling: "canceling canceling canceling canceling canceling working canceling unknown -        canceling gone",
  unknown: " working   unknown   unknown   unknown   unknown   unknown  unknown   unknown -        working   gone",
};

const cells = states.flatMap((state) => {
  const row = table[state].trim().split(/\s+/);
  return orderTriggers.map((trigger, at): [OrderState, OrderTrigger, string] => [state, trigger, row[at] ?? ""]);
});

test("the table of the test has every cell", () => {
  expect(cells.length).toBe(states.length * orderTriggers.length);
  expect(cells.every(([, , next]) => next !== "")).toBe(true);
});

test.each(cells)("%s + %s → %s", (state, trigger, next) => {
  expect(nextState(state, trigger) ?? "-").toBe(next);
});

test("no order comes back: every state can end, and only an unanswered place can be declined", () => {
  expect(states.map((state) => nextState(state, "ended"))).toEqual(["gone", "gone", "gone", "gone"]);
  expect(states.filter((state) => nextState(state, "declined") !== undefined)).toEqual(["inFlight"]);
});
