// What rests is held to the limits and collars of now: an order that would be denied today is canceled, whatever it was when it was placed.

import { describe, expect, test } from "vitest";
import { checkKept } from "../../../../src/bot/risk/guard.ts";
import { accountLimitsSchema, type Limits } from "../../../../src/bot/risk/limits/limits.ts";
import type { RiskState } from "../../../../src/bot/risk/risk-state.ts";
import type { Command } from "../../../../src/domain/command.ts";
import type { TrackedOrder } from "../../../../src/domain/order.ts";
import { orderId, usdc } from "../../../../src/domain/units.ts";
import type { View } from "../../../../src/domain/view.ts";
import {
  account,
  cancel,
  healthyLimits,
  healthyState,
  healthyView,
  lots,
  market,
  modify,
  now,
  oracle,
  order,
  trusting,
  usd,
  withOrders,
} from "./healthy.ts";

const bid = order(1, "buy", 199.8, 1);
const ask = order(2, "sell", 200.2, 1);
const limited = (limits: Partial<Limits["market"]>): Limits => ({
  ...healthyLimits,
  market: { ...healthyLimits.market, ...limits },
});

type Now = { view?: Partial<View>; limits?: Limits; state?: Partial<RiskState>; commands?: readonly Command[] };
const judged = (orders: readonly TrackedOrder[], { view, limits, state, commands }: Now = {}) =>
  checkKept(commands ?? [], { ...withOrders(healthyView, orders), ...view }, limits ?? healthyLimits, {
    ...healthyState,
    ...state,
  });
/** Ids of canceled orders, each with what denies it. */
const canceled = (orders: readonly TrackedOrder[], changes?: Now) => {
  const { approved, denied } = judged(orders, changes);
  return approved.map((command, at) => [
    command.kind === "cancel" ? Number(command.orderId) : command.kind,
    denied[at]?.denials.map(({ reason }) => reason).join(),
  ]);
};

test("in health all of them stay", () => {
  expect(judged([bid, ask])).toEqual({ approved: [], denied: [] });
  expect(judged([])).toEqual({ approved: [], denied: [] });
});

test.each<readonly [string, Now, string]>([
  ["the tick changed", { view: { market: now({ ...market, tickSize: usd(0.17) }) } }, "tick"],
  ["the largest order was lowered", { limits: limited({ maxOrderSize: lots(0.9) }) }, "orderSize"],
  ["the largest notional was lowered", { limits: limited({ maxOrderNotional: usdc(199_000_000n) }) }, "orderNotional"],
  ["the exchange narrowed its band", { view: { market: now({ ...market, priceBandBps: 9 }) } }, "priceBand"],
  ["the collar was narrowed", { limits: limited({ maxOracleDistanceBps: 9 }) }, "oraclePriceCollar"],
])("%s", (_, changes, reason) => {
  expect(canceled([bid, ask], changes)).toEqual([
    [1, reason],
    [2, reason],
  ]);
});

describe("the price of now", () => {
  test("an oracle price that moved away leaves an order outside the collar", () => {
    const moved = {
      view: { oracle: now({ ...oracle, price: usd(220) }) },
      state: { fairValueUsd: 220, observed: { ...healthyState.observed, prints: trusting(220) } },
    };
    expect(canceled([bid, order(2, "sell", 220.2, 1)], moved)).toEqual([[1, "oraclePriceCollar"]]);
  });

  test("a print that awaits confirmation moves no collar", () => {
    const narrow = limited({ maxOracleDistanceBps: 100 });
    expect(canceled([bid, ask], { view: { oracle: now({ ...oracle, price: usd(204) }) }, limits: narrow })).toEqual([]);
  });

  test("a fair value that passed an order cancels it", () => {
    const wide = limited({ maxOracleDistanceBps: 500, maxThroughFairBps: 10 });
    expect(canceled([bid, ask], { limits: wide, state: { fairValueUsd: 199 } })).toEqual([[1, "fairValueCollar"]]);
  });

  test("an order that only reduces is held to the collar, and to nothing that judges what adds", () => {
    const exit = order(2, "sell", 200.2, 1, { reduceOnly: true });
    const wide = limited({ maxOracleDistanceBps: 500, maxThroughFairBps: 10 });
    expect(canceled([exit], { limits: wide, state: { fairValueUsd: 202 } })).toEqual([]);
    expect(canceled([exit], { limits: limited({ maxOracleDistanceBps: 9 }) })).toEqual([[2, "oraclePriceCollar"]]);
  });
});

describe("too many", () => {
  const levels = [0, 1, 2, 3].map((level) => order(level + 1, "buy", 199.8 - level / 10, 1, { level }));

  test("those of the last levels go, and no more than must", () => {
    expect(canceled(levels, { limits: limited({ maxOpenOrders: 2 }) })).toEqual([
      [4, "openOrders"],
      [3, "openOrders"],
    ]);
    expect(canceled(levels, { limits: limited({ maxOpenOrders: 4 }) })).toEqual([]);
  });

  test.each([["1032"], ["2301"], ["3210"]])("in whatever order they are listed: %s", (listed) => {
    const orders = [...listed].flatMap((level) => levels[Number(level)] ?? []);
    expect(canceled(orders, { limits: limited({ maxOpenOrders: 2 }) })).toEqual([
      [4, "openOrders"],
      [3, "openOrders"],
    ]);
  });

  test("over the account's markets, and beyond what can be canceled in time", () => {
    const limits = { ...healthyLimits, account: accountLimitsSchema.parse({ maxOpenOrders: 5 }) };
    expect(canceled(levels, { limits, view: { accountOrderCount: 6 } })).toEqual([[4, "openOrders"]]);
    expect(canceled(levels, { limits: limited({ killTargetMs: 1000, cancelsPerSecond: 3 }) })).toEqual([
      [4, "cancelCapacity"],
    ]);
  });
});

test("what is not ours, is changing, or is spoken of is left alone", () => {
  const narrow = limited({ maxOracleDistanceBps: 1 });
  const others = [
    order(1, "buy", 199, 1, { isForeign: true }),
    order(2, "buy", 199, 1, { state: "canceling" }),
    order(3, "buy", 199, 1, { pending: { price: usd(199), size: lots(1) } }),
    order(4, "buy", 199, 1, { state: "inFlight", orderId: null }),
    order(5, "buy", 199, 1, { isConditional: true }),
    order(6, "buy", 199, 1),
    order(7, "buy", 199, 1),
  ];
  const commands = [cancel(order(6, "buy", 199, 1)), modify(order(7, "buy", 199, 1), { newPrice: usd(200) })];
  expect(canceled(others, { limits: narrow, commands })).toEqual([]);
});

test("an order that cannot be judged goes", () => {
  const { approved, denied } = judged([bid], { limits: {} as Limits });
  expect(approved).toEqual([{ kind: "cancel", accountId: account, marketId: 1, orderId: orderId(1n) }]);
  expect(denied[0]?.denials.map(({ reason }) => reason)).toEqual(["guardFault"]);
});
