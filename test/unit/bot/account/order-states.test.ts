// The table of an order's life, cell by cell: what is legal, where it leads, and that everything else is illegal.

import { expect, test } from "vitest";
import {
  type LifeState,
  mayRest,
  nextState,
  type OrderTrigger,
  orderTriggers,
} from "../../../../src/bot/account/order-states.ts";

const states: readonly LifeState[] = ["inFlight", "working", "canceling", "unknown", "ended", "landed"];

/** Columns in the order of `orderTriggers`; `-` is illegal. */
const table: Readonly<Record<LifeState, string>> = {
  //          accepted  modSent   modAnsw   canSent   canAnsw   lost    resolved  landed ended over
  inFlight: " working   -         -         inFlight  inFlight  unknown -         -      -     over",
  working: "  working   working   working   canceling working   unknown working   -      ended over",
  canceling: "canceling canceling canceling canceling working   unknown canceling -      ended over",
  unknown: "  working   unknown   unknown   unknown   unknown   unknown working   landed ended over",
  ended: "    ended     ended     ended     ended     ended     ended   ended     -      ended over",
  landed: "   -         -         -         landed    landed    -       -         -      -     over",
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

test("no order comes back: nothing but its end leads out of the states in which it no longer rests", () => {
  const over = states.filter((state) => !mayRest(state));
  expect(over).toEqual(["ended", "landed"]);
  for (const state of over)
    for (const trigger of orderTriggers) expect([state, "over", undefined]).toContain(nextState(state, trigger));
});
