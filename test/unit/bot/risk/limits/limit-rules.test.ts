// Each limit judges alone: a command that passes it by the least unit is denied for that reason and no other, one at the limit is
// approved. So a limit that is removed or turned round is found here.

import { describe, expect, test } from "vitest";
import { check } from "../../../../../src/bot/risk/guard.ts";
import { type LimitId, limitIds } from "../../../../../src/bot/risk/limits/limit-rule.ts";
import { limitRules } from "../../../../../src/bot/risk/limits/limit-rules.ts";
import { accountLimitsSchema } from "../../../../../src/bot/risk/limits/limits.ts";
import { observeAdd, observeMarkout } from "../../../../../src/bot/risk/observed.ts";
import type { RiskInputs } from "../../../../../src/bot/risk/risk-state.ts";
import type { Unreadable } from "../../../../../src/domain/account.ts";
import type { Command } from "../../../../../src/domain/command.ts";
import { accountId, orderId, usdc } from "../../../../../src/domain/units.ts";
import { absent } from "../../../../../src/domain/view.ts";
import { healthy } from "../closings.ts";
import {
  cancel,
  healthyLimits,
  healthyState,
  healthyView,
  lots,
  market,
  modify,
  now,
  old,
  oracle,
  order,
  place,
  trusting,
  usd,
  withOrders,
} from "../healthy.ts";
import { funds, long, market20, priced, resting, resting1, withLimits, withState, withView } from "../risk-inputs.ts";

const feesOf = (makerFeeBps: number) => ({
  assetClass: "RealEstate",
  minVolume30d: usdc(0n),
  makerFeeBps,
  takerFeeBps: 5,
});

/** A fee that lets quotes stand on the other side of fair value. */
const rebated = withView({ feeTier: now(feesOf(-100)) });

type Case = {
  readonly what: string;
  readonly inputs?: RiskInputs;
  readonly denied: readonly Command[];
  readonly allowed: readonly Command[];
};

/** Orders that the exchange lists and nobody understands. */
const unreadable = (...of: readonly Pick<Unreadable, "marketId" | "side">[]): RiskInputs =>
  withView({
    unreadable: of.map((one) => ({ what: "order", orderId: orderId(77n), why: "price: is required", ...one })),
  });

/** Four sales that lost three half-spreads each, just after a print, as now. */
const lostSales = () =>
  withState({
    observed: [0, 1, 2, 3].reduce((observed, nth) => {
      const fill = { side: "sell", phase: "afterPrint", atMs: 2000 * nth, contracts: 1, markoutBps: -12 } as const;
      return observeMarkout(
        observed,
        "60s",
        { ...fill, halfSpreadBps: 4, widened: 0 },
        healthyLimits.market,
        healthyView.nowMs,
      );
    }, healthyState.observed),
  });

