// What a contract is worth between prints: nobody earns by holding it, whether they know the next print or not.
import { describe, expect, it } from "vitest";
import { carryFairValue } from "../../../../src/bot/strategy/carry.ts";
import { carryOf } from "../../../../src/devnet/crowd/carry.ts";
import { drawsOf } from "../../../../src/devnet/crowd/draws.ts";
import { indexPathOf } from "../../../../src/devnet/crowd/index-path.ts";
import { fundingRateOf } from "../../../../src/devnet/engine/market/funding.ts";
import { price } from "../../../../src/domain/units.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const path = indexPathOf(
  {
    ...{ source: "synthetic", price: price(20_000_000_000n), printEverySecs: 86_400, validForSecs: 86_460 },
    ...{ driftPercent: 0.027, volatilityPercent: 0.056, autocorrelation: 0.76 },
  },
  7n,
  1,
);
const funding = { fundingIntervalSecs: 3600, premiumPeriodSecs: 14_400 };
/** A noise order a minute: so few that each print is known on its own. */
const thin = { draw: drawsOf(1n, 1), gapsPerMs: 1 / 60_000 };
const carry = carryOf(path, funding, thin);
const stepOf = (k: number) => path.levelOf(k) - path.levelOf(k - 1);

describe("the carry", () => {
  it("leaves of a premium what the exchange's funding leaves of it", () => {
    const premium = 1_000_000_000n;
    const of = { premium, interestRateMicroBps: 0, intervalSecs: 3600, premiumPeriodSecs: 14_400, maxBps: 10_000 };
    const rate = fundingRateOf(of);
    const kappa = Number(rate) / Number(premium);
    expect(carry.keptAt(DAY_MS - 6 * HOUR_MS)).toBeCloseTo((1 + kappa) ** -6, 6);
  });

  it("gives the price that the bot's formula gives at every settlement until the print", () => {
    const [lastPrint, ahead] = [100, 0.05];
    for (const settlements of [1, 6, 12, 23]) {
      const fair = carryFairValue({ lastPrint, nextPrint: lastPrint + ahead, drift: 0, kappa: 1 / 4, settlements });
      expect(carry.keptAt(DAY_MS - settlements * HOUR_MS) * ahead).toBeCloseTo(fair - lastPrint, 9);
    }
  });

  it("expects of the steps to come what they are in the mean: over 4,000 prints none is worth more or less", () => {
    let [total, squares] = [0, 0];
    for (let k = 2; k < 4002; k += 1) {
      const expected = carry.aheadOf(stepOf(k), stepOf(k - 1));
      const brought = stepOf(k + 1) + carry.afterPrint(stepOf(k + 1), stepOf(k));
      total += (brought - expected) * (expected - path.meanPpm);
      squares += (expected - path.meanPpm) ** 2;
    }
    expect(Math.abs(total / squares)).toBeLessThan(0.05);
  });

  it("is the next print, and what follows from it, for those who know it, and nothing jumps as it comes out", () => {
    const before = carry.knownAt(5 * DAY_MS - 1);
    const after = path.levelOf(5) + carry.afterPrint(stepOf(5), stepOf(4));
    expect(before).toBeCloseTo(after, 1);
  });

  it("tells those who know in even parts that owe nothing to each other, and add up to what is new in a print", () => {
    const moves: number[] = [];
    for (let day = 2; day < 402; day += 1) {
      const base = path.levelOf(day);
      const heard = [...Array(24).keys()].map((hour) => {
        const atMs = day * DAY_MS + hour * HOUR_MS + 1;
        return (carry.knownAt(atMs) - base) / carry.keptAt(atMs);
      });
      for (let hour = 1; hour < 24; hour += 1) moves.push((heard[hour] ?? 0) - (heard[hour - 1] ?? 0));
    }
    const products = (lag: number) => moves.slice(lag).reduce((sum, move, at) => sum + move * (moves[at] ?? 0), 0);
    expect(Math.sqrt((24 * products(0)) / moves.length) / carry.newsPpm).toBeCloseTo(1, 1);
    expect(Math.abs(products(1) / products(0))).toBeLessThan(0.05);
  });

  it("knows more than the next print where prints come often", () => {
    const fast = carryOf(path, funding, { ...thin, gapsPerMs: 1 / 5_760_000 });
    expect([carry.printsAhead, fast.printsAhead]).toEqual([1, 10]);
    const known = fast.knownAt(5 * DAY_MS - 1);
    let worth = path.levelOf(4);
    let kept = 1;
    for (let k = 5; k <= 14; k += 1) {
      worth += kept * stepOf(k);
      kept *= carry.keptAt(4 * DAY_MS);
    }
    expect(known).toBeCloseTo(worth + kept * fast.aheadOf(stepOf(14), stepOf(13)), 1);
  });

  it("is nothing where no print is to come", () => {
    const fixed = indexPathOf({ source: "fixed", price: price(5n), validForSecs: 60 }, 1n, 1);
    expect(carryOf(fixed, funding, thin).knownAt(12_345)).toBe(0);
    expect(carryOf(fixed, funding, thin).aheadOf(10, 0)).toBe(0);
  });
});
