// The prints of one index, numbered from 0 at the genesis block: fixed, read from a series, or synthetic; and the statistics of their
// steps. Print k is due at logical time k x printEvery (logical time = height x block time), moved where the index's clocks have changed, and
// independent of the wall clock.

import type { DatedPrint } from "../../domain/index-series.ts";
import { type Price, price } from "../../domain/units.ts";
import { ln } from "../../kernel/real.ts";
import type { OracleSource } from "../config/config.ts";
import { drawsOf, studentOf } from "./draws.ts";

export type IndexPath = {
  /** Print `k`; undefined in gaps of a series and after its end. `k` is a whole number from 0. */
  readonly printAt: (k: number) => Price | undefined;
  /** Logical time at which print `k` is due, ms. */
  readonly dueMs: (k: number) => number;
  /** Number of the newest print due at `logicalMs`, even if the series does not have it. */
  readonly newestAt: (logicalMs: number) => number;
  /** Logical time between prints, ms; null for an index that prints once. */
  readonly printEveryMs: number | null;
  readonly validForMs: number;
  /** How far a print moves toward the value that it smooths: p(k) = p(k-1) + gain (value(k) - p(k-1)) in logarithms. */
  readonly gain: number;
  /** Lag-1 autocorrelation of the value's returns, and the mean step per print, millionths. */
  readonly momentum: number;
  readonly meanPpm: number;
  /** Standard deviation of the news in the value per print, millionths. */
  readonly newsPpm: number;
  /** Logarithm of the ratio of print `k` to print 0, millionths; in a gap of a series, interpolated between its neighbors. */
  readonly levelOf: (k: number) => number;
};

const RETURNS = 1;
const PPB = 1_000_000_000n;
const PPM = 1_000_000;
const PPM_PER_PERCENT = 10_000;
/** Prints kept: the last two, and those ahead that informed traders know. */
const RECENT = 64;
/** Lag-1 autocorrelation of the value's returns. Prints that smooth it are an AR(2), like the real series. */
const MOMENTUM = 0.3;
/** Largest jump of the value in standard deviations: the largest of 522 real prints moved by three. */
const JUMP_MAX = 6;
/** Lag-1 autocorrelation of daily returns of the real national series (0.76); assumed for any series. */
const SERIES_AUTOCORRELATION = 0.76;

/** The path of a market's index. The same seed, market and source give the same prints and values on every machine. */
export function indexPathOf(source: OracleSource, seed: bigint, market: number): IndexPath {
  const validForMs = Math.round(source.validForSecs * 1000);
  switch (source.source) {
    case "fixed": {
      const only = source.price;
      const printAt = (k: number) => (k === 0 ? only : undefined);
      const law = { gain: 1, momentum: 0, meanPpm: 0, newsPpm: 0 };
      return { printAt, dueMs: () => 0, newestAt: () => 0, printEveryMs: null, validForMs, ...law, levelOf: () => 0 };
    }
    case "csv": {
      const { prints } = source.series;
      const values = valuesOf(prints);
      const printed = new Map(prints.map(({ step, price: at }) => [step, at]));
      const { gain, momentum, deviationRatio } = smoothingOf(SERIES_AUTOCORRELATION);
      const timing = timingOf(source);
      const levelOf = levelsOf((k) => values[Math.min(k, values.length - 1)]);
      const law = { gain, momentum, meanPpm: 0, newsPpm: deviationOf(levelOf, values.length) * deviationRatio };
      return { printAt: (k) => printed.get(k), ...timing, validForMs, ...law, levelOf };
    }
    case "synthetic": {
      const smoothing = smoothingOf(source.autocorrelation);
      const { gain, momentum } = smoothing;
      const timing = timingOf(source);
      const printAt = syntheticPrints(source, smoothing, drawsOf(seed, market));
      const newsPpm = source.volatilityPercent * PPM_PER_PERCENT * smoothing.deviationRatio;
      const law = { gain, momentum, meanPpm: source.driftPercent * PPM_PER_PERCENT, newsPpm };
      return { printAt, ...timing, validForMs, ...law, levelOf: levelsOf(printAt) };
    }
  }
}

/** Prices by step. In a gap there is no print; values there are interpolated in equal steps. */
function valuesOf(prints: readonly DatedPrint[]): readonly Price[] {
  return prints.flatMap(({ price: to, step }, index) => {
    const { price: from, step: since } = prints[index - 1] ?? { price: to, step: step - 1 };
    const steps = BigInt(step - since);
    return Array.from({ length: step - since }, (_, at) => price(from + ((to - from) * BigInt(at + 1)) / steps));
  });
}

type Timing = { readonly printEveryMs: number } & Pick<IndexPath, "dueMs" | "newestAt">;
type Timed = Pick<Extract<OracleSource, { source: "synthetic" }>, "printEverySecs" | "clockChange">;

