// What a contract is worth between two prints, to those who know the prints so far and to those who know the next one. Funding takes a
// share of the premium from whoever holds it, so what a print will add counts as much as funding leaves of it until then (Ackerer,
// Hugonnier and Jermann 2023). At this price a position earns nothing, whichever way: what prints bring, funding takes.

import { exp, ln } from "../../kernel/real.ts";
import { bounded, type IndexPath } from "./index-path.ts";

export type Carry = {
  /** What funding leaves of a premium from `logicalMs` until the next print; 0 where none comes. */
  readonly keptAt: (logicalMs: number) => number;
  /** What prints are worth to a holder after one that moved by `step` and one before by `before`, as of the next print; millionths. */
  readonly aheadOf: (step: number, before: number) => number;
  /** What the price just after a print should be, above it: `aheadOf` a whole time between prints earlier. */
  readonly afterPrint: (step: number, before: number) => number;
  /** The level for those who know the next print. */
  readonly knownAt: (logicalMs: number) => number;
};

/** However far an index jumps, nobody takes what it will add to be more than 60 bps. */
const AHEAD_PPM_MAX = 6000;

/** How often funding is paid, and the time in which it takes as much as the premium is. */
export type FundingTimes = { readonly fundingIntervalSecs: number; readonly premiumPeriodSecs: number };

export function carryOf(path: IndexPath, { fundingIntervalSecs, premiumPeriodSecs }: FundingTimes): Carry {
  const { printEveryMs, gain, momentum, meanPpm } = path;
  const decayPerMs = ln(1 + fundingIntervalSecs / premiumPeriodSecs) / (fundingIntervalSecs * 1000);
  const kept = printEveryMs === null ? 0 : exp(-decayPerMs * printEveryMs);
  const stay = 1 - gain;

  const keptAt = (logicalMs: number): number =>
    printEveryMs === null ? 0 : exp(-decayPerMs * ((path.newestAt(logicalMs) + 1) * printEveryMs - logicalMs));

  function aheadOf(step: number, before: number): number {
    if (printEveryMs === null) return 0;
    const moved = step - meanPpm - stay * (before - meanPpm);
    const moves = (momentum * moved) / (1 - kept * momentum);
    const ahead = (stay * (step - meanPpm) + moves) / (1 - kept * stay) + meanPpm / (1 - kept);
    return bounded(ahead, AHEAD_PPM_MAX);
  }

  const afterPrint = (step: number, before: number): number => kept * aheadOf(step, before);
  const stepOf = (k: number): number => (k <= 0 ? meanPpm : path.levelOf(k) - path.levelOf(k - 1));

  return {
    keptAt,
    aheadOf,
    afterPrint,
    knownAt(logicalMs) {
      const k = path.newestAt(logicalMs);
      const coming = stepOf(k + 1) + afterPrint(stepOf(k + 1), stepOf(k));
      return path.levelOf(k) + keptAt(logicalMs) * coming;
    },
  };
}
