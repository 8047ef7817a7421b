// The guard as a whole: cancels pass whatever happens, what throws is denied, an order that may not be moved does not stay.

import { describe, expect, test } from "vitest";
import { gateIds } from "../../../../src/bot/risk/gates/gate.ts";
import { check, denialReasons } from "../../../../src/bot/risk/guard.ts";
import { limitIds } from "../../../../src/bot/risk/limits/limit-rule.ts";
import { accountLimitsSchema } from "../../../../src/bot/risk/limits/limits.ts";
import { nothingStuck, type RiskState } from "../../../../src/bot/risk/risk-state.ts";
import type { Command } from "../../../../src/domain/command.ts";
import { orderId, usdc } from "../../../../src/domain/units.ts";
import { absent, type View } from "../../../../src/domain/view.ts";
import { plainHeld } from "../../../support/plain-bot.ts";
import { healthy } from "./closings.ts";
import {
  account,
  cancel,
  lots,
  modify,
  now,
  old,
  oracle,
  order,
  place,
  usd,
  withInventory,
  withOrders,
} from "./healthy.ts";

const { view, limits, state } = healthy;
const resting = order(1, "buy", 199, 1);
const cancels: readonly Command[] = [
  cancel(resting),
  { kind: "cancelAll", accountId: account, marketId: 1, fences: null },
  { kind: "cancelAll", accountId: account, marketId: null, fences: null },
];

test("reasons are gates, limits and the guard's own fault, each once", () => {
  expect(denialReasons).toEqual([...gateIds, ...limitIds, "guardFault"]);
  expect(new Set(denialReasons).size).toBe(denialReasons.length);
});

describe("a cancel", () => {
  test("passes in health", () => {
    expect(check(cancels, view, limits, state)).toEqual({ approved: cancels, denied: [] });
  });

  test("passes when nothing is known, not even the shape of the view", () => {
    for (const broken of [{}, null, undefined, "view", { orders: null }]) {
      const verdict = check(cancels, broken as unknown as View, limits, undefined as unknown as RiskState);
      expect(verdict).toEqual({ approved: cancels, denied: [] });
    }
  });

  test("of an order that we do not track passes: it may be there", () => {
    expect(check([cancel(order(77, "sell", 201, 1))], view, limits, state).denied).toEqual([]);
  });
});

describe("a modify that is denied", () => {
  const stale: View = { ...withOrders(view, [resting]), oracle: old(oracle) };
  const move = modify(resting, { newPrice: usd(199.5) });

  test("is a cancel of its order: what may not be moved may not stay", () => {
    const { approved, denied } = check([move], stale, limits, state);
    expect(denied).toHaveLength(1);
    expect(approved).toEqual([{ kind: "cancel", accountId: account, marketId: 1, orderId: orderId(1n) }]);
  });

  test.each([
    ["is being canceled", order(1, "buy", 199, 1, { state: "canceling" })],
    ["has a modify unanswered", order(1, "buy", 199, 1, { pending: { price: usd(199), size: lots(1) } })],
  ])("is nothing more while the order %s", (_, tracked) => {
    expect(check([move], { ...stale, orders: [tracked] }, limits, state).approved).toEqual([]);
  });

  test("is nothing more when the order is gone", () => {
    expect(check([move], { ...stale, orders: [] }, limits, state).approved).toEqual([]);
  });
});

describe("a batch", () => {
  test("keeps its order, and a denial in the middle stops nothing else", () => {
    const first = place("buy", 199, 1);
    const wrong = place("buy", 198.5, 3, { level: 1 });
    const last = place("sell", 201, 1);
    const verdict = check([first, wrong, cancels[0] as Command, last], view, limits, state);
    expect(verdict.approved).toEqual([first, cancels[0], last]);
    expect(verdict.denied.map(({ command }) => command)).toEqual([wrong]);
  });

  test("is not changed by being judged, and is judged the same again", () => {
    const batch = [place("buy", 199, 1), modify(resting, { newSize: lots(2) }), place("sell", 201, 1)];
    const before = structuredClone(batch);
    const once = check(batch, withOrders(view, [resting]), limits, state);
    expect(check(batch, withOrders(view, [resting]), limits, state)).toEqual(once);
    expect(batch).toEqual(before);
  });

  test("of nothing asks nothing", () => {
    expect(check([], undefined as unknown as View, limits, state)).toEqual({ approved: [], denied: [] });
  });
});

