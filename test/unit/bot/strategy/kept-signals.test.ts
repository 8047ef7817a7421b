// What the ledger may hold in place of a market's estimates: none of it may be quoted on. And what a long time unseen leaves of them.

import { describe, expect, test } from "vitest";
import { noFillIntensity } from "../../../../src/bot/strategy/fill-intensity.ts";
import { readSignalsText, signalsText } from "../../../../src/bot/strategy/kept-signals.ts";
import { floatsText, KeptError } from "../../../../src/bot/strategy/kept-text.ts";
import { noNowcast, nowcastUsd, observePrint } from "../../../../src/bot/strategy/nowcast.ts";
import { noPrintCalendar } from "../../../../src/bot/strategy/print-calendar.ts";
import { foldSignals, readSignals, type SignalState, startSignals } from "../../../../src/bot/strategy/signals.ts";
import {
  dayVolatilityBps,
  noVolatility,
  observeMid,
  slowVolatilityBps,
  type Volatility,
  volatilityBps,
  volatilityDataShares,
} from "../../../../src/bot/strategy/volatility.ts";
import { oracle, usd } from "../risk/healthy.ts";

const DAY_SEC = 86_400;
const saved = { monotonicMs: 5000, wallMs: 1_790_000_000_000 };
const origin = { chainId: "chain-2", name: "USA-HPI" };
const later = { monotonicMs: 77, wallMs: saved.wallMs + 1000 };

/** Moves by 2 bps each 10 s. */
function watched(seconds: number): Volatility {
  let state = noVolatility;
  for (let sec = 0; sec <= seconds; sec += 10) state = observeMid(state, sec % 20 === 0 ? 200 : 200.04, sec * 1000);
  return state;
}

describe("a text of the ledger", () => {
  const text = signalsText({ ...startSignals(1), volatility: watched(3600) }, origin, { ...saved, monotonicMs: 4e6 });
  const read = (changed: string) => readSignalsText(changed, 1, origin.chainId, later);
  const withPart = (path: readonly string[], value: unknown): string => {
    const whole = JSON.parse(text) as Record<string, unknown>;
    const last = path.at(-1) ?? "";
    const holder = path
      .slice(0, -1)
      .reduce<Record<string, unknown>>((of, key) => of[key] as Record<string, unknown>, whole);
    holder[last] = value;
    return JSON.stringify(whole);
  };

  test("comes back with the name of its market and the time since", () => {
    expect(read(text)).toMatchObject({ name: "USA-HPI", downMs: 1000 });
    expect(read(text).state.volatility.week).toEqual(watched(3600).week);
  });

  test("of a version that went by intervals alone still says when the next print is due", () => {
    const schedule = { publishedMs: 1e12, everyMs: 8e7, intervalsMs: [8e7], earlyMs: 5, lateMs: 6 };
    const state = read(withPart(["kept", "schedule"], schedule)).state;
    expect(readSignals(state).nextPrint).toEqual({
      atMs: 1e12 + 8e7,
      earliestMs: 1e12 + 8e7 - 5,
      lastMs: 1e12,
      everyMs: 8e7,
    });
    expect(state.schedule?.calendar).toEqual(noPrintCalendar);
  });

  test("of a version without averages goes on from what its other models learned", () => {
    const prints = Array.from({ length: 60 }, (_, day) => 200 * 1.0004 ** day);
    const lived = prints.reduce((state, price, day) => observePrint(state, price, day), noNowcast);
    const { path: _, averages: _averages, ...returns } = lived.returns;
    const { moves: _moves, ...rest } = lived;
    const old = { ...rest, returns: { ...returns, predicted: 0.0004 } };
    const { state } = read(withPart(["kept", "lived"], old));
    const [before, after] = [nowcastUsd(lived) ?? 0, nowcastUsd(state.lived) ?? 0];
    expect(after / before - 1).toBeGreaterThan(-0.000_02);
    expect(after / before - 1).toBeLessThan(0.000_02);
  });

  test("of a version that counted takers by depth learns how far they reach anew", () => {
    const whole = JSON.parse(withPart(["kept", "intensity"], { takers: 5, reached: [5, 3] }));
    delete whole.kept.reach;
    expect(read(JSON.stringify(whole)).state.intensity).toEqual(noFillIntensity);
  });

  test.each([
    ["nothing", "", "kept_unreadable", ""],
    ["cut off", text.slice(0, 200), "kept_unreadable", ""],
    ["no object", "[]", "kept_nonsense", ""],
    ["another version", withPart(["version"], 2), "kept_foreign", "they are of version 2, this program's is 1"],
    ["another shape of another version", '{"version":9,"chainId":"chain-2"}', "kept_foreign", "version 9"],
    ["another chain", withPart(["chainId"], "chain-3"), "kept_foreign", "they are of the chain chain-3"],
    [
      "NaN",
      withPart(["kept", "volatility", "hour", "squares"], Number.NaN),
      "kept_nonsense",
      "volatility.hour.squares",
    ],
    ["negative", withPart(["kept", "reach", "sums", "takers"], -1), "kept_nonsense", "reach.sums.takers"],
    ["a price of zero", withPart(["kept", "heldMidUsd"], 0), "kept_nonsense", "heldMidUsd"],
    ["a time to come", withPart(["kept", "learnedMs", "book"], 1), "kept_nonsense", "learnedMs.book"],
    ["a part missing", withPart(["kept", "lived"], undefined), "kept_nonsense", "lived"],
    ["a part too many", withPart(["extra"], 1), "kept_nonsense", "extra"],
    ["too few models", withPart(["kept", "lived", "returns", "scores"], [0]), "kept_nonsense", "lived.returns.scores"],
    [
      "too few averages",
      withPart(["kept", "lived", "returns", "averages", "scores"], "AAAAAA=="),
      "kept_nonsense",
      "lived.returns.averages.scores",
    ],
    [
      "an average that is no number",
      withPart(
        ["kept", "lived", "returns", "averages", "surprises"],
        floatsText(new Float32Array(972).fill(Number.NaN)),
      ),
      "kept_nonsense",
      "lived.returns.averages.surprises",
    ],
    [
      "no time of many samples",
      withPart(["kept", "volatility", "hour", "seconds"], 0),
      "kept_nonsense",
      "volatilityBps",
    ],
    ["a wild volatility", withPart(["kept", "volatility", "hour", "squares"], 1e6), "kept_nonsense", "volatilityBps"],
    ["a wild markout", withPart(["kept", "toxicity", "markout"], 1e9), "kept_nonsense", "markoutBps"],
  ])("%s is refused, with the reason", (_what, changed, code, reason) => {
    expect(() => read(changed)).toThrow(KeptError);
    expect(() => read(changed)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(reason) }));
  });

  test("a clock that was set back counts as no time", () => {
    const now = { monotonicMs: 10, wallMs: saved.wallMs - 3_600_000 };
    const { state, downMs } = readSignalsText(text, 1, origin.chainId, now);
    expect([downMs, state.volatility.last?.atMs]).toEqual([0, 10 + 3_600_000 - 4e6]);
  });
});

