// What a strategy wants after its fills lost: quotes of that side further away and smaller, others as they are, nothing in the way of what reduces.

import { expect, test } from "vitest";
import { answered } from "../../../../../src/bot/decider/turns/answered.ts";
import type { Answer, Answers } from "../../../../../src/bot/risk/adverse.ts";
import { contractsOf, usdOf } from "../../../../../src/domain/rounding.ts";
import type { View } from "../../../../../src/domain/view.ts";
import { healthyView, withInventory } from "../../risk/healthy.ts";
import { quote, targets } from "../../strategy/quotes.ts";

const none: Answer = { level: "none", widened: 0, share: 1, phase: "open", cause: null };
const shrunk: Answer = { ...none, level: "shrunk", widened: 0.75, share: 0.5 };
const stopped: Answer = { ...none, level: "stopped", widened: 1.25, share: 0.25 };
/** A half-spread of 10 bps. */
const wanted = targets(quote("buy", 0, 199.8), quote("buy", 1, 199), quote("sell", 0, 200.2), quote("sell", 1, 201));

const shown = (answers: Partial<Answers>, view: View = healthyView, quotes = wanted) =>
  answered(quotes, { buy: none, sell: none, ...answers }, view, 20).quotes.map(({ side, price, size, reduceOnly }) =>
    [side, usdOf(price), contractsOf(size), ...(reduceOnly ? ["reduces"] : [])].join(" "),
  );

test("where nothing lost, the very quotes", () => {
  expect(answered(wanted, { buy: none, sell: none }, healthyView, 20)).toBe(wanted);
});

test("each level of the side moves by its share of the half-spread, outward to the tick, and shrinks; the other side stays", () => {
  expect(shown({ sell: shrunk })).toEqual(["buy 199.8 1", "buy 199 1", "sell 200.36 0.5", "sell 201.16 0.5"]);
  expect(shown({ buy: shrunk })).toEqual(["buy 199.65 0.5", "buy 198.85 0.5", "sell 200.2 1", "sell 201 1"]);
});

test("with one side alone the last half-spread counts", () => {
  expect(shown({ sell: shrunk }, healthyView, targets(quote("sell", 0, 200)))).toEqual(["sell 200.3 0.5"]);
});

test("the side that brings the position back stays as it is, and only reduces once it has stopped", () => {
  const long = withInventory(healthyView, 2);
  expect(shown({ sell: shrunk }, long)).toEqual(shown({}));
  expect(shown({ sell: stopped }, long)).toEqual([
    "buy 199.8 1",
    "buy 199 1",
    "sell 200.2 1 reduces",
    "sell 201 1 reduces",
  ]);
  const reducing = targets(quote("sell", 0, 200.2, 1, { reduceOnly: true }));
  expect(shown({ sell: stopped }, healthyView, reducing)).toEqual(["sell 200.2 1 reduces"]);
});
