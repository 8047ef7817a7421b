// Places are clipped to what maxPosition leaves while the position is not known exactly, so that something of ours rests and a read that
// shows it proves the rest.

import { expect, test } from "vitest";
import { check } from "../../../../../src/bot/risk/guard.ts";
import type { Limits } from "../../../../../src/bot/risk/limits/limits.ts";
import { clipped } from "../../../../../src/bot/service/loop/clip.ts";
import type { Command, PlaceCommand } from "../../../../../src/domain/command.ts";
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
