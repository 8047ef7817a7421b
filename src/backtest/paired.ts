// Compares settings: the one with the highest mean against each other one, seed by seed. Equal seeds give equal worlds, so a difference
// within a pair comes from the setting, and far fewer seeds are needed than for two separate means.

import { studentP } from "../kernel/student.ts";
import type { RunLine } from "./outcome.ts";
import { bestOf, cellsOfRuns, type DifferenceLine, halfOf95, meanOf, rounded, stdOf } from "./summary.ts";

const LEVEL = 0.05;

/**
 * Differences between the setting with the highest mean and each other one, in the order of the settings; empty if there is only one.
 *
 * Holm's procedure over all pairs multiplies the k-th smallest p by (pairs + 1 - k). Only the pairs of the best are computed: each ranks no
 * later among them than among all pairs, so its factor is never too small.
 */
export function differencesOf(runs: readonly RunLine[]): readonly DifferenceLine[] {
  const cells = cellsOfRuns(runs);
  const [first, ...further] = cells;
  if (first === undefined || further.length === 0) return [];
  const best = bestOf(cells);
  const lines = cells.filter((cell) => cell !== best).map((cell) => differenceOf(best, cell));
  const pairs = (cells.length * (cells.length - 1)) / 2;
  const byP = lines.toSorted((one, other) => (one.p ?? 1) - (other.p ?? 1));
  let least = 0;
  const corrected = new Map<Difference, number>();
  for (const [rank, line] of byP.entries()) {
    if (line.p === null) continue;
    least = Math.max(least, Math.min(1, line.p * (pairs - rank)));
    corrected.set(line, least);
  }
  return lines.map((line): DifferenceLine => {
    const p = corrected.get(line) ?? null;
    return { ...line, p: p === null ? null : rounded(p), verdict: p !== null && p < LEVEL ? "better" : "unclear" };
  });
}

type Difference = Omit<DifferenceLine, "verdict">;

function differenceOf(best: readonly RunLine[], other: readonly RunLine[]): Difference {
  const bySeed = new Map(other.map(({ seed, pnl }) => [seed, Number(pnl)]));
  const differences = best.flatMap(({ seed, pnl }) => {
    const subtracted = bySeed.get(seed);
    return subtracted === undefined ? [] : [Number(pnl) - subtracted];
  });
  const mean = differences.length === 0 ? null : meanOf(differences);
  const half = halfOf95(differences);
  const std = stdOf(differences);
  return {
    set: best[0]?.set ?? {},
    than: other[0]?.set ?? {},
    seeds: differences.length,
    mean: mean === null ? null : rounded(mean),
    ci95: mean === null || half === null ? [null, null] : [rounded(mean - half), rounded(mean + half)],
    p: mean === null || std === null ? null : pOf(mean, std / Math.sqrt(differences.length), differences.length - 1),
  };
}

/** Settings that never differ are equal. */
const pOf = (mean: number, error: number, degrees: number): number =>
  mean === 0 ? 1 : studentP(error === 0 ? Number.POSITIVE_INFINITY : mean / error, degrees);
