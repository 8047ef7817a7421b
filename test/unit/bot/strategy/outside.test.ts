// What an outside fact earns: nothing by lies, lateness, repetition or a past that it knew too well, and nearly all of the error by knowing.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { followOutside, judgeOutside, noOutside, outsideShift } from "../../../../src/bot/strategy/outside.ts";
import { type SteppedPrint, walkForwardSignal } from "../../../../src/bot/strategy/walk-forward.ts";
import type { OutsideFact } from "../../../../src/domain/outside.ts";
import { absent, type Fact } from "../../../../src/domain/view.ts";
import { createPrng, type Prng } from "../../../../src/kernel/prng.ts";
import { PROJECT } from "../../../support/quoin.ts";

const BPS = 1e-4;
const FROM = 60;
const SEEDS = [1n, 2n, 3n, 4n];

const file = resolve(PROJECT, "../shared/data/price-feed-us.csv");
const shipped = existsSync(file)
  ? readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((row, step): SteppedPrint => ({ usd: Number(row.split(",")[2]), step }))
  : null;

/** Returns that follow each other, as those of an index do. */
function smoothed(seed: bigint): readonly SteppedPrint[] {
  const draw = createPrng(seed);
  let [usd, log] = [200, 0];
  return Array.from({ length: 500 }, (_, step) => {
    log = 0.75 * log + 4 * BPS * draw.gaussian();
    usd *= Math.exp(log);
    return { usd, step };
  });
}

/** What stands before print number `at`. */
type Source = (at: number, usdAt: (index: number) => number, draw: Prng) => number;
const knows =
  (bps: number): Source =>
  (at, usdAt, draw) =>
    usdAt(at) * (1 + bps * BPS * draw.gaussian());
const opposite: Source = (at, usdAt) => usdAt(at - 1) ** 2 / usdAt(at);
const until =
  (print: number, first: Source, then: Source): Source =>
  (at, usdAt, draw) =>
    (at < print ? first : then)(at, usdAt, draw);

const drawn = createPrng(9n);
let level = 200;
const walk = Array.from({ length: 600 }, () => {
  level *= 1 + 5 * BPS * drawn.gaussian();
  return level;
});

const worthless: Readonly<Record<string, Source>> = {
  "that is the last print": (at, usdAt) => usdAt(at - 1),
  "that is five prints late": (at, usdAt) => usdAt(at - 5),
  "that repeats one value": () => 200,
  "that says the opposite": opposite,
  "that stands 50 bps from the last print by chance": (at, usdAt, draw) =>
    usdAt(at - 1) * (1 + 50 * BPS * draw.gaussian()),
  "that repeats the last print with 5 bps of noise": (at, usdAt, draw) =>
    usdAt(at - 1) * (1 + 5 * BPS * draw.gaussian()),
  "that lies half of the time": (at, usdAt, draw) => (draw.gaussian() > 0 ? usdAt(at) : opposite(at, usdAt, draw)),
  "that wanders by itself": (at) => walk[at] ?? 200,
  "that knew 300 prints and repeats the last one from then on": until(300, knows(0), (at, usdAt) => usdAt(at - 1)),
  "that knew 300 prints and says the opposite from then on": until(300, knows(0), opposite),
  "that knew 300 prints and jumps by 1 % from then on": until(300, knows(0), (at, usdAt) => 1.01 * usdAt(at - 1)),
};

/** Squared error with the source over that without, mean over seeds. */
function left(source: Source, printsOf: (seed: bigint) => readonly SteppedPrint[]) {
  const scores = SEEDS.map((seed) => {
    const prints = printsOf(seed);
    const draw = createPrng(seed).fork("source");
    const usdAt = (index: number): number => prints[Math.max(0, index)]?.usd ?? Number.NaN;
    const values = prints.map((_, at) => source(at, usdAt, draw));
    return walkForwardSignal(prints, values, FROM);
  });
  const mean = (of: (score: NonNullable<(typeof scores)[number]>) => number | null): number =>
    scores.reduce((sum, score) => sum + ((score && of(score)) ?? Number.NaN), 0) / scores.length;
  return { squares: mean(({ squaresRatio }) => squaresRatio), rmse: mean(({ rmseRatio }) => rmseRatio) };
}

describe("a fact beside smoothed returns", () => {
  test.each(Object.entries(worthless))("law: one %s worsens squared error by at most 0.5 %%", (_name, source) => {
    expect(left(source, smoothed).squares).toBeLessThanOrEqual(1.005);
  });

  test("one that knows the print to 1 bp leaves less than a quarter of the squared error, in whatever unit", () => {
    const { squares } = left(knows(1), smoothed);
    expect(squares).toBeLessThan(0.25);
    const scaled: Source = (at, usdAt, draw) => 1400 * knows(1)(at, usdAt, draw);
    expect(left(scaled, smoothed).squares).toBeCloseTo(squares, 9);
  });
});

