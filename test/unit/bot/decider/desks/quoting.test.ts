// A side whose target quotes do not come to rest within a few seconds stands still, whatever the cause; it says so, and one order tries.

import { beforeEach, describe, expect, test } from "vitest";
import { Quoting } from "../../../../../src/bot/decider/desks/quoting.ts";
import { QuotingReport } from "../../../../../src/bot/decider/desks/quoting-report.ts";
import { type NotQuotingReason, standingText } from "../../../../../src/bot/decider/desks/standing.ts";
import { type Turn, takeTurn } from "../../../../../src/bot/decider/turns/turn.ts";
import type { RiskState } from "../../../../../src/bot/risk/risk-state.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import type { Quotes } from "../../../../../src/domain/quotes.ts";
import { type Side, sides } from "../../../../../src/domain/units.ts";
import type { View } from "../../../../../src/domain/view.ts";
import {
  account,
  cancel,
  healthyLimits,
  healthyState,
  healthyView,
  market,
  now,
  order,
  place,
  withInventory,
  withOrders,
} from "../../risk/healthy.ts";
import { quote, targets } from "../../strategy/quotes.ts";

const both = targets(quote("buy", 0, 199.9), quote("sell", 0, 200.1));
const rejected = { kind: "rejected", httpStatus: 400, error: "signature" } as const;
const executed = { kind: "executed", hash: "1", events: [] } as const;
const resting = withOrders(healthyView, [order(1, "buy", 199.9, 1), order(2, "sell", 200.1, 1)]);
const buyRests = withOrders(healthyView, [order(1, "buy", 199.9, 1)]);

let quoting: Quoting;
let nowMs: number;
let last: Turn;

beforeEach(() => {
  nowMs = 1_000_000;
  const log = createLog("error", { write: () => {}, terminal: false, wallMs: () => 0 });
  quoting = new Quoting(new QuotingReport({ accountId: account, marketId: 1 }, log));
});

/** Ten turns a second for so long. */
function pass(
  seconds: number,
  view: View = healthyView,
  quotes: Quotes | (() => never) = both,
  state: Partial<RiskState> = {},
): void {
  for (const endMs = nowMs + seconds * 1000; nowMs < endMs; ) {
    nowMs += 100;
    last = takeTurn({
      requoteDepths: 0.5,
      queueTicks: 0,
      modifies: "all",
      usualHalfSpreadBps: 5,
      view: { ...view, nowMs },
      strategy: { quote: () => (typeof quotes === "function" ? quotes() : quotes) },
      limits: healthyLimits,
      state: { ...healthyState, ...state, stuckQuotes: quoting.stuckQuotes(nowMs) },
    });
    quoting.turned(last);
    quoting.show("USA-HPI", nowMs);
  }
}
/** Fewer requests are left than are kept. */
const short = { budget: now({ remaining: 90n, reserve: 120n }) };
const gate = () => last.readings.find((reading) => reading.gate === "cannotAct")?.closed ?? null;
const sentence = (side: Side) => standingText(quoting.standing[side]);
const approved = () => last.verdict.approved.map((command) => ("side" in command ? command.side : command.kind));
const bid = place("buy", 199.9, 1);
const ask = place("sell", 200.1, 1);

describe("while the budget is down to its reserve", () => {
  test("a side that waits does not stand still, and the metric names the budget", () => {
    pass(60, healthyView, both, short);
    expect(gate()).toBe(null);
    expect(sentence("buy")).toContain("the request budget is nearly used");
    expect(quoting.silentSecs.buy.get("budget")).toBeGreaterThanOrEqual(50);
    expect(quoting.silentSecs.buy.has("cannotAct")).toBe(false);
  });

  test("one order is let through every ten seconds", () => {
    const sent: number[] = [];
    for (let turn = 0; turn < 600; turn += 1) {
      pass(0.1, healthyView, both, short);
      const [command] = last.verdict.approved;
      if (command === undefined) continue;
      expect(last.verdict.approved).toHaveLength(1);
      sent.push(nowMs);
      quoting.sent(command, nowMs);
    }
    expect(sent).toHaveLength(6);
    for (const [at, ms] of sent.slice(1).entries()) expect(ms - (sent[at] ?? 0)).toBeGreaterThanOrEqual(10_000);
  });
});

describe("target quotes and resting orders may differ", () => {
  test("for five seconds", () => {
    pass(5);
    expect([gate(), sentence("buy")]).toEqual([null, "not quoting because its orders are on their way"]);
    expect(quoting.standing.buy.isReady).toBe(true);
  });

  test("and no longer: the gate closes and says what is in the way", () => {
    quoting.answered(bid, rejected, nowMs);
    pass(5.3);
    expect(gate()).toMatchObject({ side: "both", why: "the exchange rejects them: signature" });
    expect(sentence("buy")).toMatch(
      /^not quoting because its orders have not reached the book for 5\.\d s: the exchange rejects them: signature$/,
    );
    expect(quoting.standing.buy.isReady).toBe(false);
  });

  test("on the side that differs alone", () => {
    quoting.dropped(ask, "notReserved");
    pass(6, buyRests);
    expect(gate()).toMatchObject({ side: "sell", why: "the next nonces are not reserved on disk yet" });
    expect([sentence("buy"), quoting.standing.buy.isReady, quoting.standing.sell.isReady]).toEqual([null, true, false]);
  });

  test("while a gate is closed, since nothing may rest then", () => {
    pass(60, { ...healthyView, market: now({ ...market, status: "Paused" }) });
    expect(gate()).toBe(null);
    pass(4.9);
    expect(gate()).toBe(null);
  });

  test("where orders rest that no quote wants", () => {
    quoting.answered(cancel(order(1, "buy", 199.9, 1)), rejected, nowMs);
    pass(6, resting, targets(quote("sell", 0, 200.1)));
    expect(gate()).toMatchObject({ side: "buy", why: "the exchange rejects them: signature" });
  });
});

