// The race: the best setting is hardly ever dropped, what is far behind is, and the runs are never more than planned.

import { expect, test } from "vitest";
import { meanOf as mean } from "../../../../src/backtest/summary.ts";
import { isSurelyWorse, racePlan, runsNeeded, stillRacing } from "../../../../src/backtest/tune/race.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

const SETTINGS = 16;
const SEEDS = 20;

/** Scores with a part that all settings of a seed share, which pairing takes out. */
function tableOf(seed: bigint, meanOf: (setting: number) => number): readonly (readonly number[])[] {
  const prng = createPrng(seed);
  const worlds = Array.from({ length: SEEDS }, () => 20 * prng.gaussian());
  return Array.from({ length: SETTINGS }, (_, setting) =>
    worlds.map((world) => world + meanOf(setting) + prng.gaussian()),
  );
}

test("over all looks and rivals the best of equal settings is called surely worse in at most 5 % of tables", () => {
  let dropped = 0;
  for (let nth = 0; nth < 400; nth += 1) {
    const [best = [], ...others] = tableOf(BigInt(nth), () => 0);
    const looks = Array.from({ length: SEEDS - 1 }, (_, look) => look + 2);
    if (
      looks.some((look) => others.some((other) => isSurelyWorse(best.slice(0, look), other.slice(0, look), SETTINGS)))
    )
      dropped += 1;
  }
  expect(dropped / 400).toBeLessThanOrEqual(0.05);
});

test("days of a seed, which share its world, would break this bound as observations of their own; the seed's mean keeps it", () => {
  const DAYS = 5;
  const looks = Array.from({ length: SEEDS - 1 }, (_, look) => look + 2);
  let [droppedByDays, droppedBySeeds] = [0, 0];
  for (let nth = 0; nth < 400; nth += 1) {
    // What a setting gains in a world it gains on each of its days.
    const settings = tableOf(BigInt(nth), () => 0).map((seeds, setting) => {
      const prng = createPrng(BigInt(nth)).fork(`${setting}`);
      return seeds.map((score) => Array.from({ length: DAYS }, () => score + prng.gaussian()));
    });
    const isDropped = (scoresUpTo: (seeds: readonly (readonly number[])[]) => readonly number[]): boolean => {
      const [best = [], ...others] = settings;
      return looks.some((look) =>
        others.some((other) =>
          isSurelyWorse(scoresUpTo(best.slice(0, look)), scoresUpTo(other.slice(0, look)), SETTINGS),
        ),
      );
    };
    if (isDropped((seeds) => seeds.flat())) droppedByDays += 1;
    if (isDropped((seeds) => seeds.map(mean))) droppedBySeeds += 1;
  }
  expect(droppedByDays / 400).toBeGreaterThan(0.1);
  expect(droppedBySeeds / 400).toBeLessThanOrEqual(0.05);
});

test("what is far behind is surely worse within the seeds, though seeds differ far more than settings", () => {
  const [behind = [], ahead = []] = tableOf(1n, (setting) => (setting === 0 ? 0 : 4));
  expect(isSurelyWorse(behind, ahead, SETTINGS)).toBe(true);
  expect(isSurelyWorse(ahead, behind, SETTINGS)).toBe(false);
  expect(isSurelyWorse(ahead, ahead, SETTINGS), "equal is not worse").toBe(false);
  expect(isSurelyWorse([1], [2], SETTINGS), "one seed says nothing").toBe(false);
  expect(isSurelyWorse([1, 2, 3], [2, 3, 4], SETTINGS), "the same difference everywhere").toBe(true);
});

test("the others go on, best first, no more than can be paid, and one at least", () => {
  const scores = [
    [1, 2, 3],
    [2, 2.5, 4],
    [-9, -8, -7],
    [0, 5, 1],
  ];
  expect(stillRacing(scores, [0, 1, 2, 3], 9)).toEqual([1, 0, 3]);
  expect(stillRacing(scores, [0, 1, 2, 3], 2)).toEqual([1, 0]);
  expect(stillRacing(scores, [0, 3], 0)).toEqual([0]);
  expect(stillRacing(scores, [], 3)).toEqual([]);
});

test.each([3, 5, 10, 40])(
  "with %i seeds the plan begins with four settings or more, and its first seeds are half of the search where seeds are many",
  (seeds) => {
    for (const runs of [runsNeeded(seeds), 16 * seeds, 100 * seeds]) {
      const { settings, searchRuns, finalists } = racePlan(runs, seeds);
      expect(settings).toBeGreaterThanOrEqual(4);
      expect(Math.min(seeds, 6) * settings).toBeLessThanOrEqual(searchRuns);
      expect(searchRuns + (finalists + 1) * seeds).toBe(runs);
      // After the first seeds one setting at least can run on all others.
      expect(searchRuns - 3 * settings).toBeGreaterThanOrEqual(seeds - 3);
    }
  },
);