// Skipped where the shared data is not beside the checkout: it is not part of the product.
describe.skipIf(shipped === null)("a fact beside the real index", () => {
  const prints = () => shipped ?? [];

  test.each(Object.entries(worthless))("law: one %s worsens squared error by at most 0.5 %%", (_name, source) => {
    expect(left(source, prints).squares).toBeLessThanOrEqual(1.005);
  });

  test("law: with one that knows the next print to 1 bp the error is at most 0.35 of the last print's", () => {
    expect(left(knows(1), prints).rmse).toBeLessThanOrEqual(0.35);
  });
});

const SURPRISE = 5 * BPS;
const DAY_MS = 86_400_000;
const LOOK_MS = 20_000;
const factOf = (value: number): Fact<OutsideFact> => ({ state: "fresh", value: { value, asOfMs: 0 }, ageMs: 0 });
const beside = { lastUsd: 200, own: 0, surprise: SURPRISE, everyMs: DAY_MS };

/** Facts that have known each of 60 prints. */
function trusted(names: readonly string[]) {
  const draw = createPrng(5n);
  let [states, lastUsd] = [noOutside, 200];
  for (let print = 0; print < 60; print += 1) {
    const usd = lastUsd * Math.exp(SURPRISE * draw.gaussian());
    const facts = Object.fromEntries(names.map((name) => [name, factOf(usd)]));
    for (let look = 0; look < 24; look += 1)
      states = followOutside(states, facts, { ...beside, lastUsd, everyMs: 24 * LOOK_MS }, look * LOOK_MS);
    states = judgeOutside(states, { usd, missed: Math.log(usd / lastUsd) }, SURPRISE);
    lastUsd = usd;
  }
  return { states, lastUsd };
}

test("two facts that say the same move the nowcast no further than one", () => {
  const shiftOf = (names: readonly string[]) => {
    const { states, lastUsd } = trusted(names);
    const facts = Object.fromEntries(names.map((name) => [name, factOf(lastUsd * (1 + 5 * BPS))]));
    let after = states;
    for (let look = 0; look < 24 * 180; look += 1)
      after = followOutside(after, facts, { ...beside, lastUsd }, look * LOOK_MS);
    return outsideShift(after) ?? 0;
  };
  expect(shiftOf(["one"])).toBeGreaterThan(3 * BPS);
  expect(shiftOf(["one", "two"])).toBeLessThanOrEqual(5 * BPS);
});

test("a fact that is absent moves nothing from that look on, and is judged by what it said", () => {
  const { states, lastUsd } = trusted(["desk"]);
  let after = states;
  const look = (facts: Readonly<Record<string, Fact<OutsideFact>>>, at: number) => {
    after = followOutside(after, facts, { ...beside, lastUsd }, at * LOOK_MS);
  };
  for (let at = 0; at < 500; at += 1) look({ desk: factOf(1.001 * lastUsd) }, at);
  expect(outsideShift(after)).toBeGreaterThan(0);
  look({ desk: absent }, 500);
  expect(outsideShift(after)).toBe(null);
  const prints = after.desk?.forecast.record.prints ?? 0;
  const judged = judgeOutside(after, { usd: lastUsd, missed: 0 }, SURPRISE);
  expect(judged.desk?.forecast.record.prints).toBe(prints + 1);
  look({}, 501);
  expect(outsideShift(after)).toBe(null);
});

test("forbidden: that a fact, whatever it says, moves the nowcast by more than half a surprise an hour or three in all", () => {
  const { states, lastUsd } = trusted(["desk"]);
  const said = fc.array(fc.record({ log: fc.double({ min: -20, max: 20, noNaN: true }), ms: fc.nat(600_000) }));
  fc.assert(
    fc.property(said, (looks) => {
      let [after, nowMs] = [states, 0];
      for (const { log, ms } of looks) {
        nowMs += ms;
        after = followOutside(after, { desk: factOf(lastUsd * Math.exp(log)) }, { ...beside, lastUsd }, nowMs);
        const most = Math.min((0.5 * SURPRISE * nowMs) / 3_600_000, 3 * SURPRISE);
        expect(Math.abs(outsideShift(after) ?? 0)).toBeLessThanOrEqual(most + 1e-15);
      }
    }),
  );
});

test("without facts nothing is kept", () => {
  expect(followOutside(noOutside, {}, beside, 0)).toBe(noOutside);
  expect(judgeOutside(noOutside, { usd: 200, missed: 0 }, SURPRISE)).toBe(noOutside);
  expect(outsideShift(noOutside)).toBe(null);
});
