// print-aware: where it stands between two prints, what it does around one, and what it hands to the strategy that it quotes.

import { describe, expect, test } from "vitest";
import { loadStrategy } from "../../../src/bot/strategy/loader.ts";
import type { Quotes } from "../../../src/domain/quotes.ts";
import { usdOf } from "../../../src/domain/rounding.ts";
import { absent, type View } from "../../../src/domain/view.ts";
import { strategy as glft } from "../../../strategies/glft.ts";
import { carryFairValue, strategy } from "../../../strategies/print-aware.ts";
import { plainHeld } from "../../support/plain-bot.ts";
import { type Days, runDays, variants } from "../../support/print-days.ts";
import { asksOf, bidsOf } from "../../support/several-hands.ts";
import { chainTimeMs, healthyView, lots, now, oracle, usd } from "../bot/risk/healthy.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const fixed = { strategy: "fixed-spread", params: { halfSpreadBps: 10, size: 1 } };
const steps = { strategy: "ladder", params: { size: 1, halfSpreadBps: 10, maxInventory: 12 } };
const horizon = { strategy: "avellaneda-stoikov", params: { size: 1, maxInventory: 12 } };
const optimal = { strategy: "glft", params: { size: 1, maxInventory: 12 } };
const position = (contracts: number): Pick<View, "position"> => ({
  position: now(plainHeld(lots(contracts), usd(200))),
});
const paramsOf = (written: object) => strategy.params.parse(written);

/** The book of the healthy view around another price. */
const bookAround = (mid: number, halfSpread = 0.1): View["book"] =>
  now({
    marketId: 1,
    bids: bidsOf({ price: usd(mid - halfSpread), size: lots(5), orderCount: 2 }),
    asks: asksOf({ price: usd(mid + halfSpread), size: lots(5), orderCount: 2 }),
  });

/** `toPrintMs` before the next print of a day. */
function viewAt(toPrintMs: number, changed: Partial<View> = {}, signals: Partial<View["signals"]> = {}): View {
  const atMs = chainTimeMs + toPrintMs;
  const nextPrint = { atMs, earliestMs: atMs, lastMs: atMs - DAY_MS, everyMs: DAY_MS };
  const nowcastUsd = signals.nowcastUsd ?? 200;
  const known = { nowcastUsd, marketNowcastUsd: nowcastUsd, printMoveBps: 10, nextPrint };
  return { ...healthyView, ...changed, signals: { ...healthyView.signals, ...known, ...signals } };
}

/** The quotes of one turn after another with one memory. */
function quoteAll(written: object, views: readonly View[]): readonly Quotes[] {
  const given = paramsOf(written);
  const memory = strategy.start(given);
  return views.map((view) => strategy.quote(view, given, memory));
}
const quoteOnce = (written: object, view: View): Quotes => quoteAll(written, [view])[0] as Quotes;
const pricesOf = ({ quotes }: Quotes) => quotes.map(({ side, price }) => [side, usdOf(price)]);
const middleOf = ({ quotes }: Quotes) => quotes.reduce((sum, { price }) => sum + usdOf(price), 0) / quotes.length;

describe("fair value", () => {
  test("the others' microprice, or as much of the carry fair value of the nowcast as asked", () => {
    const view = viewAt(12 * 3_600_000, { book: bookAround(200.4) }, { nowcastUsd: 200.6 });
    const worth = carryFairValue({ lastPrint: 200, nextPrint: 200.6, drift: 0, kappa: 0.125, settlements: 12 });
    expect(quoteOnce({ base: fixed }, view).fairValueUsd).toBeCloseTo(200.4, 9);
    expect(quoteOnce({ base: fixed, carryWeight: 1 }, view).fairValueUsd).toBeCloseTo(worth, 9);
    expect(quoteOnce({ base: fixed, carryWeight: 0.5 }, view).fairValueUsd).toBeCloseTo((worth + 200.4) / 2, 9);
  });

  test("just before a print it is the nowcast, without a book too", () => {
    const view = viewAt(3 * MINUTE_MS, { book: absent }, { nowcastUsd: 200.6 });
    expect(quoteOnce({ base: fixed }, view).fairValueUsd).toBeCloseTo(200.6, 9);
  });

  test("it is the nowcast as the market has moved it, where that is known", () => {
    const view = viewAt(12 * 3_600_000, {}, { nowcastUsd: 200.6, marketNowcastUsd: 200.4 });
    const worth = carryFairValue({ lastPrint: 200, nextPrint: 200.4, drift: 0, kappa: 0.125, settlements: 12 });
    expect(quoteOnce({ base: fixed, carryWeight: 1 }, view).fairValueUsd).toBeCloseTo(worth, 9);
  });

  test("funding pulls by the estimated kappa, or by what is configured", () => {
    const view = viewAt(12 * 3_600_000, {}, { nowcastUsd: 200.6, kappaPerHour: 1 / 24 });
    const worth = (kappa: number) =>
      carryFairValue({ lastPrint: 200, nextPrint: 200.6, drift: 0, kappa, settlements: 12 });
    expect(quoteOnce({ base: fixed, carryWeight: 1 }, view).fairValueUsd).toBeCloseTo(worth(1 / 24), 9);
    const given = quoteOnce({ base: fixed, carryWeight: 1, kappaPerHour: 0.2 }, view);
    expect(given.fairValueUsd).toBeCloseTo(worth(0.2), 9);
  });

  test("without a print there is none", () => {
    expect(quoteOnce({ base: fixed }, { ...healthyView, oracle: absent }).quotes).toEqual([]);
  });
});

