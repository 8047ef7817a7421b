// The plan by example: what is kept, moved, placed and canceled, in which order, and what waits.

import { describe, expect, test } from "vitest";
import { type PlanContext, plan, toleranceOf } from "../../../../src/bot/strategy/plan.ts";
import type { Command } from "../../../../src/domain/command.ts";
import type { TrackedOrder } from "../../../../src/domain/order.ts";
import type { Quotes } from "../../../../src/domain/quotes.ts";
import { usdOf } from "../../../../src/domain/rounding.ts";
import type { Side } from "../../../../src/domain/units.ts";
import { account, healthyView, lots, market, now, order, usd } from "../risk/healthy.ts";
import { quote, targets } from "./quotes.ts";

const context: PlanContext = {
  accountId: account,
  marketId: 1,
  inventory: lots(0),
  modifies: "all",
  permitted: "increase",
  maxOpenOrders: 1000,
  tolerance: { reach: usd(0.0199), placeReach: usd(0.01), smallerBps: 5000, largerBps: 100 },
};
const none = targets();
/** A command in a few words. */
function said(command: Command): string {
  if (command.kind === "place") {
    const marks = [command.reduceOnly && "reduce", !command.postOnly && "take"].filter(Boolean).join(" ");
    return `${command.side} ${Number(command.size) / 1e6} at ${usdOf(command.price)}${marks && ` ${marks}`}`;
  }
  if (command.kind === "modify") {
    const size = command.newSize === null ? "" : ` size ${Number(command.newSize) / 1e6}`;
    return `move ${command.orderId}${command.newPrice === null ? "" : ` to ${usdOf(command.newPrice)}`}${size}`;
  }
  return command.kind === "cancel" ? `cancel ${command.orderId}` : "cancel all";
}
const planned = (quotes: Quotes, orders: readonly TrackedOrder[], changes: Partial<PlanContext> = {}) =>
  plan(quotes, orders, { ...context, ...changes }).commands.map(said);

test("from nothing: every quote is placed, resting and post only, from the touch outward", () => {
  const quotes = targets(quote("buy", 0, 199), quote("buy", 1, 198), quote("sell", 0, 201), quote("sell", 1, 202));
  expect(planned(quotes, [])).toEqual(["buy 1 at 199", "sell 1 at 201", "buy 1 at 198", "sell 1 at 202"]);
  expect(plan(quotes, [], context).commands[0]).toEqual({
    kind: "place",
    accountId: account,
    marketId: 1,
    side: "buy",
    orderType: "Limit",
    price: usd(199),
    size: lots(1),
    reduceOnly: false,
    postOnly: true,
    timeInForce: "GTC",
    maxSlippageBps: null,
    level: 0,
  });
});

test("to nothing: every order is canceled, those nearest the other side first", () => {
  const orders = [order(1, "buy", 198, 1), order(2, "buy", 199, 1), order(3, "sell", 202, 1), order(4, "sell", 201, 1)];
  expect(planned(none, orders)).toEqual(["cancel 2", "cancel 1", "cancel 4", "cancel 3"]);
});

describe("keeps", () => {
  test.each([
    ["what is as wanted", order(1, "buy", 199, 1)],
    ["a price within tolerance", order(1, "buy", 199.01, 1)],
    ["a price at the edge of tolerance, above", order(1, "buy", 199.0199, 1)],
    ["and below", order(1, "buy", 198.9801, 1)],
    ["what is half filled", order(1, "buy", 199, 1, { remainingSize: lots(0.5) })],
    ["an order of another level, or of none", order(1, "buy", 199, 1, { level: null })],
    [
      "an order that was made elsewhere and does not post only: it rests already",
      order(1, "buy", 199, 1, { postOnly: false }),
    ],
  ])("%s", (_, resting) => {
    expect(planned(targets(quote("buy", 0, 199)), [resting])).toEqual([]);
  });

  test("no price beyond it, no less than half, hardly more than wanted", () => {
    const moved = (resting: TrackedOrder) => planned(targets(quote("buy", 0, 199)), [resting]);
    expect(moved(order(1, "buy", 199.02, 1))).toEqual(["move 1 to 199"]);
    expect(moved(order(1, "buy", 198.98, 1))).toEqual(["move 1 to 199"]);
    expect(moved(order(1, "buy", 199, 1, { remainingSize: lots(0.499_999) }))).toEqual(["move 1 size 1.500001"]);
    expect(moved(order(1, "buy", 199, 1.01))).toEqual([]);
    expect(moved(order(1, "buy", 199, 1.010_001))).toEqual(["move 1 size 1"]);
  });

  test("as many as can be: a shift by one level moves one order, not all", () => {
    const orders = [
      order(1, "buy", 199, 1, { level: 0 }),
      order(2, "buy", 198, 1, { level: 1 }),
      order(3, "buy", 197, 1, { level: 2 }),
    ];
    expect(planned(targets(quote("buy", 0, 198), quote("buy", 1, 197), quote("buy", 2, 196)), orders)).toEqual([
      "move 1 to 196",
    ]);
  });

  test("the most, where a greedy choice would keep fewer", () => {
    const near = { ...context.tolerance, reach: usd(2) };
    const orders = [order(1, "buy", 199, 1), order(2, "buy", 198, 2)];
    const quotes = targets(quote("buy", 0, 199, 1), quote("buy", 1, 198.5, 1));
    expect(planned(quotes, orders, { tolerance: { ...near, largerBps: 10_000 } })).toEqual([]);
  });
});

