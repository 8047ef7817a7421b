// Which setting is better: the one with the highest mean against each other one, seed by seed, or in recordings from print to print. Equal
// seeds and equal stretches of a recording are equal worlds, so what differs within a pair is the setting's doing, and far fewer pairs tell it
// than two separate means would need. Looking again after each further seed, and stopping at the first better, is allowed for.

import { anytimeP, holm, LEVEL } from "./chance.ts";
import type { RunLine } from "./outcome.ts";
import {
  bestOf,
  cellsOfRuns,
  type DifferenceLine,
  halfOf95,
  isInNamedWorlds,
  isRecorded,
  meanOf,
  rounded,
  sumInterval,
} from "./summary.ts";

/**
 * Differences between the setting with the highest mean and each other one, in the order of the settings; empty if there is only one, and in named worlds, which
 * nobody chooses.
 *
 * Holm counts all pairs of settings, and only the pairs of the best are computed: each ranks no later among them than among all pairs, so its factor
 * is never too small.
 */
export function differencesOf(runs: readonly RunLine[]): readonly DifferenceLine[] {
  const cells = cellsOfRuns(runs);
  const [first, ...further] = cells;
  if (first === undefined || further.length === 0 || isInNamedWorlds(runs)) return [];
  const best = bestOf(cells);
  const lines = cells.filter((cell) => cell !== best).map((cell) => differenceOf(best, cell));
  const ps = holm(
    lines.map(({ p }) => p ?? 1),
    (cells.length * (cells.length - 1)) / 2,
  );
  return lines.map((line, nth): DifferenceLine => {
    const p = ps[nth] ?? 1;
    return { ...line, p: line.p === null ? null : rounded(p), verdict: p < LEVEL ? "better" : "unclear" };
  });
}

type Difference = Omit<DifferenceLine, "verdict">;

function differenceOf(best: readonly RunLine[], other: readonly RunLine[]): Difference {
  const byWorld = new Map(other.map((run) => [worldOf(run), run]));
  const pairs = best.flatMap((run) => {
    const paired = byWorld.get(worldOf(run));
    return paired === undefined ? [] : [[run, paired] as const];
  });
  const differences = pairs.map(([one, than]) => Number(one.pnl) - Number(than.pnl));
  const mean = differences.length === 0 ? null : meanOf(differences);
  const inBlocks = isRecorded(best) ? pairs.flatMap(([one, than]) => blockDifferences(one, than)) : null;
  const half = inBlocks === null ? halfOf95(differences) : halfOverBlocks(inBlocks, pairs.length);
  const values = inBlocks ?? differences;
  return {
    set: best[0]?.set ?? {},
    than: other[0]?.set ?? {},
    seeds: differences.length,
    ...(inBlocks !== null && { blocks: inBlocks.length }),
    mean: mean === null ? null : rounded(mean),
    ci95: mean === null || half === null ? [null, null] : [rounded(mean - half), rounded(mean + half)],
    p: anytimeP(values),
  };
}

const worldOf = ({ seed, recording = "" }: RunLine): string => `${seed} ${recording}`;

/** PnL of one less the other, by block: two settings in one recording have the same prints. USDC. */
export function blockDifferences(one: Pick<RunLine, "blocks">, than: Pick<RunLine, "blocks">): readonly number[] {
  const byEnd = new Map((than.blocks ?? []).map(({ toMs, pnl }) => [toMs, pnl]));
  return (one.blocks ?? []).flatMap(({ toMs, pnl }) => {
    const subtracted = byEnd.get(toMs);
    return subtracted === undefined ? [] : [pnl - subtracted];
  });
}

/** Half of the interval of the mean over runs, from blocks. */
function halfOverBlocks(differences: readonly number[], runs: number): number | null {
  const interval = sumInterval(differences);
  return interval === null ? null : (interval[1] - interval[0]) / 2 / runs;
}
