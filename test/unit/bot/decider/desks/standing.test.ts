// One sentence a side says why it is not quoted, whatever the cause: gate, limit, strategy, or orders that are on their way.

import { describe, expect, test } from "vitest";
import {
  notStarted,
  type SideStanding,
  type Standing,
  standingOf,
  standingText,
  stopped,
} from "../../../../../src/bot/decider/desks/standing.ts";
import { takeTurn } from "../../../../../src/bot/decider/turns/turn.ts";
import type { Limits } from "../../../../../src/bot/risk/limits/limits.ts";
import { nothingStuck, type RiskState } from "../../../../../src/bot/risk/risk-state.ts";
import type { Quotes } from "../../../../../src/domain/quotes.ts";
import type { View } from "../../../../../src/domain/view.ts";
import {
  healthyLimits,
  healthyState,
  healthyView,
  lots,
  market,
  now,
  order,
  usd,
  withInventory,
  withOrders,
} from "../../risk/healthy.ts";
import { quote, targets } from "../../strategy/quotes.ts";

const both = targets(quote("buy", 0, 199.9), quote("sell", 0, 200.1));
const resting = withOrders(healthyView, [order(1, "buy", 199.9, 1), order(2, "sell", 200.1, 1)]);

const standing = (
  view: View,
  wanted: Quotes | (() => never),
  limits: Partial<Limits["market"]> = {},
  state: Partial<RiskState> = {},
): Standing =>
  standingOf(
    takeTurn({
      view,
      requoteDepths: 0.5,
      queueTicks: 0,
      modifies: "all",
      usualHalfSpreadBps: 5,
      strategy: { quote: () => (typeof wanted === "function" ? wanted() : wanted) },
      limits: { ...healthyLimits, market: { ...healthyLimits.market, ...limits } },
      state: { ...healthyState, ...state },
    }),
  );
const said = (side: SideStanding) => [side.why.map(({ reason }) => reason).join(), standingText(side), side.isReady];

test.each([
  [1, "standing 1 half-spread further away"],
  [0.25, "standing 0.25 half-spreads further away"],
])("a side that fills moved by %d says how far", (widened, words) => {
  const numbers = { widened, share: 1, phase: "open", horizon: "10s", fills: 12, halfSpreads: -3 };
  expect(standingText({ rests: true, why: [{ reason: "widened", numbers }], isReady: true })).toContain(words);
});

test("where all that is wanted rests there is nothing to say", () => {
  const { buy, sell } = standing(resting, both);
  expect([said(buy), said(sell)]).toEqual([
    ["", null, true],
    ["", null, true],
  ]);
});

test("an order that is being moved still stands, one that is being canceled does not", () => {
  const moving = { price: usd(199.8), size: lots(1) };
  const view = withOrders(healthyView, [
    order(1, "buy", 199.9, 1, { pending: moving }),
    order(2, "sell", 200.1, 1, { state: "canceling" }),
  ]);
  const { buy, sell } = standing(view, both);
  expect([said(buy), said(sell)]).toEqual([
    ["", null, true],
    ["unplaced", "not quoting because its orders are on their way", true],
  ]);
});

describe("a side says what is in its way", () => {
  test("a closed gate, and every other one that is closed with it", () => {
    const view: View = { ...healthyView, market: now({ ...market, status: "Paused" }), stream: { state: "absent" } };
    expect(said(standing(view, both).buy)).toEqual([
      "stream,marketStatus",
      "not quoting because no stream is connected; the market is Paused",
      false,
    ]);
  });

  test("an order above its limit", () => {
    const { buy, sell } = standing(resting, targets(quote("buy", 0, 199, 3), quote("sell", 0, 201, 3)));
    expect([buy.rests, sell.rests]).toEqual([true, true]);
    const flat = standing(healthyView, targets(quote("buy", 0, 199, 3), quote("sell", 0, 201, 3)));
    const text = "not quoting because size 3 exceeds maxOrderSize 2";
    expect([said(flat.buy), said(flat.sell)]).toEqual([
      ["orderSize", text, false],
      ["orderSize", text, false],
    ]);
  });

  test("a strategy that throws", () => {
    const throwing = () => {
      throw new RangeError("boom");
    };
    const text = "not quoting because the strategy threw: boom";
    expect(said(standing(resting, throwing).sell)).toEqual(["strategyFault", text, false]);
  });

  test("a strategy whose quotes cross, or that forgot to return them", () => {
    const crossed = "not quoting because the strategy returned a bid at or above an ask";
    expect(said(standing(resting, targets(quote("buy", 0, 201), quote("sell", 0, 200))).buy)).toEqual([
      "strategyFault",
      crossed,
      false,
    ]);
    const nothing = "not quoting because the strategy returned nothing";
    expect(said(standing(resting, () => undefined as never).buy)).toEqual(["strategyFault", nothing, false]);
  });

  test("a strategy that wants none, in its own words where it has any", () => {
    const { buy, sell } = standing(resting, targets(quote("sell", 0, 200.1)));
    expect(said(buy)).toEqual(["notWanted", "not quoting because the strategy asks for no orders here", true]);
    expect(sell.why).toEqual([]);
    const quiet = standing(resting, { quotes: [], fairValueUsd: null, reason: "no book" });
    expect(said(quiet.buy)).toEqual(["notWanted", "not quoting because the strategy says: no book", true]);
  });

  test("a position at its limit, which is nothing wrong while the other side is quoted", () => {
    const full = withInventory(withOrders(healthyView, [order(2, "sell", 200.1, 1)]), 20);
    expect(said(standing(full, both).buy)).toEqual([
      "worstPosition",
      "not quoting because the position could reach 21, maxPosition 20",
      true,
    ]);
    expect(standing(withInventory(healthyView, 20), both).buy.isReady).toBe(false);
  });

  test("a budget that is down to its reserve, where what is wanted does not rest", () => {
    const short = { budget: now({ remaining: 90n, reserve: 120n }) };
    const text =
      "not quoting because the request budget is nearly used: 90 left, of which 120 are kept for cancels and to come back with, an order every 10 s";
    const { buy, sell } = standing(withOrders(healthyView, [order(1, "buy", 199.9, 1)]), both, {}, short);
    expect([said(buy), said(sell)]).toEqual([
      ["", null, true],
      ["budget", text, false],
    ]);
    const trying = standing(healthyView, both, {}, { ...short, stuckQuotes: { ...nothingStuck, trial: 0 } });
    expect([trying.buy, trying.sell].map(({ why }) => why.map(({ reason }) => reason))).toEqual([
      ["budget"],
      ["budget"],
    ]);
    const full = withInventory(withOrders(healthyView, [order(2, "sell", 200.1, 1)]), 20);
    expect(said(standing(full, both, {}, short).buy)[0], "nothing is kept back").toBe("worstPosition");
  });

  test("the start and the stop", () => {
    expect(said(notStarted.buy)).toEqual(["starting", "not quoting because the first data has not arrived", false]);
    expect(said(stopped.sell)).toEqual(["stopping", "not quoting because the daemon is stopping", false]);
  });
});