describe("how far an order may be from its quote", () => {
  const half = { requoteDepths: 0.5, queueTicks: 2 };
  const reachOf = (share: number, intensityK: number | null, tickUsd = 0.01) => {
    const view = {
      market: now({ ...market, tickSize: usd(tickUsd), oraclePrice: usd(200) }),
      signals: { ...healthyView.signals, intensityK },
    };
    return usdOf(toleranceOf({ requoteDepths: share, queueTicks: 0 }, view).reach);
  };

  test("a share of the depth at which fills are e times fewer, in whole ticks, and a tick at least", () => {
    expect(reachOf(0.5, 5)).toBe(0.1);
    expect(reachOf(1, 5)).toBe(0.2);
    expect(reachOf(0.5, 7)).toBe(0.07);
    expect(reachOf(0.5, 500)).toBe(0.01);
    expect(reachOf(0, 5)).toBe(0.01);
    expect(reachOf(0.5, 5, 0.25)).toBe(0.25);
  });

  test("a basis point while nobody knows how fills fall off; nothing in a market that is not known", () => {
    expect(reachOf(0.5, null)).toBe(0.02);
    expect(toleranceOf(half, { market: { state: "absent" }, signals: healthyView.signals }).reach).toBe(0n);
  });

  test("some ticks more behind it at the front of its queue", () => {
    const { placeReach } = toleranceOf(half, {
      market: now({ ...market, tickSize: usd(0.25) }),
      signals: healthyView.signals,
    });
    expect(usdOf(placeReach)).toBe(0.5);
  });

  test("a quote that follows the mid by less moves nothing, by more it moves", () => {
    const tolerance = toleranceOf(half, { market: now(market), signals: { ...healthyView.signals, intensityK: 5 } });
    const resting = [order(1, "buy", 199, 1)];
    expect(planned(targets(quote("buy", 0, 199.1)), resting, { tolerance })).toEqual([]);
    expect(planned(targets(quote("buy", 0, 199.11)), resting, { tolerance })).toEqual(["move 1 to 199.11"]);
  });
});

describe("a good place in the queue", () => {
  const ahead = (contracts: number | null, side: Side = "buy", of: Partial<TrackedOrder> = {}) => [
    order(1, side, 199, 1, { queueAhead: contracts === null ? null : lots(contracts), ...of }),
  ];

  test("is kept while the wanted price is a tick nearer the other side than an order may else be", () => {
    expect(planned(targets(quote("buy", 0, 199.02)), ahead(0))).toEqual([]);
    expect(planned(targets(quote("buy", 0, 199.02)), ahead(0.1))).toEqual([]);
    expect(planned(targets(quote("sell", 0, 198.98)), ahead(0, "sell"))).toEqual([]);
    expect(planned(targets(quote("buy", 0, 199.03)), ahead(0))).toEqual(["move 1 to 199.03"]);
  });

  test("is not one with more before it than a tenth of its size, nor one that nobody knows", () => {
    expect(planned(targets(quote("buy", 0, 199.02)), ahead(0.11))).toEqual(["move 1 to 199.02"]);
    expect(planned(targets(quote("buy", 0, 199.02)), ahead(null))).toEqual(["move 1 to 199.02"]);
  });

  test("forbidden: to stay too near the other side for it, or larger than wanted", () => {
    expect(planned(targets(quote("buy", 0, 198.98)), ahead(0))).toEqual(["move 1 to 198.98"]);
    expect(planned(targets(quote("sell", 0, 199.02)), ahead(0, "sell"))).toEqual(["move 1 to 199.02"]);
    expect(planned(targets(quote("buy", 0, 199.02, 0.5)), ahead(0))).toEqual(["move 1 to 199.02 size 0.5"]);
  });
});