describe("around a print", () => {
  const held = { ...position(2), book: absent };

  test("far from one it quotes what its base does", () => {
    expect(pricesOf(quoteOnce({ base: fixed }, viewAt(DAY_MS / 2, held)))).toEqual([
      ["buy", 199.8],
      ["sell", 200.2],
    ]);
  });

  test("in the window what adds stands z of a print's moves further away; reduceOnly takes it away", () => {
    const view = viewAt(2 * MINUTE_MS + 1, { ...held }, { printMoveBps: 100 });
    const [bid, ask] = pricesOf(quoteOnce({ base: fixed }, view));
    expect(bid?.[1]).toBeCloseTo(199.8 - 200 * 0.01 * 0.4363, 1);
    expect(ask).toEqual(["sell", 200.2]);
    expect(pricesOf(quoteOnce({ base: fixed, guard: "reduceOnly" }, view))).toEqual([["sell", 200.2]]);
  });

  test("without a guard it quotes what its base does, before a print, late and just after one", () => {
    const unguarded = { base: fixed, guard: "off" };
    const usual = [
      ["buy", 199.8],
      ["sell", 200.2],
    ];
    for (const toPrintMs of [2 * MINUTE_MS + 1, 0, -DAY_MS])
      expect(pricesOf(quoteOnce(unguarded, viewAt(toPrintMs, held, { printMoveBps: 100 })))).toEqual(usual);
    const printed = now({ ...oracle, price: usd(200), validUntilSec: oracle.validUntilSec + 86_400 });
    const after = viewAt(DAY_MS, { ...held, nowMs: 1000, oracle: printed });
    const [, second] = quoteAll(unguarded, [viewAt(1, { ...held, nowMs: 0 }), after]);
    expect(second && pricesOf(second)).toEqual(usual);
  });

  test("when one is due, late, or at an unknown time, only what reduces rests", () => {
    for (const view of [
      viewAt(2 * MINUTE_MS, held),
      viewAt(-DAY_MS, held),
      viewAt(DAY_MS, { ...held, chain: absent }),
      viewAt(DAY_MS, held, { nextPrint: null }),
    ]) {
      const { quotes } = quoteOnce({ base: fixed }, view);
      expect(quotes.map(({ side, reduceOnly }) => [side, reduceOnly])).toEqual([["sell", true]]);
    }
  });

  test("one that may come early is guarded from when it may come, and worth what it is when expected", () => {
    const early = (earlyMs: number, toPrintMs: number) => {
      const atMs = chainTimeMs + toPrintMs;
      return viewAt(toPrintMs, held, {
        nextPrint: { atMs, earliestMs: atMs - earlyMs, lastMs: atMs - DAY_MS, everyMs: DAY_MS },
      });
    };
    expect(quoteOnce({ base: fixed }, early(45 * MINUTE_MS, 46 * MINUTE_MS)).quotes).toHaveLength(1);
    expect(quoteOnce({ base: fixed }, early(0, 46 * MINUTE_MS)).quotes).toHaveLength(2);
    const fair = (earlyMs: number) => quoteOnce({ base: fixed }, early(earlyMs, 6 * 3_600_000)).fairValueUsd;
    expect(fair(45 * MINUTE_MS)).toBe(fair(0));
  });

  test("after it nothing until the book is younger, then twice as wide", () => {
    const printed = now({ ...oracle, price: usd(200), validUntilSec: oracle.validUntilSec + 86_400 });
    const at = (nowMs: number, book: View["book"]) => viewAt(DAY_MS, { nowMs, oracle: printed, book });
    const young = (nowMs: number): View["book"] => ({ ...bookAround(200, 0.01), ageMs: nowMs }) as View["book"];
    const [first, second, third, fourth] = quoteAll({ base: fixed }, [
      viewAt(1, { nowMs: 0 }),
      at(1000, young(10)),
      at(4000, young(9999)),
      at(4000, young(10)),
    ]);
    expect(first?.quotes).toEqual([]);
    expect(second?.reason).toContain("a print has come");
    expect(third?.reason).toContain("a print has come");
    expect(fourth && pricesOf(fourth)).toEqual([
      ["buy", 199.6],
      ["sell", 200.4],
    ]);
  });

  test("the estimates of volatility and fills from before the window hold until it is over", () => {
    const wild = { volatilityBps: 50, intensityA: 9, intensityK: 0.5 };
    const inside = (signals: Partial<View["signals"]>) =>
      quoteAll({ base: optimal, guard: "widen" }, [viewAt(DAY_MS), viewAt(10 * MINUTE_MS, {}, signals)])[1];
    expect(inside(wild)).toEqual(inside({}));
  });

  test("a coming surprise is risk: the inventory leans harder", () => {
    const lean = (toPrintMs: number) => {
      const written = { base: optimal };
      const [flat, long] = [viewAt(toPrintMs, { book: absent }), viewAt(toPrintMs, { ...position(6), book: absent })];
      const ask = (view: View) =>
        usdOf(quoteOnce(written, view).quotes.find(({ side }) => side === "sell")?.price ?? usd(0));
      return ask(flat) - ask(long);
    };
    expect(lean(20 * MINUTE_MS)).toBeGreaterThan(lean(60 * MINUTE_MS));
  });
});