describe("a side that stands still", () => {
  beforeEach(() => pass(5.1));

  test("lets one order through in ten seconds, whichever waits", () => {
    const tried: string[] = [];
    for (let turn = 0; turn < 600; turn += 1) {
      pass(0.1);
      for (const command of last.verdict.approved) {
        if (!("side" in command)) continue;
        tried.push(command.side);
        quoting.sent(command, nowMs);
        quoting.answered(command, rejected, nowMs);
      }
    }
    expect([tried.length, new Set(tried).size]).toEqual([6, 2]);
  });

  test("lets it wait until it is sent", () => {
    pass(3);
    expect(approved()).toHaveLength(1);
    quoting.sent(last.verdict.approved[0] ?? bid, nowMs);
    pass(0.1);
    expect(approved()).toEqual([]);
  });

  test("acts again once an order of it is carried out", () => {
    quoting.answered(bid, executed, nowMs);
    pass(0.1);
    expect(gate()).toMatchObject({ side: "sell" });
    expect(approved()).toContain("buy");
  });

  test("acts again once what is wanted rests", () => {
    pass(0.2, resting);
    expect([gate(), sentence("buy"), sentence("sell")]).toEqual([null, null, null]);
  });

  test("starts over with other settings", () => {
    quoting.restart();
    pass(0.1);
    expect(gate()).toBe(null);
  });
});

describe("what is carried out is progress", () => {
  test("quotes that move all the time do not stand still", () => {
    for (let second = 0; second < 30; second += 1) {
      pass(1);
      quoting.answered(bid, executed, nowMs);
      quoting.answered(ask, executed, nowMs);
    }
    expect(gate()).toBe(null);
  });

  test("but one level's does not speak for another's", () => {
    const levels = targets(quote("buy", 0, 199.9), quote("buy", 1, 199.8));
    for (let second = 0; second < 6; second += 1) {
      pass(1, healthyView, levels);
      quoting.answered(bid, executed, nowMs);
    }
    expect(gate()).toMatchObject({ side: "buy" });
  });
});

describe("where the strategy or a limit is in the way", () => {
  test("an order above its limit closes the gate, and the levels beside it go on", () => {
    pass(6, healthyView, targets(quote("buy", 0, 199.9), quote("buy", 1, 199, 3), quote("sell", 0, 200.1)));
    expect(approved()).not.toEqual([]);
    const fine = withOrders(healthyView, [order(1, "buy", 199.9, 1), order(2, "sell", 200.1, 1)]);
    pass(6, fine, targets(quote("buy", 0, 199.9), quote("buy", 1, 199, 3), quote("sell", 0, 200.1)));
    expect(gate()).toMatchObject({ side: "buy", why: "size 3 exceeds maxOrderSize 2" });
    expect(sentence("buy")).toBe("quoting less than wanted because size 3 exceeds maxOrderSize 2");
    expect([quoting.standing.buy.rests, quoting.standing.buy.isReady]).toEqual([true, false]);
    pass(1, fine, targets(quote("buy", 0, 199.5), quote("buy", 1, 199, 3), quote("sell", 0, 200.1)));
    expect(approved()).toEqual(["buy"]);
  });

  test("a strategy that throws closes the gate", () => {
    const throws = () => {
      throw new RangeError("boom");
    };
    pass(0.1, resting, throws);
    expect(sentence("sell")).toBe("not quoting because the strategy threw: boom");
    pass(6, healthyView, throws);
    expect(gate()).toMatchObject({ side: "both", why: "the strategy threw: boom" });
  });

  test("a full position does not: the other side goes on", () => {
    pass(60, withInventory(withOrders(healthyView, [order(2, "sell", 200.1, 1)]), 20));
    expect(gate()).toBe(null);
    expect(sentence("buy")).toBe("not quoting because the position could reach 21, maxPosition 20");
  });
});

test("it knows what rests, for how long nothing does and why, and how long it has differed", () => {
  pass(2, { ...healthyView, market: now({ ...market, status: "Paused" }) });
  pass(3, buyRests);
  expect(sides.map((side) => quoting.standing[side].rests)).toEqual([true, false]);
  expect(quoting.mismatchSecs).toBeCloseTo(2.9);
  const seconds = (side: Side, reason: NotQuotingReason) => quoting.silentSecs[side].get(reason) ?? 0;
  expect(seconds("buy", "marketStatus")).toBeCloseTo(2);
  expect(seconds("sell", "unplaced")).toBeCloseTo(2.9);
  expect(seconds("buy", "unplaced")).toBe(0);
});
