// What a contract is worth between two prints, to those who know the prints so far and to those who know what comes. Funding takes a
// share of the premium from whoever holds it, so what a print will add counts as much as funding leaves of it until then (Ackerer,
// Hugonnier and Jermann 2023). At this price a position earns nothing, whichever way: what prints bring, funding takes.

import { exp, ln } from "../../kernel/real.ts";
import { type Draw, NORMAL_UNIT, normalOf } from "./draws.ts";
import { bounded, type IndexPath } from "./index-path.ts";

export type Carry = {
  /** Of the index; null for one that prints once. */
  readonly printEveryMs: number | null;
  /** What funding leaves of a premium from `logicalMs` until the next print; 0 where none comes. */
  readonly keptAt: (logicalMs: number) => number;
  /** What prints are worth to a holder after one that moved by `step` and one before by `before`, as of the next print; millionths. */
  readonly aheadOf: (step: number, before: number) => number;
  /** What the price just after a print should be, above it: `aheadOf` a whole time between prints earlier. */
  readonly afterPrint: (step: number, before: number) => number;
  /** Prints ahead of the last of which those who know have heard everything by the time that the next is due. */
  readonly printsAhead: number;
  /** Standard deviation of what a print tells that those before do not, with all that follows from it, as of the print; millionths. */
  readonly newsPpm: number;
  /** The level for those who know. */
  readonly knownAt: (logicalMs: number) => number;
};

/** However far an index jumps, nobody takes what it will add to be more than so many deviations of what is new in its value. */
const AHEAD_NEWS_MAX = 8;
/** What is known becomes known so many noise orders before a print tells it, where prints come that often; else from print to print. */
const KNOWN_GAPS = 150;
/** Less than what an index path remembers. */
const PRINTS_AHEAD_MAX = 48;
/** News of a print comes in so many parts. */
const PARTS = 24;
const NEWS = 1700;

/** How often funding is paid, and the time in which it takes as much as the premium is. */
export type FundingTimes = { readonly fundingIntervalSecs: number; readonly premiumPeriodSecs: number };

/** `gapsPerMs`: noise orders a millisecond, on average. */
export function carryOf(
  path: IndexPath,
  { fundingIntervalSecs, premiumPeriodSecs }: FundingTimes,
  { draw, gapsPerMs }: { readonly draw: Draw; readonly gapsPerMs: number },
): Carry {
  const { printEveryMs, gain, momentum, meanPpm } = path;
  const decayPerMs = ln(1 + fundingIntervalSecs / premiumPeriodSecs) / (fundingIntervalSecs * 1000);
  const kept = printEveryMs === null ? 0 : exp(-decayPerMs * printEveryMs);
  const stay = 1 - gain;
  const newsPpm = (path.newsPpm * gain) / ((1 - kept * stay) * (1 - kept * momentum));
  const gapsToPrint = printEveryMs === null ? 0 : printEveryMs * gapsPerMs;
  const printsAhead =
    gapsToPrint === 0 ? 1 : bounded(Math.max(1, Math.round(KNOWN_GAPS / gapsToPrint)), PRINTS_AHEAD_MAX);
  const keptLast = exp(ln(kept || 1) * (printsAhead - 1));

  const keptAt = (logicalMs: number): number =>
    printEveryMs === null ? 0 : exp(-decayPerMs * ((path.newestAt(logicalMs) + 1) * printEveryMs - logicalMs));

  function aheadOf(step: number, before: number): number {
    if (printEveryMs === null) return 0;
    const moved = step - meanPpm - stay * (before - meanPpm);
    const moves = (momentum * moved) / (1 - kept * momentum);
    const ahead = (stay * (step - meanPpm) + moves) / (1 - kept * stay) + meanPpm / (1 - kept);
    return bounded(ahead, AHEAD_NEWS_MAX * path.newsPpm);
  }

  const afterPrint = (step: number, before: number): number => kept * aheadOf(step, before);
  const stepOf = (k: number): number => (k <= 0 ? meanPpm : path.levelOf(k) - path.levelOf(k - 1));

  /** What all prints after number `k` are worth as of the next, to one who knows `count` of them. */
  function comingAfter(k: number, count: number): number {
    let worth = 0;
    let left = 1;
    for (let next = k + 1; next <= k + count; next += 1) {
      worth += left * stepOf(next);
      left *= kept;
    }
    return worth + left * aheadOf(stepOf(k + count), stepOf(k + count - 1));
  }

  /** How much of the last print that they hear of: it comes in parts that owe nothing to each other, and add up to it. */
  function receivedOf(k: number, partsKnown: number): number {
    let [sum, total] = [0, 0];
    for (let part = 0; part < PARTS; part += 1) {
      total += normalOf(draw, NEWS, k * PARTS + part) / NORMAL_UNIT;
      if (part + 1 === partsKnown) sum = total;
    }
    return (keptLast * newsPpm * (sum - (partsKnown / PARTS) * total)) / Math.sqrt(PARTS);
  }

  return {
    printEveryMs,
    keptAt,
    aheadOf,
    afterPrint,
    printsAhead,
    newsPpm,
    knownAt(logicalMs) {
      const k = path.newestAt(logicalMs);
      if (printEveryMs === null) return path.levelOf(k);
      const partsKnown = Math.floor(((logicalMs - k * printEveryMs) / printEveryMs) * PARTS) + 1;
      const [less, all] = [comingAfter(k, printsAhead - 1), comingAfter(k, printsAhead)];
      const coming = less + (all - less) * (partsKnown / PARTS) + receivedOf(k + printsAhead, partsKnown);
      return path.levelOf(k) + keptAt(logicalMs) * coming;
    },
  };
}