describe("moves", () => {
  test("one command instead of a cancel and a place", () => {
    expect(planned(targets(quote("buy", 0, 198.5)), [order(1, "buy", 199, 1)])).toEqual(["move 1 to 198.5"]);
  });

  test("a smaller size at its price, which keeps the place in the queue; what is filled counts in the whole size", () => {
    const half = order(1, "buy", 199, 2, { remainingSize: lots(1.5) });
    expect(planned(targets(quote("buy", 0, 199, 1)), [half])).toEqual(["move 1 size 1.5"]);
    expect(planned(targets(quote("buy", 0, 199.01, 1)), [half])).toEqual(["move 1 size 1.5"]);
  });

  test("price and size at once", () => {
    expect(planned(targets(quote("buy", 0, 198, 3)), [order(1, "buy", 199, 1)])).toEqual(["move 1 to 198 size 3"]);
  });

  test("back before forward: what steps away from the market is sent first", () => {
    const orders = [order(1, "buy", 199, 1), order(2, "sell", 201, 1)];
    expect(planned(targets(quote("buy", 0, 199.5), quote("sell", 0, 201.5)), orders)).toEqual([
      "move 2 to 201.5",
      "move 1 to 199.5",
    ]);
    expect(planned(targets(quote("buy", 0, 198.5), quote("sell", 0, 200.5)), orders)).toEqual([
      "move 1 to 198.5",
      "move 2 to 200.5",
    ]);
  });

  test("forbidden: to make an order reduce only, which takes a cancel, an answer, and a place", () => {
    const reducing = targets(quote("sell", 0, 201, 1, { reduceOnly: true }));
    const orders = [order(1, "sell", 201, 1)];
    expect(planned(reducing, orders, { inventory: lots(2) })).toEqual(["cancel 1"]);
    const canceling = [order(1, "sell", 201, 1, { state: "canceling" })];
    expect(planned(reducing, canceling, { inventory: lots(2) })).toEqual([]);
    expect(planned(reducing, [], { inventory: lots(2) })).toEqual(["sell 1 at 201 reduce"]);
  });

  test("forbidden: an order that does not post only; moved it could take", () => {
    expect(planned(targets(quote("buy", 1, 198.5)), [order(1, "buy", 199, 1, { postOnly: false })])).toEqual([
      "cancel 1",
      "buy 1 at 198.5",
    ]);
  });
});

describe("foreign orders", () => {
  const foreign = (id: number, side: Side, at: number) => order(id, side, at, 1, { isForeign: true, level: null });

  test("are neither canceled nor moved nor taken for a quote", () => {
    expect(planned(targets(quote("buy", 0, 199)), [foreign(1, "buy", 199), foreign(2, "buy", 198)])).toEqual([
      "buy 1 at 199",
    ]);
    expect(planned(none, [foreign(1, "buy", 199), foreign(2, "sell", 201)])).toEqual([]);
  });

  test("are in the way of a quote that would trade with them; a stop that waits for its trigger is not", () => {
    const stop = order(3, "sell", 0, 1, { isForeign: true, isConditional: true, reduceOnly: true });
    expect(planned(targets(quote("buy", 0, 201)), [foreign(2, "sell", 201)])).toEqual([]);
    expect(planned(targets(quote("buy", 0, 199)), [stop])).toEqual(["buy 1 at 199"]);
  });
});

test("two orders for one slot: one stays", () => {
  expect(planned(targets(quote("buy", 0, 199)), [order(1, "buy", 199, 1), order(2, "buy", 199, 1)])).toEqual([
    "cancel 2",
  ]);
});

