// While the position is not known exactly, places are clipped to what maxPosition leaves, and the side that reduces goes on where nothing is
// left: so something of ours rests, and a read that shows it proves the rest.

import { describe, expect, test } from "vitest";
import { clipped, reducedWhileUnconfirmed } from "../../../../../src/bot/decider/turns/clip.ts";
import { check } from "../../../../../src/bot/risk/guard.ts";
import type { Limits } from "../../../../../src/bot/risk/limits/limits.ts";
import { plan, toleranceOf } from "../../../../../src/bot/strategy/plan.ts";
import type { Command, PlaceCommand } from "../../../../../src/domain/command.ts";
import type { Quotes } from "../../../../../src/domain/quotes.ts";
import type { View } from "../../../../../src/domain/view.ts";
import { plainHeld } from "../../../../support/plain-bot.ts";
import {
  cancel,
  healthyLimits,
  healthyState,
  healthyView,
  lots,
  modify,
  now,
  order,
  place,
  usd,
  withOrders,
} from "../../risk/healthy.ts";

const limits: Limits = { ...healthyLimits, market: { ...healthyLimits.market, maxPosition: lots(3.75) } };
/** Flat by our fills; between `low` and `high` by what may have been filled, in contracts. */
const between = (low: number, high: number, view: View = healthyView): View => ({
  ...view,
  position: now({ ...plainHeld(lots(0), usd(0)), low: lots(low), high: lots(high) }),
});
const bids = [199.8, 199.7, 199.6].map((at, level) => place("buy", at, 1, { level }));
const asks = [200.2, 200.3].map((at, level) => place("sell", at, 1, { level }));
const sizes = (commands: readonly Command[]): readonly number[] =>
  commands.map((command) => Number((command as PlaceCommand).size) / 1e6);

test("canceled orders that may have been filled leave room for part of an order on either side, and the guard passes it", () => {
  const commands = clipped([...bids, ...asks], between(-3, 3), limits);
  expect(sizes(commands)).toEqual([0.75, 1, 1, 0.75, 1]);
  const verdict = check(commands, between(-3, 3), limits, healthyState);
  expect(sizes(verdict.approved)).toEqual([0.75, 0.75]);
  expect(verdict.denied.flatMap(({ denials }) => denials.map(({ reason }) => reason))).toEqual(
    Array.from({ length: 3 }, () => "worstPosition"),
  );
});

test("orders that fit stay whole, the next has what they leave", () => {
  expect(sizes(clipped(bids, between(0, 2), limits))).toEqual([1, 0.75, 1]);
});

test("what rests counts before what is new", () => {
  const view = between(-1, 1, withOrders(healthyView, [order(1, "buy", 199.9, 2)]));
  expect(sizes(clipped(bids, view, limits))).toEqual([0.75, 1, 1]);
});

test("less than half of an order is not worth placing: it stays whole, and is denied", () => {
  expect(sizes(clipped(bids, between(0, 3.25), limits))).toEqual([0.5, 1, 1]);
  expect(sizes(clipped(bids, between(0, 3.26), limits))).toEqual([1, 1, 1]);
  expect(sizes(clipped(bids, between(0, 5), limits))).toEqual([1, 1, 1]);
});

test("a position that is known exactly clips nothing: a limit denies by name", () => {
  const view = { ...healthyView, position: now(plainHeld(lots(3), usd(200))) };
  expect(clipped(bids, view, limits)).toEqual(bids);
});

test("nor does one that is not fresh; and other commands stay as they are", () => {
  expect(clipped(bids, { ...between(-3, 3), position: { state: "absent" } }, limits)).toEqual(bids);
  const working = order(1, "buy", 199.8, 1);
  const others = [cancel(working), modify(working, { newSize: lots(2) }), place("buy", 199.8, 1, { reduceOnly: true })];
  expect(clipped(others, between(-3, 3), limits)).toEqual(others);
});

describe("where what may have been filled leaves no room", () => {
  const quotesOf = (commands: readonly PlaceCommand[]): Quotes => ({
    quotes: commands.map(({ side, level, price: at, size: of, reduceOnly }) => ({
      side,
      level: level ?? 0,
      price: at,
      size: of,
      reduceOnly,
      intent: "rest",
    })),
    fairValueUsd: 200,
    reason: null,
  });
  const both = quotesOf([...bids, ...asks]);
  /** Long by our fills; canceled asks may have been filled down to `low`. */
  const held = (contracts: number, low: number, view: View = healthyView): View => ({
    ...view,
    position: now({ ...plainHeld(lots(contracts), usd(200)), low: lots(low) }),
  });
  const reducing = (view: View): readonly string[] =>
    reducedWhileUnconfirmed(both, view, limits).quotes.flatMap(({ side, reduceOnly }) => (reduceOnly ? [side] : []));
  const commandsIn = (view: View): readonly Command[] => {
    const context = {
      accountId: view.accountId,
      marketId: 1,
      modifies: "all",
      permitted: "increase",
      maxOpenOrders: 1000,
      tolerance: toleranceOf({ requoteDepths: 0.5, queueTicks: 0 }, view),
    } as const;
    const planned = plan(reducedWhileUnconfirmed(both, view, limits), view.orders, { ...context, inventory: lots(3) });
    return clipped(planned.commands, view, limits);
  };

  test("the side that reduces is quoted reduce-only, and the guard passes it", () => {
    const view = held(3, -3.5);
    expect(reducing(view)).toEqual(["sell", "sell"]);
    const { approved } = check(commandsIn(view), view, limits, healthyState);
    const sells = approved.filter((command) => command.kind === "place" && command.side === "sell");
    expect(sells).toEqual([
      expect.objectContaining({ reduceOnly: true, size: lots(1) }),
      expect.objectContaining({ reduceOnly: true, size: lots(1) }),
    ]);
  });

  test("such orders stay while it is so", () => {
    const orders = asks.map(({ price: at }, index) =>
      order(index + 1, "sell", Number(at) / 1e8, 1, { reduceOnly: true, level: index }),
    );
    const commands = commandsIn(held(3, -3.5, withOrders(healthyView, orders)));
    expect(
      commands.filter(({ kind, side }: Command & { side?: string }) => kind !== "place" || side === "sell"),
    ).toEqual([]);
  });

  test("it is quoted as ever where part of an order fits, or one of that side rests that does not reduce only", () => {
    expect(reducing(held(3, -3.25))).toEqual([]);
    expect(reducing(held(3, -3.25, withOrders(healthyView, [order(1, "sell", 200.2, 0.5)])))).toEqual([]);
    const foreign = order(1, "sell", 200.2, 0.5, { isForeign: true });
    expect(reducing(held(3, -3.25, withOrders(healthyView, [foreign])))).toEqual(["sell", "sell"]);
  });

  test("a flat position has no such side, nor has one that is known exactly or not at all", () => {
    expect(reducing(between(-3.75, 3.75))).toEqual([]);
    expect(reducing({ ...healthyView, position: now(plainHeld(lots(-3.75), usd(200))) })).toEqual([]);
    expect(reducing({ ...healthyView, position: { state: "absent" } })).toEqual([]);
  });
});
