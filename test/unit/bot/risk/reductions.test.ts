// What a reduction is held to and what not: it is the way out, so it passes wherever it may, and is judged by what was known last.

import { describe, expect, test } from "vitest";
import { check } from "../../../../src/bot/risk/guard.ts";
import type { LimitId } from "../../../../src/bot/risk/limits/limit-rule.ts";
import { limitRules } from "../../../../src/bot/risk/limits/limit-rules.ts";
import { accountLimitsSchema } from "../../../../src/bot/risk/limits/limits.ts";
import { observeAdd } from "../../../../src/bot/risk/observed.ts";
import type { RiskInputs } from "../../../../src/bot/risk/risk-state.ts";
import type { Command } from "../../../../src/domain/command.ts";
import { usdc } from "../../../../src/domain/units.ts";
import { absent } from "../../../../src/domain/view.ts";
import { healthy } from "./closings.ts";
import { healthyView, market, now, old, oracle, order, place, withOrders } from "./healthy.ts";
import { long, market20, resting1, withLimits, withState, withView } from "./risk-inputs.ts";

type HeldReduction = {
  readonly limit: LimitId;
  readonly what: string;
  readonly inputs?: RiskInputs;
  readonly exit: Command;
};

/** What a reduction is held to as an increase is, each by one that would reduce else. */
const heldReductions: readonly HeldReduction[] = [
  { limit: "scope", what: "of another market", exit: place("sell", 201, 1, { reduceOnly: true, marketId: 2 }) },
  { limit: "wellFormed", what: "of nothing", exit: place("sell", 201, 0, { reduceOnly: true }) },
  { limit: "tick", what: "off the tick", exit: place("sell", 201.005, 1, { reduceOnly: true }) },
  { limit: "orderSize", what: "too large", exit: place("sell", 201, 2.000_001, { reduceOnly: true }) },
  {
    limit: "orderNotional",
    what: "too dear",
    inputs: withLimits({ maxOrderNotional: usdc(200_000_000n) }),
    exit: place("sell", 201, 1, { reduceOnly: true }),
  },
  {
    limit: "priceBand",
    what: "outside the exchange's band",
    inputs: withView({ market: now({ ...market, priceBandBps: 100 }) }),
    exit: place("sell", 203, 1, { reduceOnly: true }),
  },
  { limit: "oraclePriceCollar", what: "outside our collar", exit: place("sell", 211, 1, { reduceOnly: true }) },
  {
    limit: "selfTrade",
    what: "at an own bid",
    inputs: resting1(),
    exit: place("sell", 199, 1, { reduceOnly: true }),
  },
  {
    limit: "duplicate",
    what: "a second one for its slot",
    inputs: { ...healthy, view: withOrders(healthy.view, [order(1, "sell", 202, 1, { state: "inFlight" })]) },
    exit: place("sell", 201, 1, { reduceOnly: true }),
  },
];

test.each(heldReductions)("a reduction is held to $limit: $what", ({ limit, inputs = healthy, exit }) => {
  const { view, limits, state } = long(5, inputs);
  const { denied } = check([exit], view, limits, state);
  expect(denied.map(({ actionClass }) => actionClass)).toEqual(["reduce"]);
  expect(denied.flatMap(({ denials }) => denials.map(({ reason }) => reason))).toEqual([limit]);
});

test("a limit judges reductions if and only if one is held to it here", () => {
  const judging = limitRules.filter(({ judges }) => judges === "every").map(({ id }) => id);
  expect(new Set(heldReductions.map(({ limit }) => limit))).toEqual(new Set(judging));
});

