// The nowcast: what it predicts and how sure it is, on a real series and on made ones whose best possible error is known; and what a
// wrong print must not do to it.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { noNowcast, nowcastUsd, observePrint, printDeviationBps } from "../../../../src/bot/strategy/nowcast.ts";
import { walkForward } from "../../../../src/bot/strategy/walk-forward.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import {
  autoregression,
  averageOf,
  type Law,
  lag,
  meanOf,
  printsOf,
  randomWalk,
  type SeriesOptions,
  SHOCK,
} from "../../../support/print-series.ts";
import { PROJECT } from "../../../support/quoin.ts";

/** Bounds: 8 % above the best possible error; 0.5 % above that of the ARMA models alone; 20 % below it. */
const nearBest = (best: number): number => 1.08 * best;
const atArma = (arma: number): number => 1.005 * arma;
const belowArma = (arma: number): number => 0.8 * arma;

const seedsFrom = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => first + at);
const FEW = seedsFrom(0, 4);
const FRESH = seedsFrom(8101, 20);

type Family = { readonly name: string; readonly law: Law; readonly most: number };

const daily = (prints: readonly number[]) => prints.map((usd, step) => ({ usd, step }));

describe("walked forward from print 60 on", () => {
  const file = resolve(PROJECT, "../shared/data/price-feed-us.csv");
  // A user's clone has no ../shared: skipped there with a line that says so, run in CI.
  test.skipIf(!existsSync(file))(
    "on a real national series errs at most 0.47 of what the last print errs (skipped without ../shared)",
    () => {
      const rows = readFileSync(file, "utf8").trim().split("\n").slice(1);
      const score = walkForward(daily(rows.map((row) => Number(row.split(",")[2]))), 60);
      expect(score?.scored).toBe(462);
      expect(score?.rmseRatio).toBeLessThan(0.47);
      expect(score?.coverage95).toBeGreaterThanOrEqual(0.93);
      expect(score?.coverage95).toBeLessThanOrEqual(0.97);
    },
  );

  const walks = (law: Law, seeds: readonly number[], options?: SeriesOptions) =>
    seeds.map((seed) => {
      const score = walkForward(printsOf(law, seed, options), 60);
      if (score === null) throw new Error("nothing was scored");
      return score;
    });

  const checkFamily = ({ law, most }: Family, seeds: readonly number[]): void => {
    const scores = walks(law, seeds);
    expect(meanOf(scores.map(({ rmseRatio }) => rmseRatio ?? Number.NaN))).toBeLessThan(most);
    for (const { coverage95 } of scores) {
      expect(coverage95).toBeGreaterThanOrEqual(0.9);
      expect(coverage95).toBeLessThanOrEqual(0.99);
    }
  };

  /** Errors are relative to that of the last print; those of the 27 ARMA(1,1) alone, equally weighted, were measured on the same series. */
  test.each<Family>([
    { name: "a random walk", law: randomWalk, most: 1.005 },
    { name: "AR(1) of 0.3", law: autoregression(0.3), most: atArma(0.962_39) },
    { name: "AR(1) of 0.8", law: autoregression(0.8), most: atArma(0.616_37) },
    { name: "AR(2), smooth", law: autoregression(1.2, -0.4), most: atArma(0.508_68) },
    { name: "AR(2), slow", law: autoregression(0.5, 0.3), most: atArma(0.690_99) },
    { name: "an average of 6 prints", law: averageOf(6), most: belowArma(0.564_69) },
    { name: "an average of 8 prints", law: averageOf(8), most: belowArma(0.493_76) },
    { name: "an average of 15 prints", law: averageOf(15), most: belowArma(0.371_52) },
    { name: "an average of 22 prints", law: averageOf(22), most: belowArma(0.312_87) },
  ])("on 20 series of $name its mean error is within the bound, and its bands hold", (family) => {
    checkFamily(family, FRESH);
  });

  test.each<Family>([
    {
      name: "AR(1) of 0.8 with jumps",
      law: ({ returns }, shock, prng) =>
        0.8 * Math.max(-0.003, Math.min(0.003, lag(returns, 1))) + shock * (prng.chance(0.02) ? 6 : 1),
      most: nearBest(0.75),
    },
    {
      name: "AR(1) of 0.8 that becomes a random walk twice as wild",
      law: ({ returns }, shock, _, day) => (day < 260 ? 0.8 * lag(returns, 1) + shock : 2 * shock),
      most: nearBest(0.93),
    },
    {
      name: "a week's season",
      law: ({ returns }, shock, _, day) => 0.6 * lag(returns, 1) + shock + SHOCK * Math.sin((2 * Math.PI * day) / 7),
      most: nearBest(0.75),
    },
    {
      name: "a month's season",
      law: ({ returns }, shock, _, day) => 0.6 * lag(returns, 1) + shock + SHOCK * Math.sin((2 * Math.PI * day) / 30),
      most: nearBest(0.7),
    },
  ])("on four series of $name it comes near the best possible error, and its bands hold", (family) => {
    checkFamily(family, FEW);
  });

  test.each([
    { name: "a random walk", law: randomWalk },
    { name: "an average of 8 prints", law: averageOf(8) },
  ])("intervals on $name with volatile spells hold between 91 and 97 % of the prints", ({ law }) => {
    for (const { coverage95 } of walks(law, FEW, { hasSpells: true })) {
      expect(coverage95).toBeGreaterThanOrEqual(0.91);
      expect(coverage95).toBeLessThanOrEqual(0.97);
    }
  });

  test("a series that never moves, or ends before the first print to score, has no score", () => {
    expect(walkForward(daily(Array.from({ length: 100 }, () => 200)), 60)).toBe(null);
    expect(walkForward(daily([200, 201, 202, 203]), 60)).toBe(null);
  });

  test("what moved over a gap is neither scored nor learned, and the drift from before it fades", () => {
    const steady = daily(Array.from({ length: 120 }, (_, day) => 200 * 1.001 ** day));
    const gapped = steady.flatMap(({ usd, step }) => (step >= 70 && step < 90 ? [] : [{ usd, step }]));
    const score = walkForward(gapped, 60);
    expect(score?.scored).toBe(39);
    expect(score?.surpriseBps ?? Number.NaN).toBeLessThan(
      walkForward(
        gapped.map(({ usd }, step) => ({ usd, step })),
        60,
      )?.surpriseBps ?? 0,
    );
    const before = steady.slice(0, 70).reduce((state, { usd, step }) => observePrint(state, usd, step), noNowcast);
    const drift = (state: typeof before) => Math.log((nowcastUsd(state) ?? 0) / (state.last?.usd ?? 1));
    const after = observePrint(before, 210, 90, 20);
    expect(printDeviationBps(after)).toBe(printDeviationBps(before));
    expect(after.last?.usd).toBe(210);
    expect(drift(before)).toBeGreaterThan(0.0009);
    expect(drift(after)).toBeLessThan(0.6 * drift(before));
    expect(drift(after)).toBeGreaterThanOrEqual(0);
  });
});

