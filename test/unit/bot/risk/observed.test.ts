// What the guard remembers between turns: pauses that end by themselves, and counts that forget.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readGates } from "../../../../src/bot/risk/gates/gates.ts";
import {
  nothingObserved,
  type Observed,
  observeAdd,
  observeAnswer,
  observeFill,
  observeView,
  volatilityBoundBps,
} from "../../../../src/bot/risk/observed.ts";
import { emptyWindow, record, within } from "../../../../src/bot/risk/window.ts";
import type { SubmitOutcome } from "../../../../src/domain/event.ts";
import type { View } from "../../../../src/domain/view.ts";
import { healthy } from "./closings.ts";
import { healthyLimits, healthyView, lots, now, oracle, usd } from "./healthy.ts";

const limits = healthyLimits.market;
const print = (at: number, nowMs: number): View => ({
  ...healthyView,
  nowMs,
  oracle: now({ ...oracle, price: usd(at) }),
});
const isClosed = (observed: Observed, gate: string, view: View) =>
  readGates({ ...healthy, view, state: { ...healthy.state, observed } }).some(
    (one) => one.gate === gate && one.closed !== null,
  );

test("takes in the print of now; a turn without news changes nothing", () => {
  const before = observeView(nothingObserved, print(200, 1000), limits);
  expect(before.prints.trusted?.price).toBe(usd(200));
  expect(observeView(before, print(200, 9000), limits)).toBe(before);
  expect(isClosed(before, "printMove", print(205, 2000))).toBe(true);
});

test("volatility beyond the limit pauses for its cool-down after it was last seen", () => {
  const bound = volatilityBoundBps(healthyView.signals, limits);
  const wild = (volatilityBps: number | null, nowMs: number): View => ({
    ...healthyView,
    nowMs,
    signals: { ...healthyView.signals, volatilityBps },
  });
  let observed = observeView(nothingObserved, wild(bound + 0.1, 1000), limits);
  observed = observeView(observed, wild(bound + 0.1, 5000), limits);
  observed = observeView(observed, wild(null, 6000), limits);
  expect(isClosed(observed, "volatility", wild(1, 5000 + limits.volatilityCoolDownMs - 1))).toBe(true);
  expect(isClosed(observed, "volatility", wild(1, 5000 + limits.volatilityCoolDownMs))).toBe(false);
});

test("volatility at the limit does not pause", () => {
  const volatilityBps = volatilityBoundBps(healthyView.signals, limits);
  const view: View = { ...healthyView, signals: { ...healthyView.signals, volatilityBps } };
  expect(observeView(nothingObserved, view, limits).pausedUntil.volatilityMs).toBe(0);
});

test("without a limit six times what is usual, at least 1; in the first hour nobody knows that, and 100 is; a limit counts before all", () => {
  const bound = (slowVolatilityBps: number | null, maxVolatilityBps: number | null = null) =>
    volatilityBoundBps({ volatilityBps: 1, slowVolatilityBps }, { maxVolatilityBps });
  expect([bound(0.5), bound(0.01), bound(null), bound(0.5, 7)]).toEqual([3, 1, 100, 7]);
});