describe("time unseen", () => {
  test.each([60, 3600, 30 * DAY_SEC])(
    "%d s move no volatility, whatever the mid did meanwhile; and fade it",
    (gapSec) => {
      const before = watched(4 * 3600);
      const after = observeMid(before, 400, (4 * 3600 + gapSec) * 1000);
      for (const bps of [volatilityBps, dayVolatilityBps]) expect(bps(after)).toBeCloseTo(bps(before) ?? 0, 9);
      expect(after.hour.seconds).toBeCloseTo(Math.max(60, before.hour.seconds * 0.5 ** (gapSec / 3600)), 6);
      expect(after.week.seconds).toBeCloseTo(Math.max(60, before.week.seconds * 0.5 ** (gapSec / (7 * DAY_SEC))), 6);
    },
  );

  test("after days without the market one move of the mid does not speak for the hour", () => {
    const before = watched(4 * 3600);
    const backSec = 9 * DAY_SEC;
    const back = observeMid(before, 200, backSec * 1000);
    const moved = observeMid(back, 200.06, (backSec + 1) * 1000);
    expect((volatilityBps(moved) ?? 0) / (volatilityBps(before) ?? 1)).toBeLessThan(1.5);
  });

  test("what is usual is as much observed as of its week was seen", () => {
    expect(volatilityDataShares(noVolatility)).toEqual({ hour: 0, week: 0 });
    const shares = volatilityDataShares(watched(3600));
    expect(slowVolatilityBps(watched(3700))).not.toBe(null);
    expect(shares.hour).toBeCloseTo(0.5, 2);
    expect(shares.week).toBeCloseTo(1 - 0.5 ** (1 / 168), 4);
    expect(volatilityDataShares(watched(7 * DAY_SEC)).week).toBeCloseTo(0.5, 3);
  });

  describe("over prints", () => {
    const own = { orders: [], vacated: [], orderSize: 1n as never, chainTimeMs: null };
    const startSec = 1_790_000_000;
    const print = (state: SignalState, day: number, at: number): SignalState => {
      const publishedSec = startSec + day * DAY_SEC;
      const [lastUpdateTimestampMs, validUntilSec] = [publishedSec * 1000, publishedSec + DAY_SEC + 60];
      const read = { ...oracle, price: usd(at), lastUpdateTimestampMs, validUntilSec };
      return foldSignals(state, { kind: "oracleRead", receivedMs: day, askedMs: day, oracle: read }, own);
    };
    const before = [0, 1, 2, 3, 4, 5].reduce((state, day) => print(state, day, 200 + 0.1 * day), startSignals(1));

    test("what moved over several is no return and no surprise, and says where the index stands", () => {
      const after = print(before, 10, 201.2);
      for (const kept of [after.lived, after.nowcast]) {
        expect(kept.last?.usd).toBe(201.2);
        expect([kept.leap, kept.surprises, kept.returns.seen]).toEqual([
          null,
          before.lived.surprises,
          before.lived.returns.seen,
        ]);
      }
      expect(after.market).toMatchObject({ record: before.market.record });
    });

    test("what is too far even for so many waits for a second print", () => {
      const after = print(before, 10, 230);
      expect([after.lived.leap?.usd, after.lived.last?.usd]).toEqual([230, 200.5]);
    });

    test("each one seen teaches as ever", () => {
      expect(print(before, 6, 200.6).lived.returns.seen).toBe(before.lived.returns.seen + 1);
    });
  });
});