/** The last command of each list is judged; those before it are approved on the way. */
const cases: Readonly<Record<LimitId, readonly Case[]>> = {
  scope: [
    {
      what: "another account",
      denied: [place("buy", 199, 1, { accountId: accountId(13n) })],
      allowed: [place("buy", 199, 1)],
    },
    { what: "another market", denied: [place("buy", 199, 1, { marketId: 2 })], allowed: [place("buy", 199, 1)] },
  ],
  wellFormed: [
    { what: "a size of nothing", denied: [place("buy", 199, 0)], allowed: [place("buy", 199, 0.000_001)] },
    {
      what: "a market order with a price",
      inputs: long(2),
      denied: [place("sell", 199, 1, { ...market20, price: usd(199), maxSlippageBps: 50, reduceOnly: true })],
      allowed: [place("sell", 199, 1, { ...market20, maxSlippageBps: 50, reduceOnly: true })],
    },
    {
      what: "a market order without a slippage cap",
      inputs: long(2),
      denied: [place("sell", 199, 1, { ...market20, maxSlippageBps: null, reduceOnly: true })],
      allowed: [place("sell", 199, 1, { ...market20, maxSlippageBps: 0, reduceOnly: true })],
    },
    {
      what: "a modify of an order that is not tracked",
      denied: [modify(resting, { newPrice: usd(198) })],
      allowed: [place("buy", 199, 1)],
    },
    {
      what: "a modify of nothing",
      inputs: resting1(),
      denied: [modify(resting, {})],
      allowed: [modify(resting, { newPrice: usd(198) })],
    },
    {
      what: "a modify that says another side",
      inputs: resting1(),
      denied: [modify(resting, { side: "sell", newPrice: usd(198) })],
      allowed: [modify(resting, { newPrice: usd(198) })],
    },
    {
      what: "a modify to what is filled already",
      inputs: { ...healthy, view: withOrders(healthy.view, [order(1, "buy", 199, 1, { remainingSize: lots(0.4) })]) },
      denied: [modify(resting, { newSize: lots(0.6) })],
      allowed: [modify(resting, { newSize: lots(0.600_001) })],
    },
    {
      what: "a modify of an order whose last modify is unanswered",
      inputs: {
        ...healthy,
        view: withOrders(healthy.view, [order(1, "buy", 199, 1, { pending: { price: usd(199), size: lots(1) } })]),
      },
      denied: [modify(resting, { newPrice: usd(198) })],
      allowed: [place("buy", 198, 1, { level: 3 })],
    },
    {
      what: "a modify of an order that is being canceled",
      inputs: { ...healthy, view: withOrders(healthy.view, [order(1, "buy", 199, 1, { state: "canceling" })]) },
      denied: [modify(resting, { newPrice: usd(198) })],
      allowed: [place("buy", 198, 1, { level: 3 })],
    },
  ],
  tick: [
    { what: "off the tick", denied: [place("buy", 199.005, 1)], allowed: [place("buy", 199.01, 1)] },
    {
      what: "a modify off the tick",
      inputs: resting1(),
      denied: [modify(resting, { newPrice: usd(198.001) })],
      allowed: [modify(resting, { newPrice: usd(198.01) })],
    },
    {
      what: "a market order has no price to be on the tick",
      inputs: long(2, withView({ oracle: now({ ...oracle, price: usd(200.01) }) })),
      denied: [place("sell", 199.999, 1, { reduceOnly: true })],
      allowed: [place("sell", 0, 1, { ...market20, maxSlippageBps: 1, reduceOnly: true })],
    },
  ],
  orderSize: [
    { what: "larger than the limit", denied: [place("buy", 199, 2.000_001)], allowed: [place("buy", 199, 2)] },
    {
      what: "grown beyond the limit",
      inputs: resting1(),
      denied: [modify(resting, { newSize: lots(2.000_001) })],
      allowed: [modify(resting, { newSize: lots(2) })],
    },
    {
      what: "a reduction is held to it too",
      inputs: long(5),
      denied: [place("sell", 201, 2.000_001, { reduceOnly: true })],
      allowed: [place("sell", 201, 2, { reduceOnly: true })],
    },
  ],
  orderNotional: [
    {
      what: "dearer than the limit",
      inputs: withLimits({ maxOrderNotional: usdc(199_000_000n) }),
      denied: [place("buy", 199.01, 1)],
      allowed: [place("buy", 199, 1)],
    },
  ],
  priceBand: [
    {
      what: "below the exchange's band",
      inputs: withView({ market: now({ ...market, priceBandBps: 100 }) }),
      denied: [place("buy", 197.99, 1)],
      allowed: [place("buy", 198, 1)],
    },
    {
      what: "above it",
      inputs: withView({ market: now({ ...market, priceBandBps: 100 }) }),
      denied: [place("sell", 202.01, 1)],
      allowed: [place("sell", 202, 1)],
    },
  ],
  oraclePriceCollar: [
    { what: "below our collar", denied: [place("buy", 189.99, 1)], allowed: [place("buy", 190, 1)] },
    { what: "above it", denied: [place("sell", 210.01, 1)], allowed: [place("sell", 210, 1)] },
    {
      what: "a reduction is held to it too",
      inputs: long(2),
      denied: [place("sell", 189.99, 1, { reduceOnly: true })],
      allowed: [place("sell", 190, 1, { reduceOnly: true })],
    },
    {
      what: "50 bps where 6 print deviations are less",
      inputs: withView({ signals: { ...healthyView.signals, printDeviationBps: 8 } }),
      denied: [place("buy", 198.99, 1)],
      allowed: [place("buy", 199, 1)],
    },
    {
      what: "6 print deviations where that is more",
      inputs: withView({ signals: { ...healthyView.signals, printDeviationBps: 10 } }),
      denied: [place("buy", 198.79, 1)],
      allowed: [place("buy", 198.8, 1)],
    },
    {
      what: "as the operator says, wider or narrower",
      inputs: withLimits({ maxOracleDistanceBps: 20 }),
      denied: [place("buy", 199.59, 1)],
      allowed: [place("buy", 199.6, 1)],
    },
  ],
  adverseFills: [
    {
      what: "sales after sales that lost",
      inputs: long(2, lostSales()),
      denied: [place("sell", 200.1, 1)],
      allowed: [place("buy", 199.9, 1), place("sell", 200.1, 1, { reduceOnly: true })],
    },
  ],
  fairValueCollar: [
    {
      what: "a fair value outside the collar",
      inputs: withState({ fairValueUsd: 201.01 }, withLimits({ maxOracleDistanceBps: 50 })),
      denied: [place("buy", 200, 1)],
      allowed: [],
    },
    {
      what: "one at its edge, and a reduction whatever it is",
      inputs: long(2, withState({ fairValueUsd: 199 }, withLimits({ maxOracleDistanceBps: 50 }))),
      denied: [place("buy", 199.03, 1)],
      allowed: [place("buy", 199.01, 1), place("sell", 199.5, 1, { reduceOnly: true })],
    },
    {
      what: "a bid through fair value by more than the rebate",
      denied: [place("buy", 200.03, 1)],
      allowed: [place("buy", 200.02, 1)],
    },
    {
      what: "an ask nearer fair value than the taker's fee",
      denied: [place("sell", 200.09, 1, { postOnly: false })],
      allowed: [place("sell", 200.1, 1, { postOnly: false })],
    },
    {
      what: "quotes nearer fair value than the maker's fee",
      inputs: withView({ feeTier: now(feesOf(40)) }),
      denied: [place("buy", 199.21, 1)],
      allowed: [place("buy", 199.2, 1), place("sell", 200.8, 1)],
    },
    {
      what: "what closes a position may lose the limit",
      inputs: long(-1, healthy),
      denied: [place("buy", 201.03, 1)],
      allowed: [place("buy", 201.01, 1)],
    },
    {
      what: "what is larger than the position may lose nothing",
      inputs: long(-1, healthy),
      denied: [place("buy", 200.03, 1.000_001)],
      allowed: [place("buy", 200.02, 1.000_001)],
    },
    {
      what: "what closes, where it may lose nothing",
      inputs: long(-1, withView({ feeTier: now(feesOf(0)) }, withLimits({ maxThroughFairBps: 0 }))),
      denied: [place("buy", 200.01, 1)],
      allowed: [place("buy", 200, 1)],
    },
    {
      what: "the fee tier is unknown",
      inputs: withView({ feeTier: absent }),
      denied: [place("buy", 199.81, 1)],
      allowed: [place("buy", 199.8, 1)],
    },
    {
      what: "the fee tier was read long ago",
      inputs: withView({ feeTier: old(feesOf(-1)) }),
      denied: [place("buy", 199.81, 1)],
      allowed: [place("buy", 199.8, 1)],
    },
    {
      what: "the fee tier was read long ago, and was higher than is assumed",
      inputs: withView({ feeTier: old(feesOf(20)) }),
      denied: [place("buy", 199.61, 1)],
      allowed: [place("buy", 199.6, 1)],
    },
    {
      what: "without a fair value the oracle price stands in",
      inputs: withState(
        { fairValueUsd: null },
        withView(
          { oracle: now({ ...oracle, price: usd(198) }) },
          withState({ observed: { ...healthy.state.observed, prints: trusting(198) } }),
        ),
      ),
      denied: [place("buy", 198.02, 1)],
      allowed: [place("buy", 198.01, 1)],
    },
    {
      what: "a fair value that is not a number",
      inputs: long(2, withState({ fairValueUsd: Number.NaN })),
      denied: [place("buy", 199, 1)],
      allowed: [place("sell", 201, 1, { reduceOnly: true })],
    },
  ],
  selfTrade: [
    {
      what: "a bid at an own ask",
      inputs: { ...rebated, view: withOrders(rebated.view, [order(1, "sell", 200.1, 1)]) },
      denied: [place("buy", 200.1, 1)],
      allowed: [place("buy", 200.09, 1)],
    },
    {
      what: "a bid at a foreign ask; a stop that waits below it stands at no price",
      inputs: {
        ...rebated,
        view: withOrders(rebated.view, [
          order(1, "sell", 200.1, 1, { isForeign: true }),
          order(2, "sell", 0, 1, { isForeign: true, isConditional: true, reduceOnly: true }),
          order(3, "sell", 199, 0.5, { isForeign: true, isConditional: true }),
        ]),
      },
      denied: [place("buy", 200.1, 1)],
      allowed: [place("buy", 200.09, 1)],
    },
    {
      what: "an ask at the price to which an own bid is being moved",
      inputs: {
        ...rebated,
        view: withOrders(rebated.view, [order(1, "buy", 199, 1, { pending: { price: usd(200), size: lots(1) } })]),
      },
      denied: [place("sell", 200, 1)],
      allowed: [place("sell", 200.01, 1)],
    },
    ...(
      [
        ["buy", "sell", [200.1, 200.3], 200.09],
        ["buy", "sell", [200.3, 200.1], 200.09],
        ["sell", "buy", [199.9, 199.7], 199.91],
        ["sell", "buy", [199.7, 199.9], 199.91],
      ] as const
    ).map(([side, other, resting, clear]) => ({
      what: `a ${side} at the nearest of two own orders to ${other}: ${resting.join(" and ")}`,
      inputs: {
        ...rebated,
        view: withOrders(
          rebated.view,
          resting.map((at, id) => order(id + 1, other, at, 1)),
        ),
      },
      denied: [place(side, side === "buy" ? 200.1 : 199.9, 1)],
      allowed: [place(side, clear, 1)],
    })),
    {
      what: "a bid at an own ask whose size alone is changed in the batch",
      inputs: { ...rebated, view: withOrders(rebated.view, [order(1, "sell", 200.1, 1)]) },
      denied: [modify(order(1, "sell", 200.1, 1), { newSize: lots(0.5) }), place("buy", 200.1, 1)],
      allowed: [modify(order(1, "sell", 200.1, 1), { newSize: lots(0.5) }), place("buy", 200.09, 1)],
    },
    {
      what: "a bid at an ask of the same batch",
      inputs: rebated,
      denied: [place("sell", 200.2, 1), place("buy", 200.2, 1)],
      allowed: [place("sell", 200.2, 1), place("buy", 200.19, 1)],
    },
    {
      what: "an ask where a bid of the same batch is moved to",
      inputs: resting1(rebated),
      denied: [modify(resting, { newPrice: usd(199.8) }), place("sell", 199.8, 1)],
      allowed: [modify(resting, { newPrice: usd(199.8) }), place("sell", 199.81, 1)],
    },
    {
      what: "a market purchase against an own ask",
      inputs: long(-2, { ...rebated, view: withOrders(rebated.view, [order(1, "sell", 200.5, 1)]) }),
      denied: [place("buy", 0, 1, { ...market20, side: "buy", maxSlippageBps: 25, reduceOnly: true })],
      allowed: [place("buy", 0, 1, { ...market20, side: "buy", maxSlippageBps: 24, reduceOnly: true })],
    },
    {
      what: "a market order against an own order",
      inputs: long(2, { ...rebated, view: withOrders(rebated.view, [order(1, "buy", 199.5, 1)]) }),
      denied: [place("sell", 0, 1, { ...market20, maxSlippageBps: 30, reduceOnly: true })],
      allowed: [place("sell", 0, 1, { ...market20, maxSlippageBps: 20, reduceOnly: true })],
    },
    ...[
      { what: "the mark price", mark: 201, index: 200 },
      { what: "the oracle price", mark: 200, index: 201 },
    ].map(({ what, mark, index }) => ({
      what: `a market purchase reaches up from the higher price: ${what}`,
      inputs: priced(
        mark,
        index,
        long(-2, { ...rebated, view: withOrders(rebated.view, [order(1, "sell", 201.4, 1)]) }),
      ),
      denied: [place("buy", 0, 1, { ...market20, side: "buy", maxSlippageBps: 20, reduceOnly: true })],
      allowed: [place("buy", 0, 1, { ...market20, side: "buy", maxSlippageBps: 19, reduceOnly: true })],
    })),
    ...[
      { what: "the mark price", mark: 199, index: 200 },
      { what: "the oracle price", mark: 200, index: 199 },
    ].map(({ what, mark, index }) => ({
      what: `a market sale reaches down from the lower price: ${what}`,
      inputs: priced(
        mark,
        index,
        long(2, { ...rebated, view: withOrders(rebated.view, [order(1, "buy", 198.61, 1)]) }),
      ),
      denied: [place("sell", 0, 1, { ...market20, maxSlippageBps: 20, reduceOnly: true })],
      allowed: [place("sell", 0, 1, { ...market20, maxSlippageBps: 19, reduceOnly: true })],
    })),
  ],
  duplicate: [
    {
      what: "a slot whose place is in flight",
      inputs: {
        ...healthy,
        view: withOrders(healthy.view, [order(1, "buy", 199, 1, { state: "inFlight", orderId: null })]),
      },
      denied: [place("buy", 199, 1)],
      allowed: [place("buy", 199, 1, { level: 1 })],
    },
    {
      what: "a slot whose place has lost its answer",
      inputs: {
        ...healthy,
        view: withOrders(healthy.view, [order(1, "buy", 199, 1, { state: "unknown", orderId: null })]),
      },
      denied: [place("buy", 198, 1)],
      allowed: [place("sell", 201, 1)],
    },
    {
      what: "a slot twice in a batch",
      denied: [place("buy", 199, 1), place("buy", 198.5, 1)],
      allowed: [place("buy", 199, 1), place("buy", 198.5, 1, { level: 1 })],
    },
  ],
  unreadableOrder: [
    {
      what: "an order of unknown size on its side",
      inputs: unreadable({ marketId: 1, side: "buy" }),
      denied: [place("buy", 199, 1)],
      allowed: [place("sell", 201, 1)],
    },
    {
      what: "an order of an unknown side, or market, on both sides",
      inputs: unreadable({ marketId: 1, side: null }, { marketId: null, side: "buy" }),
      denied: [place("sell", 201, 1)],
      allowed: [cancel(resting)],
    },
  ],
  openOrders: [
    {
      what: "in the market",
      inputs: resting1(withLimits({ maxOpenOrders: 2 })),
      denied: [place("buy", 198, 1), place("buy", 197, 1, { level: 1 })],
      allowed: [place("buy", 198, 1)],
    },
    {
      what: "the exchange's cap over the account",
      inputs: withView({ openOrderCap: now(30), accountOrderCount: 29 }),
      denied: [place("buy", 198, 1), place("buy", 197, 1, { level: 1 })],
      allowed: [place("buy", 198, 1)],
    },
    {
      what: "an assumed cap while unknown",
      inputs: withView({ openOrderCap: absent, accountOrderCount: 39 }),
      denied: [place("buy", 198, 1), place("buy", 197, 1, { level: 1 })],
      allowed: [place("buy", 198, 1)],
    },
    {
      what: "our own limit over the account",
      inputs: withView(
        { accountOrderCount: 4 },
        { ...healthy, limits: { ...healthy.limits, account: accountLimitsSchema.parse({ maxOpenOrders: 5 }) } },
      ),
      denied: [place("buy", 198, 1), place("buy", 197, 1, { level: 1 })],
      allowed: [place("buy", 198, 1)],
    },
    {
      what: "a cap that was read long ago is better than an assumed one",
      inputs: withView({ openOrderCap: old(30), accountOrderCount: 29 }),
      denied: [place("buy", 198, 1), place("buy", 197, 1, { level: 1 })],
      allowed: [place("buy", 198, 1)],
    },
    {
      what: "a modify is no order more",
      inputs: resting1(withLimits({ maxOpenOrders: 1 })),
      denied: [place("buy", 198, 1, { level: 1 })],
      allowed: [modify(resting, { newPrice: usd(198) })],
    },
  ],
  cancelCapacity: [
    {
      what: "a modify is no order more",
      inputs: resting1(withLimits({ killTargetMs: 1000, cancelsPerSecond: 1 })),
      denied: [place("buy", 198, 1, { level: 1 })],
      allowed: [modify(resting, { newPrice: usd(198) })],
    },
    {
      what: "more than can be canceled in time",
      inputs: withView({ accountOrderCount: 9 }, withLimits({ killTargetMs: 2000, cancelsPerSecond: 5 })),
      denied: [place("buy", 198, 1), place("buy", 197, 1, { level: 1 })],
      allowed: [place("buy", 198, 1)],
    },
  ],
  orderRate: [
    {
      what: "too many within a second, the batch counted",
      inputs: withState(
        { observed: observeAdd(observeAdd(healthy.state.observed, healthyView.nowMs - 900), healthyView.nowMs - 10) },
        withLimits({ maxAddsPerSecond: 3 }),
      ),
      denied: [place("buy", 198, 1), place("buy", 197, 1, { level: 1 })],
      allowed: [place("buy", 198, 1)],
    },
    {
      what: "a reduction of the batch is not counted",
      inputs: long(2, withLimits({ maxAddsPerSecond: 1 })),
      denied: [place("buy", 198, 1), place("buy", 197, 1, { level: 1 })],
      allowed: [place("sell", 201, 1, { reduceOnly: true }), place("buy", 198, 1)],
    },
  ],
  worstPosition: [
    {
      what: "position, resting, in flight, unknown and canceling, each in full",
      inputs: long(12, {
        ...healthy,
        view: withOrders(healthy.view, [
          order(1, "buy", 199, 2, { level: 1, remainingSize: lots(1) }),
          order(2, "buy", 199, 2, { level: 2, state: "inFlight", orderId: null }),
          order(3, "buy", 199, 2, { level: 3, state: "unknown", orderId: null }),
          order(4, "buy", 199, 2, { level: 4, state: "canceling" }),
          order(5, "buy", 199, 2, { level: 5, reduceOnly: true }),
          order(6, "sell", 201, 2, { level: 6 }),
        ]),
      }),
      denied: [place("buy", 199, 1.000_001)],
      allowed: [place("buy", 199, 1)],
    },
    {
      what: "short, bids not netted",
      inputs: long(-17, { ...healthy, view: withOrders(healthy.view, [order(1, "buy", 199, 2, { level: 1 })]) }),
      denied: [place("sell", 201, 2, { level: 0 }), place("sell", 201.5, 1.000_001, { level: 1 })],
      allowed: [place("sell", 201, 2, { level: 0 }), place("sell", 201.5, 1, { level: 1 })],
    },
    {
      what: "an order that grows",
      inputs: long(18, resting1()),
      denied: [place("buy", 198, 0.5, { level: 3 }), modify(resting, { newSize: lots(1.500_001) })],
      allowed: [place("buy", 198, 0.5, { level: 3 }), modify(resting, { newSize: lots(1.5) })],
    },
    {
      what: "what an order of the same batch grew by",
      inputs: long(18, resting1()),
      denied: [modify(resting, { newSize: lots(1.5) }), place("buy", 198, 0.500_001, { level: 3 })],
      allowed: [modify(resting, { newSize: lots(1.5) }), place("buy", 198, 0.5, { level: 3 })],
    },
    {
      what: "a modify in a batch frees nothing",
      inputs: long(18, resting1()),
      denied: [modify(resting, { newSize: lots(0.1) }), place("buy", 198, 1.000_001, { level: 3 })],
      allowed: [modify(resting, { newSize: lots(0.1) }), place("buy", 198, 1, { level: 3 })],
    },
    {
      what: "an order that the exchange holds to reducing adds nothing, though it does not fit",
      inputs: long(20),
      denied: [place("buy", 199, 0.000_001)],
      allowed: [place("buy", 199, 1, { reduceOnly: true })],
    },
  ],
  grossNotional: [
    {
      what: "all markets together",
      inputs: withState(
        { grossNotionalElsewhere: now(usdc(800_000_000n)) },
        { ...healthy, limits: { ...healthy.limits, account: accountLimitsSchema.parse({ maxGrossNotional: 1000 }) } },
      ),
      denied: [place("buy", 199, 1.000_001)],
      allowed: [place("buy", 199, 1)],
    },
  ],
  margin: [
    {
      what: "initial margin at the market's leverage, a haircut left alone",
      // 2 contracts at 200 = 400 USDC, a 20th = 20 USDC = 90 % of 22.222223; the shock takes 20, so it is switched off here.
      inputs: withView({ funds: funds(22_222_223) }, withLimits({ marginShockBps: 0, minMaintenanceRatio: 1 })),
      denied: [place("buy", 199, 1), place("buy", 198, 1.000_001, { level: 1 })],
      allowed: [place("buy", 199, 1), place("buy", 198, 1, { level: 1 })],
    },
    {
      what: "margin of the other markets counts",
      inputs: withView(
        { funds: funds(22_222_223, 10_000_000) },
        withLimits({ marginShockBps: 0, minMaintenanceRatio: 1 }),
      ),
      denied: [place("buy", 199, 1.000_001)],
      allowed: [place("buy", 199, 1)],
    },
    {
      what: "twice maintenance margin after a shock of 5 %",
      // 2 contracts = 400 USDC: shock 20, maintenance 10, twice that: 40 USDC.
      inputs: withView({ funds: funds(40_000_000) }, withLimits({ marginHaircutRatio: 0 })),
      denied: [place("buy", 199, 1), place("buy", 198, 1.000_001, { level: 1 })],
      allowed: [place("buy", 199, 1), place("buy", 198, 1, { level: 1 })],
    },
    {
      what: "at the tier that the worst case reaches, not that of the position",
      // 60 contracts at 200 = 12,000 USDC: above the floor of 10,000 leverage 10 asks 1,200 where leverage 20 asked 600.
      inputs: long(
        50,
        withView(
          { funds: funds(1_200_000_000), openOrderCap: now(200) },
          withLimits({
            marginHaircutRatio: 0,
            marginShockBps: 0,
            minMaintenanceRatio: 1,
            maxPosition: lots(100),
            maxOrderSize: lots(20),
          }),
        ),
      ),
      denied: [place("buy", 199, 10.000_001)],
      allowed: [place("buy", 199, 10)],
    },
  ],
};

