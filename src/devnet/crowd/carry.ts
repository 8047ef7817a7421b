// Value of a contract between two prints, for traders who know the prints so far and for traders who know what comes. Funding charges a
// share of the premium to the holder, so a future print counts only as far as funding leaves its value until then (Ackerer, Hugonnier and
// Jermann 2023). At this price a position earns nothing on either side: funding takes what prints bring.

import { exp, ln } from "../../kernel/real.ts";
import { type Draw, NORMAL_UNIT, normalOf } from "./draws.ts";
import { bounded, type IndexPath } from "./index-path.ts";

export type Carry = {
  /** From the index; null if it prints only once. */
  readonly printEveryMs: number | null;
  /** Share of a premium that funding leaves from `logicalMs` until the next print; 0 if there is no next print. */
  readonly keptAt: (logicalMs: number) => number;
  /**
   * Value to a holder of future prints, after a print that moved by `step` and a previous one that moved by `before`; as of the next print;
   * millionths.
   */
  readonly aheadOf: (step: number, before: number) => number;
  /** How far above a print the price just after it should be: `aheadOf`, discounted by one full interval between prints. */
  readonly afterPrint: (step: number, before: number) => number;
  /** Number of prints ahead that informed traders know completely by the time the next print is due. */
  readonly printsAhead: number;
  /** Standard deviation of the news of one print, with all its consequences, as of that print; millionths. */
  readonly newsPpm: number;
  /** Fair level for informed traders. */
  readonly knownAt: (logicalMs: number) => number;
};

/** Cap on the expected move after a jump of the index, in standard deviations of the news in its value. */
const AHEAD_NEWS_MAX = 8;
/**
 * News of a print becomes known over this many noise orders before the print, if prints come that often; otherwise over the time between
 * prints.
 */
const KNOWN_GAPS = 150;
/** Less than the prints that an index path keeps. */
const PRINTS_AHEAD_MAX = 48;
/** The news of a print arrives in this many parts. */
const PARTS = 24;
const NEWS = 1700;

/** Funding interval, and the time in which funding pays an amount equal to the premium. */
export type FundingTimes = { readonly fundingIntervalSecs: number; readonly premiumPeriodSecs: number };

/** `gapsPerMs`: mean noise orders per millisecond. */
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
    printEveryMs === null ? 0 : exp(-decayPerMs * (path.dueMs(path.newestAt(logicalMs) + 1) - logicalMs));

  function aheadOf(step: number, before: number): number {
    if (printEveryMs === null) return 0;
    const moved = step - meanPpm - stay * (before - meanPpm);
    const moves = (momentum * moved) / (1 - kept * momentum);
    const ahead = (stay * (step - meanPpm) + moves) / (1 - kept * stay) + meanPpm / (1 - kept);
    return bounded(ahead, AHEAD_NEWS_MAX * path.newsPpm);
  }

  const afterPrint = (step: number, before: number): number => kept * aheadOf(step, before);
  const stepOf = (k: number): number => (k <= 0 ? meanPpm : path.levelOf(k) - path.levelOf(k - 1));

  /** Value of all prints after number `k`, as of the next one, for a trader who knows `count` of them. */
  function comingAfter(k: number, count: number): number {
    let worth = 0;
    let left = 1;
    for (let next = k + 1; next <= k + count; next += 1) {
      worth += left * stepOf(next);
      left *= kept;
    }
    return worth + left * aheadOf(stepOf(k + count), stepOf(k + count - 1));
  }

  /** Known part of the news of the last print: it arrives in independent parts that add up to it. */
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
      const [sinceMs, untilMs] = [path.dueMs(k), path.dueMs(k + 1)];
      const partsKnown = Math.floor(((logicalMs - sinceMs) / (untilMs - sinceMs)) * PARTS) + 1;
      const [less, all] = [comingAfter(k, printsAhead - 1), comingAfter(k, printsAhead)];
      const coming = less + (all - less) * (partsKnown / PARTS) + receivedOf(k + printsAhead, partsKnown);
      return path.levelOf(k) + keptAt(logicalMs) * coming;
    },
  };
}
