// How often a lead is called better that is chance, by who adds seeds until it is; and what finding a real one takes. docs/backtest.md quotes
// these shares.

import { expect, test } from "vitest";
import { anytimeP, FIRST_LOOK, fixedP, holm, LEVEL } from "../../../src/backtest/chance.ts";
import { stdOf } from "../../../src/backtest/summary.ts";
import { createPrng, type Prng } from "../../../src/kernel/prng.ts";
import { centered, SETTINGS } from "./tune/score-table.ts";

type Draw = (prng: Prng) => number;
type Looks = { readonly first?: number; readonly last?: number };

const isBetter = (differences: readonly number[]): boolean => (anytimeP(differences) ?? 1) < LEVEL;

/** Share of 1,000 that stop at a better, looking at each seed from `first` to `last`. `drawOf`: where the differences of one come from. */
function shareOf(
  drawOf: (nth: number) => Draw,
  { first = FIRST_LOOK, last = 40 }: Looks = {},
  isFound = isBetter,
): number {
  const prng = createPrng(5n);
  let found = 0;
  for (let nth = 0; nth < 1000; nth += 1) {
    const draw = drawOf(nth);
    const differences: number[] = [];
    while (differences.length < last) {
      differences.push(draw(prng));
      if (differences.length < first || !isFound(differences)) continue;
      found += 1;
      break;
    }
  }
  return found / 1000;
}

/** Either of two may have the higher mean. */
const falseShare = (drawOf: (nth: number) => Draw, looks: Looks = {}): number =>
  shareOf(drawOf, looks, (differences) => isBetter(differences) || isBetter(differences.map((each) => -each)));

const normal: Draw = (prng) => prng.gaussian();

/** What two settings differ by in each world of the table, where neither is better. */
const pairs = centered[0]?.flatMap((_, one) =>
  Array.from({ length: SETTINGS - 1 - one }, (_, nth) =>
    centered.map((row) => (row[one] ?? 0) - (row[one + 1 + nth] ?? 0)),
  ),
) as readonly (readonly number[])[];
/** 0 to 119. */
const pair = (nth: number): readonly number[] => pairs[nth % pairs.length] ?? [];
const drawnFrom =
  (differences: readonly number[]): Draw =>
  (prng) =>
    differences[prng.below(differences.length)] ?? 0;

/** Loses now and then what it gains else, with some noise. */
const losing =
  (share: number): Draw =>
  (prng) =>
    (prng.float() < share ? (share - 1) / share : 1) + 0.3 * prng.gaussian();

test("of 1,000 equal pairs at most 5 % are ever called better by who adds seeds until one is", () => {
  expect(falseShare(() => normal)).toBeLessThanOrEqual(LEVEL);
});

test("so are those that differ as real settings do in drawn worlds", () => {
  expect(pairs.length).toBe(120);
  expect(falseShare((nth) => drawnFrom(pair(nth)))).toBeLessThanOrEqual(LEVEL);
});

test("of the pair whose losses are fewest and largest a fifth are, and half of that by who looks from the twentieth seed on", () => {
  const worst = drawnFrom(centered.map((row) => (row[8] ?? 0) - (row[12] ?? 0)));
  expect(falseShare(() => worst)).toBeLessThan(0.25);
  expect(falseShare(() => worst, { first: 20 })).toBeLessThan(0.125);
});

test.each([
  { share: 0.1, first: FIRST_LOOK, least: 0.2, most: 0.35 },
  { share: 0.1, first: 20, least: 0.1, most: 0.15 },
  { share: 0.05, first: FIRST_LOOK, least: 0.5, most: 0.6 },
  { share: 0.05, first: 20, least: 0.35, most: 0.45 },
  { share: 0.05, first: 60, least: 0, most: 0.065 },
])("losses of $share of the seeds that take all gains are not seen in time, looking from seed $first on", (bounds) => {
  const { share, first, least, most } = bounds;
  const seen = shareOf(() => losing(share), { first, last: 80 });
  expect(seen).toBeGreaterThanOrEqual(least);
  expect(seen).toBeLessThanOrEqual(most);
});

test.each([
  { by: 1.5, last: 12, least: 0.8 },
  { by: 1, last: 20, least: 0.8 },
  { by: 0.5, last: 80, least: 0.9 },
])("a real setting that is $by deviations ahead is found by seed $last", ({ by, last, least }) => {
  const ahead = (nth: number): Draw => {
    const differences = pair(nth);
    const [draw, lead] = [drawnFrom(differences), by * (stdOf(differences) ?? 0)];
    return (prng) => draw(prng) + lead;
  };
  expect(shareOf(ahead, { last })).toBeGreaterThan(least);
});

test("the order of the seeds says nothing, and a later loss takes a verdict back", () => {
  const lead = [2, 3, 2.5, 1.5, 2.2, 2.8, 2.1, 1.9, 2.4, 2.6, 3.1, 1.4];
  expect(isBetter(lead)).toBe(true);
  expect(anytimeP(lead.toReversed())).toBeCloseTo(anytimeP(lead) ?? 1, 12);
  expect(isBetter([...lead, -30])).toBe(false);
});

test("the same mean and deviation are less sure where a rare seed loses much, and no surer where it gains much", () => {
  const mirrored = [3, 1, 2, 2.5, 1.5, 2, 1, 3, 2, 2.2, 1.8, 0];
  const mean = 22 / 12;
  expect(anytimeP(mirrored)).toBeGreaterThan(anytimeP(mirrored.map((each) => 2 * mean - each)) ?? 1);
});

test.each([
  ["none", [], 1, null],
  ["one", [5], 1, null],
  ["all zero", Array.from({ length: 12 }, () => 0), 1, 1],
  ["a mean below zero", Array.from({ length: 12 }, (_, nth) => nth - 20), 0, 1],
  ["all the same", Array.from({ length: 12 }, () => 1), 0, 0],
])("edge: %s", (_, differences, fixed, anytime) => {
  expect(fixedP(differences)).toBeCloseTo(fixed, 3);
  const p = anytimeP(differences);
  if (anytime === null) expect(p).toBeNull();
  else expect(p).toBeCloseTo(anytime, 3);
});

test("Holm: the smallest counts for all, the next for one less, none less than one before it, and order stays", () => {
  const corrected = holm([0.03, 0.01, 0.02]);
  expect(corrected).toEqual([0.04, 0.03, 0.04].map((p) => expect.closeTo(p, 12)));
  expect(holm([0.01, 0.5], 6)).toEqual([expect.closeTo(0.06, 12), 1]);
  expect(holm([])).toEqual([]);
});