describe("nowcast", () => {
  const follow = (prints: readonly number[]) =>
    prints.reduce((state, usd, day) => observePrint(state, usd, day), noNowcast);

  test("needs three prints, and takes the same print from a frame and a read once", () => {
    let state = observePrint(noNowcast, 200, 1);
    state = observePrint(state, 200, 1);
    state = observePrint(state, 200.1, 2);
    expect(nowcastUsd(state)).toBe(null);
    state = observePrint(state, 200.2, 3);
    expect(observePrint(state, 200.2, 3)).toBe(state);
    expect(nowcastUsd(state)).toBeGreaterThan(200.2);
    expect(nowcastUsd(state)).toBeLessThan(200.3);
  });

  test("an unchanged price is a print too: the index stood still", () => {
    const still = [1, 2, 3, 4].reduce((state, day) => observePrint(state, 200, day), noNowcast);
    expect(nowcastUsd(still)).toBe(200);
  });

  describe("print deviation", () => {
    const deviationOf = (prints: readonly number[]) =>
      printDeviationBps(prints.reduce((state, usd, day) => observePrint(state, usd, day), noNowcast));

    test("is assumed until ten prints were seen", () => {
      expect(deviationOf([])).toBe(20);
      expect(deviationOf(Array.from({ length: 9 }, (_, day) => 200 + 5 * (day % 2)))).toBe(20);
    });

    test("equal prints in a row are not certainty", () => {
      expect(deviationOf(Array.from({ length: 100 }, () => 200))).toBe(10);
    });

    test("five moves of a percent among the first eleven prints do not widen it", () => {
      const moves = [3, 4, 2, 105, -110, 4, 112, -108, 104, 5].map((bps) => bps / 10_000);
      let usd = 200;
      const prints = moves.map((move) => {
        usd *= Math.exp(move);
        return usd;
      });
      expect(deviationOf([200, ...prints])).toBeLessThanOrEqual(20);
    });

    test("finds that of a series without memory", () => {
      const prng = createPrng(13n);
      let usd = 200;
      const prints = Array.from({ length: 400 }, () => {
        usd *= 1 + 0.004 * prng.gaussian();
        return usd;
      });
      const found = Array.from({ length: 20 }, (_, at) => deviationOf(prints.slice(15 * at, 15 * at + 100)));
      const mean = found.reduce((sum, bps) => sum + bps, 0) / found.length;
      expect(mean / 40).toBeGreaterThan(0.8);
      expect(mean / 40).toBeLessThan(1.25);
    });

    test("prints that leap and return, however many, do not move it, and what follows is predicted as before", () => {
      const calm = Array.from({ length: 60 }, (_, day) => 200 * (1 + 0.0002 * Math.sin(day / 5)));
      const struck = calm.flatMap((usd, day) => (day % 3 === 1 ? [usd, 300, 100] : [usd]));
      expect(deviationOf(struck)).toBe(10);
      const nowcast = (prints: readonly number[]) =>
        nowcastUsd(prints.reduce((state, usd, day) => observePrint(state, usd, day), noNowcast)) ?? 0;
      expect(nowcast(struck) / nowcast(calm)).toBeCloseTo(1, 4);
    });

    test("a leap that the next print confirms counts, once", () => {
      const leaps = Array.from({ length: 20 }, (_, day) => 200 * 1.05 ** Math.floor(day / 2));
      const [, ...moved] = leaps.reduce((state, usd, day) => observePrint(state, usd, day), noNowcast).surprises;
      expect(moved.filter((surprise) => surprise > 0.04)).toHaveLength(9);
      expect(moved.filter((surprise) => surprise < 0.001)).toHaveLength(9);
    });
  });

  test("a wrong print is not run after: no more than three typical surprises", () => {
    const state = follow(Array.from({ length: 100 }, (_, day) => 200 * 1.0003 ** day));
    const jumped = observePrint(state, 400, 100);
    expect(nowcastUsd(jumped)).toBe(null);
    expect((nowcastUsd(observePrint(jumped, 401, 101)) ?? 0) / 401).toBeLessThan(1.01);
    expect(nowcastUsd(observePrint(state, Number.NaN, 100))).toBe(nowcastUsd(state));
  });
});
