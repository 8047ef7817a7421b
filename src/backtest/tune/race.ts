// The race of a search: all settings run on the same seeds, and those that lose stop early. Equal seeds are equal worlds, so settings are
// compared seed by seed.

import { studentP } from "../../kernel/student.ts";
import { meanOf, stdOf } from "../summary.ts";

/** Chance that the best setting is ever dropped as surely worse. */
const LEVEL = 0.05;
/** Seeds on which every setting runs before the first is dropped. */
export const FIRST_SEEDS = 3;

/**
 * The score of each setting on each seed that it ran on, in the order of the seeds. A seed counts once, however many days it lasts: its days
 * share a world (latencies, takers, funding) and carry positions over, so that they differ less than seeds do, and a bound that counted each
 * day would call settings worse too early. More days make the seed's own score steadier.
 */
export type Scores = readonly (readonly number[])[];

/**
 * Whether `one` is worse than `other`, by Student's t over their differences, at a bound that holds at every look. The best of `settings`
 * settings can be dropped wrongly by any of the others, after 2, 3, 4, … seeds; after n seeds each of them gets the chance LEVEL /
 * (settings - 1) / (n (n - 1)), and these sum to LEVEL, because the sum of 1 / (n (n - 1)) is 1. `anytimeP` holds too, but drops none of 16
 * settings before the seventh seed, however far behind. Uses the seeds that both have.
 */
export function isSurelyWorse(one: readonly number[], other: readonly number[], settings: number): boolean {
  const count = Math.min(one.length, other.length);
  const differences = Array.from({ length: count }, (_, nth) => (other[nth] ?? 0) - (one[nth] ?? 0));
  const [mean, std] = [meanOf(differences), stdOf(differences)];
  if (std === null || mean <= 0) return false;
  const p = studentP(std === 0 ? Number.POSITIVE_INFINITY : mean / (std / Math.sqrt(count)), count - 1) / 2;
  return p <= LEVEL / Math.max(1, settings - 1) / (count * (count - 1));
}

/**
 * Returns those of `racing` that run on the next seed, best first: without the surely worse, and at most `most`. All of `racing` have run
 * on the same seeds.
 */
export function stillRacing(scores: Scores, racing: readonly number[], most: number): readonly number[] {
  const of = (setting: number): readonly number[] => scores[setting] ?? [];
  const ranked = racing.toSorted((a, b) => meanOf(of(b)) - meanOf(of(a)) || a - b);
  const [leader] = ranked;
  if (leader === undefined) return [];
  return ranked.filter((setting) => !isSurelyWorse(of(setting), of(leader), scores.length)).slice(0, Math.max(1, most));
}

/** How a number of runs is spent. */
export type RacePlan = {
  /** Settings that start, including the present one. */
  readonly settings: number;
  readonly searchRuns: number;
  /** Settings to confirm beside the present one, at most. */
  readonly finalists: number;
};

const FINALISTS = 3;
/** Beyond it, seeds are worth more than settings. */
const SETTINGS_MAX = 256;

/** Fewest runs for which there is a plan. `seeds`: of the search; the confirmation has as many. */
export const runsNeeded = (seeds: number): number => 8 * seeds;

/**
 * Starts so many settings that all can run on every seed, or, with more than six seeds, that half of the search's runs are left after the
 * first three for those that stay in the race.
 */
export function racePlan(runs: number, seeds: number): RacePlan {
  const searchRuns = runs - (FINALISTS + 1) * seeds;
  const settings = Math.min(SETTINGS_MAX, Math.floor(searchRuns / Math.min(seeds, 2 * FIRST_SEEDS)));
  return { settings, searchRuns, finalists: FINALISTS };
}
