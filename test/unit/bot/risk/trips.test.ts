// What trips a latch by numbers: at the limit, once, for the market or for the account.

import { describe, expect, test } from "vitest";
import { readGates } from "../../../../src/bot/risk/gates/gates.ts";
import { accountLimitsSchema } from "../../../../src/bot/risk/limits/limits.ts";
import {
  nothingObserved,
  type Observed,
  observeFill,
  observeRejection,
  type Rejections,
} from "../../../../src/bot/risk/observed.ts";
import { type DailyPnl, nextDailyPnl, type RiskInputs } from "../../../../src/bot/risk/risk-state.ts";
import { observeLosses, trips, tripsNow } from "../../../../src/bot/risk/trips.ts";
import type { SubmitOutcome } from "../../../../src/domain/event.ts";
import { usdc } from "../../../../src/domain/units.ts";
import { absent } from "../../../../src/domain/view.ts";
import { healthy } from "./closings.ts";
import { account, lots, now, old, trusting, usd } from "./healthy.ts";

const micros = (amount: number) => usdc(BigInt(Math.round(amount * 1e6)));
const result = (pnl: number, best = 0): DailyPnl => ({ pnl: micros(pnl), best: micros(best) });
const broken = (changes: Partial<RiskInputs["state"]>, accountLimits: object = {}): RiskInputs => ({
  ...healthy,
  limits: { ...healthy.limits, account: accountLimitsSchema.parse(accountLimits) },
  state: { ...healthy.state, ...changes },
});
const told = (inputs: RiskInputs) => tripsNow(inputs).map(({ kind, marketId }) => `${kind} ${marketId ?? "account"}`);

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

describe("while a print is unconfirmed", () => {
  const doubtful = { price: usd(150), publishedMs: 1, isDated: true };
  const unconfirmed = { ...nothingObserved, prints: { ...trusting(200), doubtful } };
  const trusted = { ...nothingObserved, prints: trusting(200) };
  const lost = (nowMs: number, observed: Observed): RiskInputs => {
    const inputs = broken(
      {
        marketDailyPnl: now(result(-600)),
        accountDailyPnl: now(result(-600)),
        isAccountPnlUnconfirmed: true,
        observed,
      },
      { maxLoss: 600 },
    );
    return { ...inputs, view: { ...inputs.view, nowMs } };
  };
  const watchedAt = (nowMs: number, observed: Observed): Observed => observeLosses(observed, lost(nowMs, observed));

  test("a loss halts once it has lasted 60 s, and no sooner: bids that vanish are no halt from afar", () => {
    const since = watchedAt(90_000, watchedAt(1000, unconfirmed));
    expect(told(lost(1000, unconfirmed))).toEqual([]);
    expect(told(lost(60_999, since))).toEqual([]);
    expect(told(lost(61_000, since))).toEqual(["loss 1", "loss account", "drawdown 1", "drawdown account"]);
  });

  test("a loss that ends in between begins its minute again", () => {
    const recovered = observeLosses(watchedAt(1000, unconfirmed), {
      ...lost(30_000, unconfirmed),
      state: { ...healthy.state, isAccountPnlUnconfirmed: true },
    });
    expect(told(lost(61_000, watchedAt(40_000, recovered)))).toEqual([]);
  });

  test.each<readonly [string, Partial<RiskInputs["state"]>, Observed, object]>([
    [
      "this market's print, both losses",
      { isAccountPnlUnconfirmed: false },
      unconfirmed,
      { market: 1000, account: 1000 },
    ],
    [
      "another market's print, both losses",
      { isAccountPnlUnconfirmed: true },
      trusted,
      { market: 1000, account: 1000 },
    ],
    ["a loss of the market alone", { accountDailyPnl: now(result(0)) }, unconfirmed, { market: 1000, account: null }],
    ["a loss of the account alone", { marketDailyPnl: now(result(0)) }, unconfirmed, { market: null, account: 1000 }],
  ])("whose loss is watched from now on: %s", (_, state, observed, since) => {
    const inputs = lost(1000, observed);
    expect(
      observeLosses(inputs.state.observed, { ...inputs, state: { ...inputs.state, ...state } }).lossSinceMs,
    ).toEqual(since);
  });

  test.each([[{ market: 5, account: null }], [{ market: null, account: 5 }]])(
    "nothing is observed once everything is confirmed: %o",
    (lossSinceMs) => {
      const settled: Observed = trusted;
      expect(observeLosses({ ...settled, lossSinceMs }, healthy).lossSinceMs).toEqual({ market: null, account: null });
      expect(observeLosses(settled, healthy)).toBe(settled);
    },
  );

  test("INCREASE closes at once", () => {
    const closed = readGates(lost(1000, unconfirmed)).filter((one) => one.closed !== null);
    expect(closed.map(({ gate }) => gate)).toEqual(["printMove", "dailyPnl"]);
  });

  test("the doubt of another market holds back the account's halt, and not this market's", () => {
    expect(told(lost(1000, { ...nothingObserved, prints: trusting(200) }))).toEqual(["loss 1", "drawdown 1"]);
  });

  test("once the print is trusted a loss halts at once", () => {
    const settled = { ...lost(2000, { ...watchedAt(1000, unconfirmed), prints: trusting(200) }) };
    expect(told({ ...settled, state: { ...settled.state, isAccountPnlUnconfirmed: false } })).toHaveLength(4);
    const observed = { ...watchedAt(1000, unconfirmed), prints: trusting(200) };
    expect(observeLosses(observed, healthy).lossSinceMs).toEqual({ market: null, account: null });
  });
});