describe("waits", () => {
  const quotes = targets(quote("buy", 0, 199));
  test.each([
    ["a place is in flight", order(1, "buy", 198, 1, { state: "inFlight", orderId: null })],
    ["a place has lost its answer", order(1, "buy", 198, 1, { state: "unknown", orderId: null })],
    ["a modify is unanswered", order(1, "buy", 198, 1, { pending: { price: usd(199), size: lots(1) } })],
    ["a cancel is unanswered", order(1, "buy", 198, 1, { state: "canceling" })],
    [
      "a move of an order without a level is unanswered",
      order(1, "buy", 190, 1, { level: null, pending: { price: usd(190), size: lots(1) } }),
    ],
  ])("while %s", (_, resting) => {
    expect(planned(quotes, [resting])).toEqual([]);
  });

  test("not for the answer of a modify that was lost: the order is canceled, wherever it rests, and its slot stays taken", () => {
    const lost = order(1, "buy", 198, 1, { state: "unknown", pending: { price: usd(199), size: lots(1) } });
    expect(planned(quotes, [lost])).toEqual(["cancel 1"]);
    expect(planned(none, [lost])).toEqual(["cancel 1"]);
  });

  test("for the slot whose answer is out, not for the next", () => {
    const inFlight = order(1, "buy", 190, 1, { state: "inFlight", orderId: null, level: 1 });
    expect(planned(targets(quote("buy", 0, 199), quote("buy", 1, 198)), [inFlight])).toEqual(["buy 1 at 199"]);
  });

  test("not for another slot's answer", () => {
    const inFlight = order(1, "buy", 198, 1, { state: "inFlight", orderId: null, level: 1 });
    expect(planned(targets(quote("buy", 0, 199), quote("buy", 1, 198)), [inFlight])).toEqual(["buy 1 at 199"]);
  });

  test("while an own order of the other side is in the way, wherever it may be", () => {
    const ask = order(1, "sell", 199.5, 1);
    expect(planned(targets(quote("buy", 0, 199.5), quote("sell", 0, 201)), [ask])).toEqual(["move 1 to 201"]);
    const moving = order(1, "sell", 201, 1, { pending: { price: usd(199.5), size: lots(1) } });
    expect(planned(targets(quote("buy", 0, 199.5), quote("sell", 0, 201)), [moving])).toEqual([]);
    const moved = order(1, "sell", 201, 1);
    expect(planned(targets(quote("buy", 0, 199.5), quote("sell", 0, 201)), [moved])).toEqual(["buy 1 at 199.5"]);
  });

  test("no order stays where it is in the way of the other side, near enough or not", () => {
    const near = { ...context.tolerance, reach: usd(2) };
    const quotes = targets(quote("buy", 0, 199), quote("sell", 0, 200));
    expect(planned(quotes, [order(1, "buy", 200, 1)], { tolerance: near })).toEqual(["move 1 to 199"]);
  });
});

describe("what is permitted", () => {
  const both = targets(quote("buy", 0, 199), quote("sell", 0, 201), quote("sell", 1, 202), quote("sell", 2, 203));

  test("reduce: only what brings the position nearer to zero, as reduce-only orders, together no more than it", () => {
    expect(planned(both, [], { permitted: "reduce", inventory: lots(1.5) })).toEqual([
      "sell 1 at 201 reduce",
      "sell 0.5 at 202 reduce",
    ]);
    expect(planned(both, [], { permitted: "reduce", inventory: lots(-0.4) })).toEqual(["buy 0.4 at 199 reduce"]);
    expect(planned(both, [], { permitted: "reduce" })).toEqual([]);
    expect(planned(both, [], { permitted: "reduce", inventory: null })).toEqual([]);
  });

  test("reduce: what rests and adds is canceled", () => {
    const orders = [order(1, "buy", 199, 1), order(2, "sell", 201, 1)];
    expect(planned(both, orders, { permitted: "reduce", inventory: lots(2) })).toEqual([
      "cancel 1",
      "cancel 2",
      "sell 1 at 202 reduce",
    ]);
  });

  test("cancel: everything that rests is canceled, exits too", () => {
    const orders = [order(1, "buy", 199, 1), order(2, "sell", 201, 1, { reduceOnly: true })];
    expect(planned(both, orders, { permitted: "cancel", inventory: lots(2) })).toEqual(["cancel 1", "cancel 2"]);
  });
});