test("every reason is told, not the first alone", () => {
  const broken: View = {
    ...view,
    oracle: old(oracle),
    stream: old(1),
    market: now({ ...marketOf(view), status: "Paused" }),
  };
  const { denied } = check([place("buy", 250, 3)], broken, limits, state);
  expect(denied[0]?.denials.map(({ reason }) => reason)).toEqual([
    "exposure",
    "stream",
    "marketStatus",
    "oracleStatus",
    "oracleExpiry",
    "orderSize",
    "priceBand",
    "oraclePriceCollar",
    "fairValueCollar",
    "margin",
  ]);
});

test("a gate's reason is told with its numbers", () => {
  const { denied } = check([place("buy", 199, 1)], { ...view, stream: old(1) }, limits, state);
  expect(denied[0]?.denials).toEqual([{ reason: "stream", numbers: { stream: "stale", ageMs: 60_000 } }]);
});

test("gates that the turn has read are not read again", () => {
  const readings = [{ gate: "stream", closed: { stream: "absent" } }] as const;
  const { denied } = check([place("buy", 199, 1)], view, limits, state, readings);
  expect(denied[0]?.denials).toEqual([{ reason: "stream", numbers: { stream: "absent" } }]);
});

describe("what a limit on the worst case says beside the gate on it", () => {
  const reasonsOf = (command: Command, broken: View): readonly string[] =>
    check([command], broken, limits, state).denied.flatMap(({ denials }) => denials.map(({ reason }) => reason));

  test("nothing, of an order that grows by nothing", () => {
    const beyond = withInventory(withOrders(view, [resting]), 21);
    expect(reasonsOf(modify(resting, { newPrice: usd(198) }), beyond)).toEqual(["exposure"]);
  });

  test("that the position is not known, where it was known long ago", () => {
    const aged: View = { ...view, position: old(plainHeld(lots(2), usd(200))) };
    const unknown = ["reconciled", "exposure", "worstPosition", "grossNotional", "margin"];
    expect(reasonsOf(place("buy", 199, 1), aged)).toEqual(unknown);
  });

  test.each(["oracle", "market"] as const)("that notional is not known, where the %s is old", (name) => {
    const fact = view[name];
    if (fact.state !== "fresh") throw new Error("the healthy view knows it");
    const account = accountLimitsSchema.parse({ maxGrossNotional: 50_000 });
    const { denied } = check(
      [place("buy", 199, 1)],
      { ...view, [name]: old(fact.value) },
      { ...limits, account },
      state,
    );
    const said = denied[0]?.denials.find(({ reason }) => reason === "grossNotional");
    expect(said?.numbers).toEqual({ price: "unknown" });
  });

  test("what other markets need, when its own side has no worst case", () => {
    if (view.funds.state !== "fresh") throw new Error("the healthy view knows its funds");
    const funds = now({ ...view.funds.value, initialMarginElsewhere: usdc(90_000_000_001n) });
    expect(reasonsOf(place("sell", 201, 1), { ...withInventory(view, 10), funds })).toEqual(["exposure", "margin"]);
  });
});

test("a price of nothing is malformed, placed or moved to", () => {
  const nothing = modify(resting, { newPrice: usd(0) });
  const { denied } = check([place("buy", 0, 1), nothing], withOrders(view, [resting]), limits, state);
  for (const { denials } of denied) expect(denials.map(({ reason }) => reason)).toContain("wellFormed");
  expect(denied).toHaveLength(2);
});

test("a market order of unknown price is denied by every limit on prices, and meets every order of ours", () => {
  const blind: View = { ...withOrders(view, [order(1, "buy", 190, 1, { level: 3 })]), oracle: absent };
  const command = place("sell", 0, 1, { orderType: "Market", postOnly: false, timeInForce: "IOC", maxSlippageBps: 10 });
  const { denied } = check([command], blind, limits, state);
  const limitsPassed = denied[0]?.denials
    .map(({ reason }) => reason)
    .filter((reason) => limitIds.includes(reason as never));
  expect(limitsPassed).toEqual([
    "orderNotional",
    "priceBand",
    "oraclePriceCollar",
    "fairValueCollar",
    "selfTrade",
    "margin",
  ]);
});

