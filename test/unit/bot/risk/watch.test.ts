// What the guard remembers between turns: pauses that end by themselves, and counts that forget.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readGates } from "../../../../src/bot/risk/gates/gates.ts";
import {
  type JudgedFill,
  newWatch,
  volatilityBoundBps,
  type Watch,
  watchAdd,
  watchAnswer,
  watchFill,
  watchMarkout,
  watchView,
} from "../../../../src/bot/risk/watch.ts";
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
const isClosed = (watch: Watch, gate: string, view: View) =>
  readGates({ ...healthy, view, state: { ...healthy.state, watch } }).some(
    (one) => one.gate === gate && one.closed !== null,
  );

test("takes in the print of now; a turn without news changes nothing", () => {
  const before = watchView(newWatch, print(200, 1000), limits);
  expect(before.prints.trusted?.price).toBe(usd(200));
  expect(watchView(before, print(200, 9000), limits)).toBe(before);
  expect(isClosed(before, "printMove", print(205, 2000))).toBe(true);
});

test("volatility beyond the limit pauses for its cool-down after it was last seen", () => {
  const bound = volatilityBoundBps(healthyView.signals, limits);
  const wild = (volatilityBps: number | null, nowMs: number): View => ({
    ...healthyView,
    nowMs,
    signals: { ...healthyView.signals, volatilityBps },
  });
  let watch = watchView(newWatch, wild(bound + 0.1, 1000), limits);
  watch = watchView(watch, wild(bound + 0.1, 5000), limits);
  watch = watchView(watch, wild(null, 6000), limits);
  expect(isClosed(watch, "volatility", wild(1, 5000 + limits.volatilityCoolDownMs - 1))).toBe(true);
  expect(isClosed(watch, "volatility", wild(1, 5000 + limits.volatilityCoolDownMs))).toBe(false);
});

test("volatility at the limit does not pause", () => {
  const volatilityBps = volatilityBoundBps(healthyView.signals, limits);
  const view: View = { ...healthyView, signals: { ...healthyView.signals, volatilityBps } };
  expect(watchView(newWatch, view, limits).pausedUntil.volatilityMs).toBe(0);
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
    outcomes.reduce((watch, outcome, index) => watchAnswer(watch, outcome, limits, 1000 + index), newWatch);
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
      (watch, outcome) => watchAnswer(watch, outcome, few, 70_000),
      answers(...times(3, executed)),
    );
    expect(later.pausedUntil.rejectRatioMs).toBeGreaterThan(0);
  });

  test("being asked to slow down, and an answer that was lost, are no refusals and no answers", () => {
    const silent: readonly SubmitOutcome[] = [
      { kind: "unknown", why: "" },
      { kind: "notSent", why: "" },
    ];
    const watch = answers(...times(50, throttled), ...silent);
    expect(watch.pausedUntil.rejectRatioMs).toBe(0);
    expect(within(watch.answers, 2000).count).toBe(0);
  });

  test("after the pause the ratio begins anew", () => {
    const paused = answers(...times(20, refused));
    const later = 1000 + 19 + limits.rejectCoolDownMs;
    expect(isClosed(paused, "rejectRatio", { ...healthyView, nowMs: later - 1 })).toBe(true);
    expect(isClosed(paused, "rejectRatio", { ...healthyView, nowMs: later })).toBe(false);
    expect(watchAnswer(paused, refused, limits, later).pausedUntil).toEqual(paused.pausedUntil);
  });
});

