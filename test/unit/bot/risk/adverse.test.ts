// What is done about fills that the price moves against: by side and phase, first further away, then smaller, then nothing; little after few
// fills, undone by time and by good ones.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type AdverseFills,
  type Answer,
  adverseLevels,
  answerOf,
  answersOf,
  type JudgedFill,
  judgeFill,
  noAdverseFills,
  type Phase,
  phaseOf,
} from "../../../../src/bot/risk/adverse.ts";
import { check, checkKept } from "../../../../src/bot/risk/guard.ts";
import { nothingObserved } from "../../../../src/bot/risk/observed.ts";
import type { Side } from "../../../../src/domain/units.ts";
import type { View } from "../../../../src/domain/view.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import {
  chainTimeMs,
  healthyLimits,
  healthyState,
  healthyView,
  order,
  place,
  withInventory,
  withOrders,
} from "./healthy.ts";

const limits = healthyLimits.market;
const HALF_SPREAD = 4;

type Told = Partial<JudgedFill> & { readonly markoutBps: number };

/** Sales of a contract between prints, a minute apart, each judged 60 s after it. */
const told = (
  fills: readonly Told[],
  {
    changes = {},
    horizon = "60s",
    from = noAdverseFills,
  }: {
    readonly changes?: Partial<typeof limits>;
    readonly horizon?: string;
    readonly from?: AdverseFills;
  } = {},
): AdverseFills =>
  fills.reduce<AdverseFills>((state, fill, nth) => {
    const atMs = fill.atMs ?? 60_000 * nth;
    const judged = {
      side: "sell",
      phase: "open",
      contracts: 1,
      halfSpreadBps: HALF_SPREAD,
      widened: 0,
      ...fill,
      atMs,
    } as const;
    return judgeFill(state, horizon, judged, { ...limits, ...changes }, atMs);
  }, from);

const times = (count: number, halfSpreads: number, of: Partial<JudgedFill> = {}): readonly Told[] =>
  Array.from({ length: count }, () => ({ ...of, markoutBps: halfSpreads * HALF_SPREAD }));

const answer = (
  state: AdverseFills,
  {
    side = "sell",
    phase = "open",
    nowMs = 0,
    changes = {},
  }: {
    readonly side?: Side;
    readonly phase?: Phase;
    readonly nowMs?: number;
    readonly changes?: Partial<typeof limits>;
  } = {},
): Answer => answerOf(state, side, phase, { ...limits, ...changes }, nowMs);

/** How much it does, as one number. */
const weightOf = ({ level, widened, share }: Answer): number => 100 * adverseLevels.indexOf(level) + widened - share;

describe("how much is done", () => {
  test("nothing before a fill, nothing about fills that win, and nothing about one fill however bad", () => {
    expect(answer(noAdverseFills).level).toBe("none");
    expect(answer(told(times(50, 0.5))).level).toBe("none");
    expect(answer(told(times(1, -1000))).level).toBe("none");
    expect(answer(told(times(1, Number.NaN))).level).toBe("none");
  });

  test("fills that lose one and a half half-spreads: it widens within five, shrinks within ten, stops within thirty", () => {
    const levels = Array.from(
      { length: 40 },
      (_, nth) => answer(told(times(nth + 1, -1.5)), { nowMs: 60_000 * nth }).level,
    );
    const first = (level: string) => levels.indexOf(level as never) + 1;
    expect(first("widened")).toBeLessThanOrEqual(5);
    expect(first("shrunk")).toBeLessThanOrEqual(10);
    expect(first("stopped")).toBeGreaterThan(15);
    expect(first("stopped")).toBeLessThanOrEqual(30);
  });

  test("fills that lose five: it stops at the fourth, and no sooner", () => {
    expect(answer(told(times(3, -5)))).toMatchObject({ level: "shrunk" });
    expect(answer(told(times(4, -5)))).toMatchObject({ level: "stopped" });
  });

  test("a side stands away by what its fills surely lose, and has half, then a quarter of its size", () => {
    expect(answer(told(times(6, -1.5)))).toMatchObject({ level: "widened", widened: 0.5, share: 1 });
    expect(answer(told(times(8, -1.5)))).toMatchObject({ level: "shrunk", widened: 0.75, share: 0.5 });
    expect(answer(told(times(12, -1.5)))).toMatchObject({ level: "shrunk", widened: 1, share: 0.25 });
    expect(answer(told(times(8, -1.5))).cause).toMatchObject({ horizon: "60s", halfSpreads: expect.closeTo(-1.5, 6) });
  });

  test("fills that lose one half-spread never stop it, however many", () => {
    expect(answer(told(times(500, -1)), { nowMs: 500 * 60_000 }).level).toBe("shrunk");
  });

  test("as many half-spreads and fills as configured; 0 stops at any sure loss, 1000 does nothing", () => {
    expect(answer(told(times(12, -1.5)), { changes: { maxAdverseHalfSpreads: 4 } }).level).toBe("none");
    expect(answer(told(times(12, -3)), { changes: { maxAdverseHalfSpreads: 1000 } }).level).toBe("none");
    expect(answer(told(times(4, -1.5)), { changes: { maxAdverseHalfSpreads: 0 } }).level).toBe("stopped");
    const patient = { adverseFillsMin: 60 };
    expect(answer(told(times(50, -5), { changes: patient }), { changes: patient }).level).toBe("shrunk");
    expect(answer(told(times(70, -5), { changes: patient }), { changes: patient }).level).toBe("stopped");
  });
});