function timingOf(source: Timed): Timing {
  const { printEveryMs, byMs, firstMoved } = movesOf(source);
  const dueMs = (k: number): number => k * printEveryMs + (k < firstMoved ? 0 : byMs);
  return {
    printEveryMs,
    dueMs,
    newestAt(logicalMs) {
      const moved = Math.floor((logicalMs - byMs) / printEveryMs);
      return moved >= firstMoved ? moved : Math.min(firstMoved - 1, Math.floor(logicalMs / printEveryMs));
    },
  };
}

function movesOf({ printEverySecs, clockChange }: Timed) {
  const printEveryMs = Math.max(1, Math.round(printEverySecs * 1000));
  const { afterSecs, bySecs } = clockChange ?? { afterSecs: 0, bySecs: 0 };
  // An index that prints each minute continues to do so when the clocks change by an hour.
  const byMs = (bySecs * 1000) % printEveryMs;
  return { printEveryMs, byMs, firstMoved: Math.max(1, Math.ceil((afterSecs * 1000) / printEveryMs)) };
}

/** Logical time, ms, from which an index's prints are not when they would be without its clock change; null: it moves none. */
export function clockChangeMs(source: OracleSource): number | null {
  if (source.source === "fixed") return null;
  const { printEveryMs, byMs, firstMoved } = movesOf(source);
  return byMs === 0 ? null : firstMoved * printEveryMs + Math.min(0, byMs);
}

type Smoothing = {
  readonly gain: number;
  readonly momentum: number;
  /** Standard deviation of the news in the value per print, relative to that of the print's return. */
  readonly deviationRatio: number;
};

/**
 * Prints r(k) = (1 - g) r(k-1) + g v(k) of a value with returns v(k) = f v(k-1) + e(k) are an AR(2) with roots 1 - g and f. Its lag-1
 * autocorrelation (1 - g + f) / (1 + (1 - g) f) must equal `autocorrelation`.
 */
function smoothingOf(autocorrelation: number): Smoothing {
  const momentum = Math.max(0, Math.min(MOMENTUM, autocorrelation / 2));
  const stay = (autocorrelation - momentum) / (1 - autocorrelation * momentum);
  const gain = 1 - stay;
  const [first, second] = [stay + momentum, -stay * momentum];
  const variance = (1 - second) / ((1 + second) * ((1 - second) ** 2 - first ** 2));
  return { gain, momentum, deviationRatio: 1 / (gain * Math.sqrt(variance)) };
}

/**
 * Log returns of a smoothed value (`smoothingOf`) with Student's t jumps, with the mean, standard deviation and lag-1 autocorrelation of
 * the source. Returns are whole parts per billion. Keeps the prints around the newest; an older print restarts the computation from the
 * beginning.
 */
function syntheticPrints(
  source: Extract<OracleSource, { source: "synthetic" }>,
  { gain, momentum, deviationRatio }: Smoothing,
  draw: ReturnType<typeof drawsOf>,
): (k: number) => Price {
  const mean = source.driftPercent * PPM_PER_PERCENT * 1000;
  const deviation = source.volatilityPercent * PPM_PER_PERCENT * 1000 * deviationRatio;
  const start = { k: 0, price: source.price, moved: 0, print: 0 };

  let recent = [start];
  return (k) => {
    let at = recent.findLast((print) => print.k <= k) ?? start;
    while (at.k < k) {
      const next = at.k + 1;
      const moved = momentum * at.moved + deviation * bounded(studentOf(draw, RETURNS, next), JUMP_MAX);
      const print = (1 - gain) * at.print + gain * moved;
      at = { k: next, price: grown(at.price, BigInt(Math.round(mean + print))), moved, print };
      recent = [...recent.slice(1 - RECENT), at];
    }
    return at.price;
  };
}

function levelsOf(printAt: (k: number) => Price | undefined): IndexPath["levelOf"] {
  const first = Number(printAt(0) ?? 1n);
  return (k) => ln(Number(printAt(k) ?? 1n) / first) * PPM;
}

/** Root mean square of the steps of the first `count` prints. */
function deviationOf(levelOf: IndexPath["levelOf"], count: number): number {
  let squares = 0;
  for (let k = 1; k < count; k += 1) squares += (levelOf(k) - levelOf(k - 1)) ** 2;
  return Math.sqrt(squares / Math.max(1, count - 1));
}

export const bounded = (value: number, most: number): number => Math.max(-most, Math.min(most, value));

/**
 * `from` x exp(`return`), the exponential as a series up to the second order (the third is below 1e-9 for any print seen); never below 1.
 */
function grown(from: Price, returnPpb: bigint): Price {
  const factor = PPB + returnPpb + (returnPpb * returnPpb) / (2n * PPB);
  const next = (from * factor) / PPB;
  return price(next > 0n ? next : 1n);
}