describe("inventory target: the premium book's, which the skew counts below the position", () => {
  const wanting = (target: number): Pick<View, "guidance"> => ({
    guidance: { fairValueUsd: null, extraInventory: -target },
  });
  /** An hour in which the market stood this far above what a contract is worth. */
  const hour = (premiumUsd: number, nowcastUsd: number, target = 0) =>
    Array.from({ length: 61 }, (_, minute) => {
      const worth = carryFairValue({ lastPrint: 200, nextPrint: nowcastUsd, drift: 0, kappa: 0.125, settlements: 12 });
      return viewAt(
        12 * 3_600_000,
        { nowMs: minute * MINUTE_MS, book: bookAround(worth + premiumUsd, 0.5), ...wanting(target) },
        { nowcastUsd },
      );
    });

  test("it leans on nothing at its target, in the window before a print too, where a position is riskier", () => {
    const base = { strategy: "fixed-spread", params: { halfSpreadBps: 10, size: 1, skewBps: 5 } };
    const near = (held: number) =>
      viewAt(
        20 * MINUTE_MS,
        { book: bookAround(208, 0.5), ...position(held), ...wanting(-2) },
        { nowcastErrorBps: 40 },
      );
    const leanUsd = (held: number) => {
      const quotes = quoteOnce({ base, carryWeight: 0, informedShare: 0.001 }, near(held));
      return middleOf(quotes) - (quotes.fairValueUsd ?? 0);
    };
    expect(Math.abs(leanUsd(-2))).toBeLessThan(0.02);
    expect(leanUsd(-3)).toBeGreaterThan(0.1);
  });

  describe("in a closed market, where takers reach so far that fills are e times fewer each 10 bps away", () => {
    const HELD_MAX = 12;
    /** With a target of 3 it would stand on the side that pays, or flat, in 24 % of the hours. */
    const TARGET = 4;
    const kept = { base: { ...optimal, params: { ...optimal.params, inventoryStd: 1.5 } }, carryWeight: 0 };
    /** Of an index that moves by 30 bps a day, in bps per square root second. */
    const volatilityBps = 30 / Math.sqrt(86_400);

    /** Long-run share of the time at each position: between two neighbors, buys and sells pass equally often. */
    function shares(views: readonly View[]): ReadonlyMap<number, number> {
      const mid =
        usdOf(views[0]?.book.state === "fresh" ? (views[0].book.value.bids[0]?.price ?? usd(0)) : usd(0)) + 0.5;
      const rates = (held: number) => {
        const { quotes } = quoteAll(
          kept,
          views.map((view) => ({
            ...view,
            ...position(held),
            signals: { ...view.signals, volatilityBps, slowVolatilityBps: volatilityBps },
          })),
        ).at(-1) as Quotes;
        const rate = (wanted: "buy" | "sell") => {
          const quote = quotes.find(({ side }) => side === wanted);
          return quote === undefined ? 0 : Math.exp(-Math.abs(usdOf(quote.price) - mid) / 0.2);
        };
        return { buy: rate("buy"), sell: rate("sell") };
      };
      const weights = new Map([[-HELD_MAX, 1]]);
      for (let held = -HELD_MAX; held < HELD_MAX; held += 1)
        weights.set(held + 1, ((weights.get(held) ?? 0) * rates(held).buy) / rates(held + 1).sell);
      const sum = [...weights.values()].reduce((total, weight) => total + weight, 0);
      return new Map([...weights].map(([held, weight]) => [held, weight / sum]));
    }
    const mean = (of: ReadonlyMap<number, number>) => [...of].reduce((sum, [held, share]) => sum + held * share, 0);

    test("a target of 0 leaves the mean position within a tenth of a lot", () => {
      expect(Math.abs(mean(shares(hour(0, 201))))).toBeLessThan(0.1);
    });

    test("a target of 4 against a premium of 20 bps: funding is received in at least 90 % of the hours", () => {
      const received = (premiumUsd: number) =>
        [...shares(hour(premiumUsd, 200, -Math.sign(premiumUsd) * TARGET))].reduce(
          (sum, [held, share]) => sum + (-held * premiumUsd > 0 ? share : 0),
          0,
        );
      expect(received(0.4)).toBeGreaterThan(0.9);
      expect(received(-0.4)).toBeGreaterThan(0.9);
    });
  });

  test("what a base is told to hold moves both of its quotes by the skew of so much inventory", () => {
    const given = glft.params.parse(optimal.params);
    const leaning = { ...healthyView, guidance: { fairValueUsd: 200, extraInventory: 2 } };
    const holding = { ...healthyView, ...position(2), guidance: { fairValueUsd: 200, extraInventory: 0 } };
    expect(pricesOf(glft.quote(leaning, given, null))).toEqual(pricesOf(glft.quote(holding, given, null)));
  });
});