describe("a foreign reduce-only order", () => {
  const foreign = { isForeign: true, reduceOnly: true, level: null };
  const exit = quote("sell", 0, 201, 2, { reduceOnly: true });

  test("keeps its part of the position: the exchange would cancel what rests beyond", () => {
    const context = { inventory: lots(2) };
    expect(planned(targets(exit), [order(9, "sell", 200, 1.5, foreign)], context)).toEqual(["sell 0.5 at 201 reduce"]);
    expect(planned(targets(exit), [order(9, "sell", 200, 2, foreign)], context)).toEqual([]);
    expect(planned(targets(exit), [order(9, "buy", 199, 2, foreign)], context)).toEqual(["sell 2 at 201 reduce"]);
  });

  test("has no part before it is triggered, nor before what takes at once", () => {
    const context = { inventory: lots(2) };
    const stop = order(9, "sell", 0, 2, { ...foreign, isConditional: true });
    expect(planned(targets(exit), [stop], context)).toEqual(["sell 2 at 201 reduce"]);
    const taking = targets(quote("sell", 0, 198, 2, { intent: "take", reduceOnly: true }));
    expect(planned(taking, [order(9, "sell", 201, 2, foreign)], context)).toEqual(["sell 2 at 198 reduce take"]);
  });
});

describe("a strategy's faults", () => {
  test("two quotes for a slot: the first counts; a size or price of nothing is no quote", () => {
    const quotes = targets(quote("buy", 0, 199), quote("buy", 0, 198), quote("buy", 1, 197, 0), quote("sell", 0, 0));
    expect(planned(quotes, [])).toEqual(["buy 1 at 199"]);
  });

  test("a reduce-only quote on the side that adds is none", () => {
    expect(planned(targets(quote("buy", 0, 199, 1, { reduceOnly: true })), [], { inventory: lots(2) })).toEqual([]);
  });
});

test("a quote that takes is an immediate order, and an own order in its way goes first", () => {
  const exit = targets(quote("sell", 0, 198, 1, { intent: "take", reduceOnly: true }));
  expect(planned(exit, [order(1, "buy", 199, 1)], { inventory: lots(1) })).toEqual(["cancel 1"]);
  const [command] = plan(exit, [], { ...context, inventory: lots(1) }).commands;
  expect(command).toMatchObject({ kind: "place", timeInForce: "IOC", postOnly: false, reduceOnly: true });
});

test("what reduces the position is placed before what adds to it", () => {
  const quotes = targets(quote("buy", 0, 199), quote("sell", 0, 201), quote("sell", 1, 202));
  expect(planned(quotes, [], { inventory: lots(5) })).toEqual(["sell 1 at 201", "sell 1 at 202", "buy 1 at 199"]);
});

describe("no more quotes than may rest are planned", () => {
  const quotes = targets(
    ...[199, 198, 197].map((usd, level) => quote("buy", level, usd)),
    ...[201, 202, 203].map((usd, level) => quote("sell", level, usd)),
  );
  const at = (maxOpenOrders: number, changes: Partial<PlanContext> = {}) => {
    const { commands, leftOut, buy, sell } = plan(quotes, [], { ...context, maxOpenOrders, ...changes });
    return [commands.map(said).toSorted(), leftOut, buy.wanted, sell.wanted];
  };

  test("those nearest the touch, on both sides alike", () => {
    expect(at(6).slice(1)).toEqual([0, 3, 3]);
    const nearest = ["buy 1 at 198", "buy 1 at 199", "sell 1 at 201", "sell 1 at 202"];
    expect(at(4)).toEqual([nearest, 2, 2, 2]);
    expect(at(2)).toEqual([["buy 1 at 199", "sell 1 at 201"], 4, 1, 1]);
    expect(at(0)).toEqual([[], 6, 0, 0]);
  });

  test("an odd one goes to the side that reduces the position", () => {
    expect(at(5).slice(1)).toEqual([1, 3, 2]);
    expect(at(5, { inventory: lots(2) }).slice(1)).toEqual([1, 2, 3]);
  });

  test("what a short side leaves goes to the other", () => {
    const few = targets(quote("buy", 0, 199), ...[201, 202, 203].map((usd, level) => quote("sell", level, usd)));
    const { buy, sell } = plan(few, [], { ...context, maxOpenOrders: 3 });
    expect([buy.wanted, sell.wanted]).toEqual([1, 2]);
  });

  test("what rests beyond them is canceled", () => {
    const orders = [199, 198, 197].map((usd, level) => order(level + 1, "buy", usd, 1, { level }));
    expect(planned(quotes, orders, { maxOpenOrders: 2 })).toEqual(["cancel 2", "cancel 3", "sell 1 at 201"]);
  });
});
