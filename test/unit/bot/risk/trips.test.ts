// What trips a latch by numbers: at the limit, once, for the market or for the account.

import { describe, expect, test } from "vitest";
import { accountLimitsSchema } from "../../../../src/bot/risk/limits/limits.ts";
import { type DailyPnl, type Ground, nextDailyPnl } from "../../../../src/bot/risk/risk-state.ts";
import { trips, tripsNow } from "../../../../src/bot/risk/trips.ts";
import { newWatch, watchFill } from "../../../../src/bot/risk/watch.ts";
import { usdc } from "../../../../src/domain/units.ts";
import { absent } from "../../../../src/domain/view.ts";
import { healthy } from "./closings.ts";
import { account, lots, now, old } from "./healthy.ts";

const micros = (amount: number) => usdc(BigInt(Math.round(amount * 1e6)));
const result = (pnl: number, best = 0): DailyPnl => ({ pnl: micros(pnl), best: micros(best) });
const broken = (changes: Partial<Ground["state"]>, accountLimits: object = {}): Ground => ({
  ...healthy,
  limits: { ...healthy.limits, account: accountLimitsSchema.parse(accountLimits) },
  state: { ...healthy.state, ...changes },
});
const told = (ground: Ground) => tripsNow(ground).map(({ kind, marketId }) => `${kind} ${marketId ?? "account"}`);

test("in health nothing trips", () => {
  expect(told(healthy)).toEqual([]);
});

describe("loss and drawdown", () => {
  test.each([
    [result(-499.999_999), []],
    [result(-500), ["loss 1", "drawdown 1"]],
    [result(300, 799.999_999), []],
    [result(300, 800), ["drawdown 1"]],
  ])("of the market: %o", (marketDailyPnl, expected) => {
    expect(told(broken({ marketDailyPnl: now(marketDailyPnl) }))).toEqual(expected);
  });

  test("of the account, where it has limits", () => {
    const state = { accountDailyPnl: now(result(-1000)) };
    expect(told(broken(state))).toEqual([]);
    expect(told(broken(state, { maxLoss: 1000 }))).toEqual(["loss account", "drawdown account"]);
    expect(told(broken(state, { maxLoss: 2000, maxDrawdown: 900 }))).toEqual(["drawdown account"]);
  });

  test("a result of any age trips, one that is not known does not: the gate is closed meanwhile", () => {
    expect(told(broken({ marketDailyPnl: old(result(-600)) }))).toEqual(["loss 1", "drawdown 1"]);
    const account = { accountDailyPnl: old(result(-1000)) };
    expect(told(broken(account, { maxLoss: 1000 }))).toEqual(["loss account", "drawdown account"]);
    expect(told(broken({ marketDailyPnl: absent }))).toEqual([]);
  });
});

describe("repeated execution", () => {
  const filled = (fills: number, contracts: number) => {
    let watch = newWatch;
    for (let fill = 0; fill < fills; fill += 1) watch = watchFill(watch, lots(contracts), healthy.view.nowMs - 1000);
    return broken({ watch });
  };

  test.each([
    [300, 0.1, []],
    [301, 0.1, ["repeatedExecution 1"]],
    [10, 100, []],
    [10, 100.1, ["repeatedExecution 1"]],
  ])("%d fills of %d contracts within a minute", (fills, contracts, expected) => {
    expect(told(filled(fills, contracts))).toEqual(expected);
  });
});

test("a trip halts, says why in words and numbers, and is told once", () => {
  const ground = broken({ marketDailyPnl: now(result(-700)) });
  const [loss, drawdown] = tripsNow(ground);
  expect(loss).toEqual({
    kind: "loss",
    accountId: account,
    marketId: 1,
    holds: "halted",
    reason: "the day's loss of 700 USDC reached the market's limit",
    numbers: { pnl: micros(-700), maxLoss: micros(500) },
  });
  const latched = { ...ground, state: { ...ground.state, latches: loss && drawdown ? [loss, drawdown] : [] } };
  expect(tripsNow(latched)).toEqual([]);
});

test("every kind of trip is one that is tested here", () => {
  expect(trips.map(({ kind }) => kind)).toEqual(["loss", "drawdown", "repeatedExecution"]);
});

test("the best result of a day begins at nothing and only rises", () => {
  let day = nextDailyPnl(null, micros(-5));
  expect(day).toEqual(result(-5, 0));
  day = nextDailyPnl(day, micros(7));
  expect(day).toEqual(result(7, 7));
  expect(nextDailyPnl(day, micros(3))).toEqual(result(3, 7));
});