describe("refusals", () => {
  const refused: SubmitOutcome = { kind: "refused", hash: "", error: "insufficient margin" };
  const executed: SubmitOutcome = { kind: "executed", hash: "", events: [] };
  const throttled: SubmitOutcome = { kind: "rateLimited", error: "", retryAfterMs: null };
  const rejected: SubmitOutcome = { kind: "rejected", httpStatus: 400, error: "" };
  const answers = (...outcomes: readonly SubmitOutcome[]) =>
    outcomes.reduce(
      (observed, outcome, index) => observeAnswer(observed, outcome, limits, 1000 + index),
      nothingObserved,
    );
  const times = (count: number, outcome: SubmitOutcome) => Array.from({ length: count }, () => outcome);

  test("more than half of twenty pause, half does not, and nineteen are too few", () => {
    expect(answers(...times(9, executed), ...times(11, refused)).pausedUntil.rejectRatioMs).toBeGreaterThan(0);
    expect(answers(...times(10, executed), ...times(10, rejected)).pausedUntil.rejectRatioMs).toBe(0);
    expect(answers(...times(19, rejected)).pausedUntil.rejectRatioMs).toBe(0);
  });

  test("an order that was executed pauses nothing, even where it is the twentieth answer; the next refusal does", () => {
    const recovering = [...times(19, refused), executed];
    expect(answers(...recovering).pausedUntil.rejectRatioMs).toBe(0);
    expect(answers(...recovering, refused).pausedUntil.rejectRatioMs).toBeGreaterThan(0);
  });

  test("more than half of the last five must have failed too: a refusal after an outage that is over pauses nothing", () => {
    const outage = times(19, rejected);
    expect(answers(...outage, ...times(2, executed), refused).pausedUntil.rejectRatioMs).toBeGreaterThan(0);
    expect(answers(...outage, ...times(3, executed), refused).pausedUntil.rejectRatioMs).toBe(0);
  });

  test("those of the last five that are older than a minute say nothing", () => {
    const few = { ...limits, rejectSamplesMin: 2 };
    const later = times(2, refused).reduce(
      (observed, outcome) => observeAnswer(observed, outcome, few, 70_000),
      answers(...times(3, executed)),
    );
    expect(later.pausedUntil.rejectRatioMs).toBeGreaterThan(0);
  });

  test("being asked to slow down, and an answer that was lost, are no refusals and no answers", () => {
    const silent: readonly SubmitOutcome[] = [
      { kind: "unknown", why: "" },
      { kind: "notSent", why: "" },
    ];
    const observed = answers(...times(50, throttled), ...silent);
    expect(observed.pausedUntil.rejectRatioMs).toBe(0);
    expect(within(observed.answers, 2000).count).toBe(0);
  });

  test("after the pause the ratio starts over", () => {
    const paused = answers(...times(20, refused));
    const later = 1000 + 19 + limits.rejectCoolDownMs;
    expect(isClosed(paused, "rejectRatio", { ...healthyView, nowMs: later - 1 })).toBe(true);
    expect(isClosed(paused, "rejectRatio", { ...healthyView, nowMs: later })).toBe(false);
    expect(observeAnswer(paused, refused, limits, later).pausedUntil).toEqual(paused.pausedUntil);
  });
});

test("fills and adding commands are counted over a minute and a second", () => {
  let observed = nothingObserved;
  for (let at = 0; at < 10; at += 1) observed = observeAdd(observeFill(observed, lots(0.5), at * 100), at * 100);
  expect(within(observed.fills, 1000)).toEqual({ count: 10, amount: lots(5) });
  expect(within(observed.adds, 900).count).toBe(10);
  expect(within(observed.adds, 2000).count).toBe(0);
  expect(within(observed.fills, 66_000).count).toBe(0);
});

test("a window is as small as its buckets, however much happens, and lets go to the millisecond", () => {
  let window = emptyWindow(120);
  for (let event = 0; event < 1000; event += 1) window = record(window, 5, 1n);
  expect(window.buckets).toHaveLength(1);
  expect(within(window, 129).count).toBe(1000);
  expect(within(window, 130).count).toBe(0);
});

describe("law of the window", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 200 });

  test("it counts all within the span, and nothing older than the span and a twelfth", () => {
    fc.assert(
      fc.property(gaps, (drawn) => {
        let window = emptyWindow(120);
        let at = 0;
        const times: number[] = [];
        for (const gap of drawn) {
          at += gap;
          times.push(at);
          window = record(window, at, 2n);
        }
        const { count, amount } = within(window, at);
        expect(count).toBeGreaterThanOrEqual(times.filter((time) => time > at - 120).length);
        expect(count).toBeLessThanOrEqual(times.filter((time) => time > at - 120 - 10).length);
        expect(amount).toBe(BigInt(count) * 2n);
        expect(window.buckets.length).toBeLessThanOrEqual(14);
      }),
    );
  });
});