test.each([
  ["sell", "buy", 150],
  ["buy", "sell", 250],
] as const)("nothing is placed against an approved market order (%s) of unknown price", (side, against, at) => {
  const held: View = { ...withInventory(view, side === "sell" ? 2 : -2), oracle: absent };
  const exit = place(side, 0, 1, {
    orderType: "Market",
    postOnly: false,
    timeInForce: "IOC",
    maxSlippageBps: 10,
    reduceOnly: true,
  });
  const { denied } = check([exit, place(against, at, 1)], held, limits, state);
  expect(denied.flatMap(({ denials }) => denials.map(({ reason }) => reason))).toContain("selfTrade");
});

function marketOf({ market }: View) {
  if (market.state !== "fresh") throw new Error("the healthy view knows its market");
  return market.value;
}

test("forbidden: a throw while judging is a denial that says what was thrown", () => {
  const trap = {
    ...place("buy", 199, 1),
    get price(): never {
      throw new Error("no price for you");
    },
  };
  const { approved, denied } = check([trap, place("sell", 201, 1)], view, limits, state);
  expect(denied[0]?.denials).toEqual([{ reason: "guardFault", numbers: { threw: "no price for you" } }]);
  expect(approved).toHaveLength(1);
});

test("while the budget is down to its reserve one order of either side tries, each in its turn, and cancels pass", () => {
  const batch = [place("buy", 199, 1), place("sell", 201, 1), cancel(order(7, "sell", 201, 1))];
  const judgedWith = (trial: number | null) =>
    check(batch, view, limits, {
      ...state,
      budget: now({ remaining: 120n, reserve: 120n }),
      stuckQuotes: { ...nothingStuck, trial },
    });
  expect(judgedWith(null).approved).toEqual([batch[2]]);
  expect(judgedWith(null).denied.flatMap(({ denials }) => denials.map(({ reason }) => reason))).toEqual([
    "budget",
    "budget",
  ]);
  for (const trial of [0, 1, 2]) expect(judgedWith(trial).approved).toEqual([batch[trial % 2], batch[2]]);
});

describe("while a side stands still", () => {
  const still = { forMs: 6000, why: "the exchange rejects them", blocks: true };
  const buys = [place("buy", 199, 1), place("buy", 198.5, 1, { level: 1 }), place("buy", 198, 1, { level: 2 })];
  const sell = place("sell", 201, 1);
  const approvedWith = (stuckQuotes: Partial<RiskState["stuckQuotes"]>, batch: readonly Command[] = [...buys, sell]) =>
    check(batch, view, limits, { ...state, stuckQuotes: { ...nothingStuck, ...stuckQuotes } }).approved;

  test("its orders wait and the other side's go", () => {
    expect(approvedWith({ buy: still })).toEqual([sell]);
  });

  test("one order tries, each in its turn", () => {
    for (const trial of [0, 1, 2, 3]) expect(approvedWith({ buy: still, trial })).toEqual([buys[trial % 3], sell]);
    expect(approvedWith({ buy: still, sell: still, trial: 3 })).toEqual([sell]);
    expect(approvedWith({ buy: still, trial: 5 }, [])).toEqual([]);
  });

  test("nothing waits where a limit alone is in the way of the others", () => {
    expect(approvedWith({ buy: { ...still, blocks: false } })).toEqual([...buys, sell]);
  });

  test("a quote that may not be moved is canceled", () => {
    const move = modify(resting, { newPrice: usd(199.5) });
    const { approved } = check([move], withOrders(view, [resting]), limits, {
      ...state,
      stuckQuotes: { ...nothingStuck, buy: still },
    });
    expect(approved).toEqual([{ kind: "cancel", accountId: account, marketId: 1, orderId: orderId(1n) }]);
  });
});