describe("with a market and an oracle that are old", () => {
  const aged = withView({ market: old({ ...market, priceBandBps: 300 }), oracle: old(oracle) }, long(5));
  const reasonsOf = (command: Command, { view, limits, state }: RiskInputs) =>
    check([command], view, limits, state).denied.flatMap(({ denials }) => denials.map(({ reason }) => reason));

  test.each<readonly [string, number, readonly LimitId[]]>([
    ["inside of all", 201, []],
    ["off the tick", 201.005, ["tick"]],
    ["outside the exchange's band", 207, ["priceBand"]],
    ["outside our collar too", 211, ["priceBand", "oraclePriceCollar"]],
  ])("a reduction is judged by what was known last: %s", (_, at, reasons) => {
    expect(reasonsOf(place("sell", at, 1, { reduceOnly: true }), aged)).toEqual(reasons);
  });

  test("the operator's flatten is held to the exchange's band, not to our collar", () => {
    expect(reasonsOf(place("sell", 211, 1, { reduceOnly: true, level: null }), aged)).toEqual(["priceBand"]);
  });

  test("a market exit reaches as far as the old prices say", () => {
    const beside = { ...aged, view: { ...aged.view, orders: [order(1, "buy", 198, 1, { level: 3 })] } };
    const exit = (maxSlippageBps: number) => place("sell", 0, 1, { ...market20, maxSlippageBps, reduceOnly: true });
    expect(reasonsOf(exit(99), beside)).toEqual([]);
    expect(reasonsOf(exit(100), beside)).toEqual(["selfTrade"]);
  });

  test("without a fair value the old oracle price stands in, without both there is none", () => {
    const blind = withState({ fairValueUsd: null }, aged);
    expect(reasonsOf(place("buy", 199, 1), blind)).not.toContain("fairValueCollar");
    expect(reasonsOf(place("buy", 203, 1), blind)).toContain("fairValueCollar");
    const { view, limits, state } = withView({ oracle: absent }, blind);
    const { denied } = check([place("buy", 199, 1)], view, limits, state);
    expect(denied[0]?.denials).toContainEqual({ reason: "fairValueCollar", numbers: { fairValue: "absent" } });
  });
});

describe("a reduction", () => {
  const exits: readonly Command[] = [
    place("sell", 199, 1, { reduceOnly: true }),
    place("sell", 0, 1, { ...market20, reduceOnly: true, maxSlippageBps: 50, level: 1 }),
  ];

  test.each([
    ["the oracle is stale", withView({ oracle: old({ ...oracle, status: "Stale" as const }) })],
    ["the oracle price was never heard", withView({ oracle: absent })],
    ["the market is paused", withView({ market: now({ ...market, status: "Paused" }) })],
    ["the market was never read", withView({ market: absent })],
    ["the book and the stream are gone", withView({ book: absent, stream: absent })],
    ["the funds are unknown", withView({ funds: absent })],
    ["orders are at their cap", withView({ accountOrderCount: 1000 })],
    [
      "the rate is used up",
      withState(
        { observed: observeAdd(healthy.state.observed, healthyView.nowMs) },
        withLimits({ maxAddsPerSecond: 1 }),
      ),
    ],
    ["the worst case is beyond the limit", withView({ orders: [order(1, "sell", 205, 25, { level: 5 })] })],
    [
      "all markets together are beyond the limit",
      withState(
        { grossNotionalElsewhere: now(usdc(2_000_000_000n)) },
        { ...healthy, limits: { ...healthy.limits, account: accountLimitsSchema.parse({ maxGrossNotional: 1000 }) } },
      ),
    ],
  ])("passes while %s", (_, inputs) => {
    const { view, limits, state } = long(2, inputs);
    expect(check(exits, view, limits, state).denied).toEqual([]);
  });

  test("of more than the position, with other reductions counted, is an increase", () => {
    const { view, limits, state } = long(
      2,
      withView({ orders: [order(1, "sell", 202, 1.5, { reduceOnly: true, level: 4 })] }),
    );
    const { denied } = check(
      [place("sell", 201, 0.5, { reduceOnly: true }), place("sell", 201.5, 0.000_001, { reduceOnly: true, level: 1 })],
      { ...view, oracle: absent },
      limits,
      state,
    );
    expect(denied.map(({ actionClass }) => actionClass)).toEqual(["increase"]);
  });
});