describe("what counts", () => {
  const bad = told(times(20, -3));

  test("the side and the phase of the fill, and no other", () => {
    expect(answer(bad).level).toBe("stopped");
    for (const phase of ["open", "beforePrint", "afterPrint"] as const)
      expect(answer(bad, { side: "buy", phase }).level).toBe("none");
    expect(answer(bad, { phase: "beforePrint" }).level).toBe("none");
    expect(answer(told(times(20, -3, { phase: "beforePrint" })), { phase: "beforePrint" }).level).toBe("stopped");
  });

  test.each([
    ["60s", 1],
    ["300s", 2],
    ["1s", 2],
    ["drawnSoon", 2],
  ])("after %s a fill may lose %d times as much; the worst horizon decides", (horizon, most) => {
    const at = (halfSpreads: number) => answer(told(times(8, halfSpreads), { horizon })).widened;
    expect(at(-1.5 * most)).toBe(0.75);
    expect(at(-1.25 * most)).toBeLessThan(0.75);
    const mixed = told(times(8, -1.5 * most), { horizon, from: told(times(40, 1), { horizon: "10s" }) });
    expect(answer(mixed)).toMatchObject({ widened: 0.75, cause: { horizon } });
  });

  test("fills of a side within a second are one; dust hides no large one", () => {
    const burst = times(60, -5).map((fill, nth) => ({ ...fill, atMs: 10 * nth }));
    expect(answer(told(burst)).level).toBe("none");
    const apart = times(4, -5).map((fill, nth) => ({ ...fill, atMs: 1000 * nth }));
    expect(answer(told(apart)).level).toBe("stopped");
    const dust = times(40, 3, { contracts: 0.001 });
    const soon = (fills: readonly Told[]) => told(fills.map((fill, nth) => ({ ...fill, atMs: 2000 * nth })));
    expect(answer(soon([...times(8, -1.5), ...dust])).level).toBe("shrunk");
    expect(answer(soon([...dust, ...times(8, -1.5)])).level).toBe("shrunk");
  });

  test("a fill counts as it would have been at the strategy's own distance", () => {
    expect(answer(told(times(8, -0.5, { widened: 1 })))).toEqual(answer(told(times(8, -1.5))));
  });

  test("a half-spread that is not known counts by the sign of the markout", () => {
    expect(answer(told(times(4, -1, { halfSpreadBps: 0 }))).level).toBe("stopped");
    expect(answer(told(times(40, 1, { halfSpreadBps: 0 }))).level).toBe("none");
  });
});

describe("recovery", () => {
  const stopped = told(times(30, -3));
  const hoursLater = (hours: number) => answer(stopped, { nowMs: 30 * 60_000 + hours * 3_600_000 });

  test("by time: slowly, one step after the other", () => {
    const levels = Array.from({ length: 60 }, (_, half) => hoursLater(half / 2));
    expect(levels[0]?.level).toBe("stopped");
    expect(hoursLater(2).level).toBe("stopped");
    expect(levels.map(weightOf)).toEqual(levels.map(weightOf).toSorted((a, b) => b - a));
    expect(new Set(levels.map(({ level }) => level))).toEqual(new Set(["stopped", "shrunk", "widened", "none"]));
  });

  test("by good fills", () => {
    const better = told(
      times(12, 1).map((fill, nth) => ({ ...fill, atMs: 1_800_000 + 60_000 * nth })),
      { from: stopped },
    );
    expect(weightOf(answer(better, { nowMs: 2_520_000 }))).toBeLessThan(
      weightOf(answer(stopped, { nowMs: 1_800_000 })),
    );
    const many = told(
      times(60, 1).map((fill, nth) => ({ ...fill, atMs: 1_800_000 + 60_000 * nth })),
      { from: stopped },
    );
    expect(answer(many, { nowMs: 5_400_000 }).level).toBe("none");
  });
});

