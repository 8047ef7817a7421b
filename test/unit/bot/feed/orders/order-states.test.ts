// The table of an order's life, cell by cell: what is legal, where it leads, and that everything else is illegal.

import { expect, test } from "vitest";
import {
  type LifeState,
  nextState,
  type OrderTrigger,
  orderTriggers,
  shownState,
} from "../../../../../src/bot/feed/orders/order-states.ts";

const states: readonly LifeState[] = ["inFlight", "working", "canceling", "canceled", "unknown"];

/** Columns in the order of `orderTriggers`; `-` is illegal. */
const table: Readonly<Record<LifeState, string>> = {
  //         accepted  partly    modSent   modAnsw   canSent   canAnsw   canConf  reapp   lost     declined misid   resolved  landed ended
  inFlight:
    "working   -         -         -         inFlight  inFlight  -        -       unknown  ended    -       -         landed ended",
  working:
    " working   working   working   working   canceling working   canceled -       unknown  -        unknown working   -      ended",
  canceling:
    "canceling canceling canceling canceling canceling working  canceled -       unknown  -        unknown canceling -      ended",
  canceled:
    "canceled  canceled  canceled  canceled  canceled  canceled  canceled working canceled -        unknown canceled  -      ended",
  unknown:
    " working   unknown   unknown   unknown   unknown   unknown   canceled -       unknown  -        unknown working   landed ended",
};

const cells = states.flatMap((state) => {
  const row = table[state].trim().split(/\s+/);
  return orderTriggers.map((trigger, at): [LifeState, OrderTrigger, string] => [state, trigger, row[at] ?? ""]);
});

test("the table of the test has every cell", () => {
  expect(cells.length).toBe(states.length * orderTriggers.length);
  expect(cells.every(([, , next]) => next !== "")).toBe(true);
});

test.each(cells)("%s + %s → %s", (state, trigger, next) => {
  expect(nextState(state, trigger) ?? "-").toBe(next);
});

test("no order comes back: every state can end, and only an unanswered place can be declined", () => {
  expect(states.map((state) => nextState(state, "ended"))).toEqual(states.map(() => "ended"));
  expect(states.filter((state) => nextState(state, "declined") !== undefined)).toEqual(["inFlight"]);
});

test("views show an order that waits for its last fills as one that is being canceled", () => {
  expect(states.map(shownState)).toEqual(["inFlight", "working", "canceling", "canceling", "unknown"]);
});