describe("repeated execution", () => {
  const filled = (fills: number, contracts: number) => {
    let observed = nothingObserved;
    for (let fill = 0; fill < fills; fill += 1)
      observed = observeFill(observed, lots(contracts), healthy.view.nowMs - 1000);
    return broken({ observed });
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
  const inputs = broken({ marketDailyPnl: now(result(-700)) });
  const [loss, drawdown] = tripsNow(inputs);
  expect(loss).toEqual({
    kind: "loss",
    accountId: account,
    marketId: 1,
    holds: "halted",
    reason: "the day's loss of 700 USDC reached the market's limit",
    numbers: { pnl: micros(-700), maxLoss: micros(500) },
  });
  const latched = { ...inputs, state: { ...inputs.state, latches: loss && drawdown ? [loss, drawdown] : [] } };
  expect(tripsNow(latched)).toEqual([]);
});

test("every kind of trip is one that is tested here", () => {
  expect(trips.map(({ kind }) => kind)).toEqual(["loss", "drawdown", "repeatedExecution", "cannotAct"]);
});

test("the best result of a day begins at nothing and only rises", () => {
  let day = nextDailyPnl(null, micros(-5));
  expect(day).toEqual(result(-5, 0));
  day = nextDailyPnl(day, micros(7));
  expect(day).toEqual(result(7, 7));
  expect(nextDailyPnl(day, micros(3))).toEqual(result(3, 7));
});

describe("an account whose orders the exchange rejects", () => {
  const rejected: SubmitOutcome = { kind: "rejected", httpStatus: 400, error: "unknown signer" };
  /** One answer every ten seconds. */
  const toldAfter = (...outcomes: readonly SubmitOutcome[]) => {
    let rejections: Rejections | null = null;
    for (const [at, outcome] of outcomes.entries()) rejections = observeRejection(rejections, outcome, at * 10_000);
    return told(broken({ rejections }));
  };
  const times = (count: number, outcome: SubmitOutcome) => Array.from({ length: count }, () => outcome);

  test("halts after a minute", () => {
    expect(toldAfter(...times(6, rejected))).toEqual([]);
    expect(toldAfter(...times(7, rejected))).toEqual(["cannotAct account"]);
  });

  test.each<SubmitOutcome>([
    { kind: "rateLimited", error: "too many requests", retryAfterMs: null },
    { kind: "unknown", why: "timeout" },
    { kind: "notSent", why: "connection" },
  ])("forbidden: to halt in a night of $kind", (outcome) => {
    expect(toldAfter(...times(5000, outcome))).toEqual([]);
    expect(toldAfter(...times(3, rejected), ...times(5000, outcome), ...times(3, rejected))).toEqual([]);
  });

  test("edge: an order that was taken, or refused after execution, ends the row", () => {
    const executed: SubmitOutcome = { kind: "executed", hash: "1", events: [] };
    const refused: SubmitOutcome = { kind: "refused", hash: "1", error: "post only" };
    expect(toldAfter(...times(6, rejected), executed, ...times(6, rejected))).toEqual([]);
    expect(toldAfter(...times(6, rejected), refused, ...times(6, rejected))).toEqual([]);
  });

  test("edge: a minute apart they still belong together", () => {
    const counted = (atMs: number) => observeRejection(observeRejection(null, rejected, 0), rejected, atMs)?.count;
    expect([counted(60_000), counted(60_001)]).toEqual([2, 1]);
  });

  test("edge: a few may be chance", () => {
    let rejections = observeRejection(null, rejected, 0);
    for (const atMs of [30_000, 60_000, 90_000]) rejections = observeRejection(rejections, rejected, atMs);
    expect(told(broken({ rejections }))).toEqual([]);
    expect(told(broken({ rejections: observeRejection(rejections, rejected, 90_001) }))).toEqual(["cannotAct account"]);
  });
});