describe("fills that the price moved against", () => {
  type Told = Partial<JudgedFill> & { readonly markoutBps: number };
  /** Buys of a contract, two seconds apart, unless told otherwise. */
  const told = (fills: readonly Told[], changes: Partial<typeof limits> = {}, horizon = "60s") =>
    fills.reduce(
      (watch, fill, nth) =>
        watchMarkout(
          watch,
          horizon,
          { side: "buy", atMs: 2000 * nth, contracts: 1, halfSpreadBps: 4, ...fill },
          { ...limits, ...changes },
          1000,
        ),
      newWatch,
    );
  const times = (count: number, markoutBps: number, of: Partial<JudgedFill> = {}): readonly Told[] =>
    Array.from({ length: count }, () => ({ ...of, markoutBps }));
  const at = (nowMs: number): View => ({ ...healthyView, nowMs });
  const pauses = (watch: Watch) => isClosed(watch, "adverseFills", at(1000));
  /** Every other fill is a sale. */
  const bothSides = (count: number, buys: number, sells: number): readonly Told[] =>
    Array.from({ length: count }, (_, nth) =>
      nth % 2 === 0 ? { markoutBps: buys } : { side: "sell" as const, markoutBps: sells },
    );

  test("a mean of the last 50 below minus one half-spread closes for five minutes, and says what it was", () => {
    expect(pauses(told([...times(50, -3.5), ...times(49, -4.01)]))).toBe(false);
    const adverse = told([...times(50, -3.5), ...times(50, -4.01)]);
    expect(isClosed(adverse, "adverseFills", at(300_999))).toBe(true);
    expect(isClosed(adverse, "adverseFills", at(301_000))).toBe(false);
    expect(adverse.adverse).toMatchObject({ horizon: "60s", halfSpreadBps: 4 });
    expect(adverse.adverse?.markoutBps).toBeCloseTo(-4.01, 9);
  });

  test("at minus one half-spread it does not, nor do fewer than 50 of one side however bad", () => {
    expect(pauses(told(times(50, -4)))).toBe(false);
    expect(pauses(told(times(49, -400)))).toBe(false);
  });

  test("where both sides lose, nine on each are enough; a side that gains saves nothing but the wait for 50", () => {
    expect(pauses(told(bothSides(17, -40, -4.01)))).toBe(false);
    expect(pauses(told(bothSides(18, -40, -4.01)))).toBe(true);
    expect(pauses(told(bothSides(49, -40, -4)))).toBe(false);
    expect(pauses(told(bothSides(50, -40, -4)))).toBe(true);
  });

  test("fills count by their size: many small good ones hide no large bad one", () => {
    const hidden = times(40, 5, { contracts: 0.01 });
    expect(pauses(told([...hidden, ...times(10, -40)]))).toBe(true);
  });

  test("fills of a side within a second are one", () => {
    const burst = times(60, -400).map((fill, nth) => ({ ...fill, atMs: 10 * nth }));
    expect(pauses(told(burst))).toBe(false);
    const pairs = (apartMs: number) =>
      times(60, -400).map((fill, nth) => ({ ...fill, atMs: 10_000 * (nth >> 1) + apartMs * (nth & 1) }));
    expect(pauses(told(pairs(999)))).toBe(false);
    expect(pauses(told(pairs(1000)))).toBe(true);
    const mixed = told([
      { markoutBps: -30, atMs: 0, contracts: 3 },
      { markoutBps: 10, atMs: 500, contracts: 1, halfSpreadBps: 8 },
    ]);
    expect(mixed.judgedFills["60s"]).toMatchObject([{ contracts: 4, markoutBps: -20, halfSpreadBps: 5 }]);
  });

  test("each horizon is judged alone, and one is enough", () => {
    const watch = ["1s", "10s"].reduce(
      (before, horizon) =>
        times(49, -400).reduce(
          (now, fill, nth) =>
            watchMarkout(
              now,
              horizon,
              { side: "buy", atMs: 2000 * nth, contracts: 1, halfSpreadBps: 4, ...fill },
              limits,
              1000,
            ),
          before,
        ),
      newWatch,
    );
    expect(pauses(watch)).toBe(false);
    const last = { side: "buy", atMs: 200_000, contracts: 1, halfSpreadBps: 4, markoutBps: -400 } as const;
    expect(watchMarkout(watch, "10s", last, limits, 1000).adverse).toMatchObject({ horizon: "10s" });
  });

  test.each([
    ["60s", 1],
    ["300s", 2],
    ["1s", 2],
    ["10s", 2],
    ["drawnSoon", 2],
    ["drawnLate", 2],
  ])("after %s, %d half-spreads may be lost", (horizon, most) => {
    expect(pauses(told(times(50, -4 * most), {}, horizon))).toBe(false);
    expect(pauses(told(times(50, -4 * most - 0.01), {}, horizon))).toBe(true);
  });

  test("as many half-spreads and fills as configured", () => {
    expect(pauses(told(times(50, -8), { maxAdverseHalfSpreads: 2 }))).toBe(false);
    expect(pauses(told(times(50, -8.01), { maxAdverseHalfSpreads: 2 }))).toBe(true);
    expect(pauses(told(times(2, -5), { adverseFillsMin: 2 }))).toBe(true);
  });

  test("after the pause only new fills tell; what is no number closes", () => {
    const fill = { side: "buy", atMs: 390_000, contracts: 1, markoutBps: -5, halfSpreadBps: 4 } as const;
    const again = watchMarkout(told(times(50, -5)), "60s", fill, limits, 400_000);
    expect(isClosed(again, "adverseFills", at(400_000))).toBe(false);
    expect(pauses(told(times(50, Number.NaN)))).toBe(true);
  });
});

test("fills and adding commands are counted over a minute and a second", () => {
  let watch = newWatch;
  for (let at = 0; at < 10; at += 1) watch = watchAdd(watchFill(watch, lots(0.5), at * 100), at * 100);
  expect(within(watch.fills, 1000)).toEqual({ count: 10, amount: lots(5) });
  expect(within(watch.adds, 900).count).toBe(10);
  expect(within(watch.adds, 2000).count).toBe(0);
  expect(within(watch.fills, 66_000).count).toBe(0);
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