const listed = limitIds.flatMap((limit) => cases[limit].map((one) => ({ ...one, limit })));

describe.each(listed)("$limit: $what", ({ limit, inputs = healthy, denied, allowed }) => {
  test("one unit too much is denied, for this reason alone", () => {
    const verdict = check(denied, inputs.view, inputs.limits, inputs.state);
    expect(verdict.denied.map(({ command }) => command)).toEqual([denied.at(-1)]);
    expect(verdict.denied.flatMap(({ denials }) => denials.map(({ reason }) => reason))).toEqual([limit]);
    expect(Object.keys(verdict.denied[0]?.denials[0]?.numbers ?? {}).length).toBeGreaterThan(0);
  });

  test("at the limit it is approved", () => {
    const verdict = check(allowed, inputs.view, inputs.limits, inputs.state);
    expect(verdict.denied).toEqual([]);
    expect(verdict.approved).toEqual(allowed);
  });
});

test("a market purchase of unknown price is denied by the collar around fair value", () => {
  const { view, limits, state } = withView({ oracle: absent });
  const command = place("buy", 0, 1, { ...market20, side: "buy", maxSlippageBps: 10 });
  const { denied } = check([command], view, limits, state);
  expect(denied[0]?.denials.map(({ reason }) => reason)).toContain("fairValueCollar");
});

test("a modify of an order that is not settled is told with the order's state", () => {
  const view = withOrders(healthy.view, [order(1, "buy", 199, 1, { state: "canceling" })]);
  const { denied } = check([modify(resting, { newPrice: usd(198) })], view, healthy.limits, healthy.state);
  expect(denied[0]?.denials).toEqual([{ reason: "wellFormed", numbers: { order: "canceling" } }]);
});

test("every limit has a row in the list, in the order of ids, and a case here", () => {
  expect(limitRules.map(({ id }) => id)).toEqual([...limitIds]);
  expect(new Set(listed.map(({ limit }) => limit))).toEqual(new Set(limitIds));
});
