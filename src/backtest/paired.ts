// Which setting is better: compares the one with the highest mean with each other one, seed by seed. Equal seeds are equal worlds, so a
// difference within a pair comes from the setting, and far fewer seeds show it than two separate means would need. A verdict holds at every
// look: adding seeds until it says better makes no more errors than a fixed number.

import { anytimeP } from "../kernel/student.ts";
import type { RunLine } from "./outcome.ts";
import { bestOf, cellsOfRuns, type DifferenceLine, halfOf95, isInNamedWorlds, meanOf, rounded } from "./summary.ts";

const LEVEL = 0.05;

/**
 * Differences between the setting with the highest mean and each other one, in the order of the settings; empty if there is only one, and in named worlds, which
 * nobody chooses.
 *
 * Holm's procedure over all pairs multiplies the k-th smallest p by (pairs + 1 - k). Only the pairs of the best are computed: each ranks no
 * later among them than among all pairs, so its factor is never too small.
 */
export function differencesOf(runs: readonly RunLine[]): readonly DifferenceLine[] {
  const cells = cellsOfRuns(runs);
  const [first, ...further] = cells;
  if (first === undefined || further.length === 0 || isInNamedWorlds(runs)) return [];
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
  return {
    set: best[0]?.set ?? {},
    than: other[0]?.set ?? {},
    seeds: differences.length,
    mean: mean === null ? null : rounded(mean),
    ci95: mean === null || half === null ? [null, null] : [rounded(mean - half), rounded(mean + half)],
    p: differences.length < 2 ? null : anytimeP(differences),
  };
}