test("fifteen days with takers who know the print: less than half is held over it, and quotes are gone only while they must be", () => {
  const [plain, widen, , reduceOnly] = variants.map((variant) => runDays(variant, 15));
  const heldShare = (of: Days | undefined) => (of?.heldAtPrint ?? Number.NaN) / (plain?.heldAtPrint ?? Number.NaN);
  expect(heldShare(widen)).toBeLessThan(0.5);
  expect(heldShare(reduceOnly)).toBeLessThan(0.3);
  expect(widen?.uptime).toBeGreaterThan(1 - 4 / 1440);
  expect(reduceOnly?.uptime).toBeGreaterThan(1 - 32 / 1440);
});

describe("parameters", () => {
  test.each([
    [
      "an unknown base",
      { base: { strategy: "glfd", params: {} } },
      /did you mean glft\? Allowed: fixed-spread, avellaneda-stoikov, glft, ladder/,
    ],
    ["no base", {}, /base/],
    ["a parameter that the base lacks", { base: { ...fixed, params: { ...fixed.params, sice: 1 } } }, /base\.params/],
    ["a share beyond 1", { base: fixed, carryWeight: 1.5 }, /carryWeight.*0 to 1/],
    ["an unknown parameter", { base: fixed, pulMinutes: 3 }, /did you mean pullMinutes/],
  ])("refuses %s", async (_name, written, says) => {
    const refused = await loadStrategy("print-aware", written).then(
      () => "",
      (error: Error) => error.message,
    );
    expect(refused).toMatch(says);
  });

  test.each([fixed, horizon, optimal, steps])("quotes $strategy, by its own name", async (base) => {
    const running = (await loadStrategy("print-aware", { base })).start();
    expect(running.quote(viewAt(DAY_MS)).quotes.length).toBeGreaterThanOrEqual(2);
  });
});