test("law: no markout that is worse loosens anything, at any horizon, size, time or phase", () => {
  const fill = fc.record({
    side: fc.constantFrom<Side>("buy", "sell"),
    phase: fc.constantFrom<Phase>("open", "beforePrint"),
    horizon: fc.constantFrom("60s", "1s"),
    afterMs: fc.integer({ min: 0, max: 600_000 }),
    contracts: fc.double({ min: 0.01, max: 5, noNaN: true }),
    halfSpreads: fc.double({ min: -4, max: 4, noNaN: true }),
  });
  const worse = fc.double({ min: 0, max: 6, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(fill, worse), { minLength: 1, maxLength: 40 }), (fills) => {
      let [better, bad, atMs] = [noAdverseFills, noAdverseFills, 0];
      for (const [{ halfSpreads, horizon, afterMs, ...rest }, by] of fills) {
        atMs += afterMs;
        const judged = { ...rest, atMs, halfSpreadBps: HALF_SPREAD, widened: 0 };
        better = judgeFill(better, horizon, { ...judged, markoutBps: halfSpreads * HALF_SPREAD }, limits, atMs);
        bad = judgeFill(bad, horizon, { ...judged, markoutBps: (halfSpreads - by) * HALF_SPREAD }, limits, atMs);
        for (const side of ["buy", "sell"] as const)
          for (const phase of ["open", "beforePrint"] as const) {
            const [one, other] = [better, bad].map((state) => answer(state, { side, phase, nowMs: atMs }));
            expect(weightOf(other!)).toBeGreaterThanOrEqual(weightOf(one!));
          }
      }
    }),
  );
});

test("the phase: before a print from half an hour on, at most an eighth of the time between two, late ones too; after one for five minutes", () => {
  const at = (sinceMs: number, everyMs = 86_400_000, earlyMs = 0) => {
    const atMs = chainTimeMs - sinceMs + everyMs;
    const nextPrint = { atMs, earliestMs: atMs - earlyMs, lastMs: chainTimeMs - sinceMs, everyMs };
    return phaseOf({ ...healthyView, signals: { ...healthyView.signals, nextPrint } });
  };
  const MINUTE = 60_000;
  expect([0, 5 * MINUTE - 1, 5 * MINUTE].map((since) => at(since))).toEqual(["afterPrint", "afterPrint", "open"]);
  expect([1440 - 31, 1440 - 30, 1440, 1500].map((minutes) => at(minutes * MINUTE))).toEqual([
    "open",
    "beforePrint",
    "beforePrint",
    "beforePrint",
  ]);
  expect(at(1440 * MINUTE - 60 * MINUTE, 86_400_000, 45 * MINUTE)).toBe("beforePrint");
  expect([7, 8, 52, 53].map((sec) => at(sec * 1000, 60_000))).toEqual(["afterPrint", "open", "open", "beforePrint"]);
  expect(phaseOf({ ...healthyView, signals: { ...healthyView.signals, nextPrint: null } })).toBe("open");
});

/**
 * Noise takers on both sides, whose fills gain; and, of those that buy, most know where the price goes: our sales lose. The distance that a
 * side stands further away keeps part of its takers away, and what it earns more is its own.
 */
test("informed flow on one side: that side widens within ten fills, then shrinks, then stops; the other one is never touched", () => {
  const prng = createPrng(7n);
  let state = noAdverseFills;
  let nowMs = 0;
  const first: Record<string, number> = {};
  let sales = 0;
  for (let fill = 0; fill < 400; fill += 1) {
    nowMs += 120_000 * prng.float();
    const side = fill % 2 === 0 ? "buy" : "sell";
    const { level, widened } = answer(state, { side, nowMs });
    if (level === "stopped") continue;
    const isInformed = side === "sell" && prng.float() < 0.8;
    const halfSpreads = (isInformed ? -2.5 : 0.8) + 0.8 * prng.gaussian() + widened;
    state = told([{ side, atMs: nowMs, widened, markoutBps: halfSpreads * HALF_SPREAD }], { from: state });
    if (side === "sell") sales += 1;
    first[answer(state, { nowMs }).level] ??= sales;
    expect(answer(state, { side: "buy", nowMs }).level).toBe("none");
  }
  expect(first.widened).toBeLessThanOrEqual(10);
  expect(first.shrunk).toBeGreaterThan(first.widened ?? Number.POSITIVE_INFINITY);
  expect(first.stopped).toBeGreaterThan(first.shrunk ?? Number.POSITIVE_INFINITY);
});

describe("the guard", () => {
  const state = {
    ...healthyState,
    observed: { ...nothingObserved, ...healthyState.observed, adverse: told(times(20, -3, { phase: "afterPrint" })) },
  };
  const view: View = { ...healthyView, nowMs: 1_200_000 };
  const denied = (at: View, side: Side, usdAt: number, reduceOnly = false) =>
    check([place(side, usdAt, 0.5, { reduceOnly })], at, healthyLimits, state).denied.flatMap(({ denials }) =>
      denials.map(({ reason }) => reason),
    );

  test("lets nothing add on a side that has stopped, and lets the other side and what reduces pass", () => {
    expect(answersOf(state.observed.adverse, view, limits).sell.level).toBe("stopped");
    expect(denied(view, "sell", 201)).toContain("adverseFills");
    expect(denied(view, "buy", 199)).not.toContain("adverseFills");
    expect(denied(withInventory(view, 3), "sell", 201, true)).not.toContain("adverseFills");
  });

  test("cancels what rests there", () => {
    const resting = withOrders(view, [order(1, "sell", 201, 1), order(2, "buy", 199, 1)]);
    const { approved } = checkKept([], resting, healthyLimits, state);
    expect(approved).toMatchObject([{ kind: "cancel", orderId: 1n }]);
  });
});
