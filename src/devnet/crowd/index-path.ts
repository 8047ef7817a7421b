// The prints of one index, numbered from 0 at the genesis block: fixed, read from a series, or synthetic.
// Print k is due at logical time k x printEvery (logical time = height x block time), whatever the wall clock does.

import { type Price, price } from "../../domain/units.ts";
import type { OracleSource } from "../config/config.ts";
import { drawsOf, NORMAL_UNIT, normalOf } from "./noise.ts";

export type IndexPath = {
  /** Print `k`; undefined after the last one of a series. `k` is a whole number from 0. */
  readonly printAt: (k: number) => Price | undefined;
  /** Number of the newest print due at `logicalMs`, whether the series still has it or not. */
  readonly newestAt: (logicalMs: number) => number;
  /** Logical time between prints; null for an index that prints once. */
  readonly printEveryMs: number | null;
  readonly validForMs: number;
  /** Share of the last return that the next one is expected to repeat, 0 to 1. */
  readonly autocorrelation: number;
};

/** Stream numbers below 100 belong to the index. */
const RETURNS = 1;
const PPB = 1_000_000_000n;
const PPB_PER_PERCENT = 10_000_000;
/** The crowd looks at three prints at a time: the last, the one before and the next. */
const RECENT = 4;
/** Lag-1 autocorrelation of daily returns of the real national series (0.76): what the crowd expects of any series. */
const SERIES_AUTOCORRELATION = 0.76;

/** The path of a market's index. Equal seed, market and source give equal prints on every machine. */
export function indexPathOf(source: OracleSource, seed: bigint, market: number): IndexPath {
  const validForMs = Math.round(source.validForSecs * 1000);
  switch (source.source) {
    case "fixed": {
      const only = source.price;
      const printAt = (k: number) => (k === 0 ? only : undefined);
      return { printAt, newestAt: () => 0, printEveryMs: null, validForMs, autocorrelation: 0 };
    }
    case "csv": {
      const { prints } = source;
      const printAt = (k: number) => prints[k]?.price;
      return { printAt, ...every(source.printEverySecs), validForMs, autocorrelation: SERIES_AUTOCORRELATION };
    }
    case "synthetic": {
      const printAt = syntheticPrints(source, seed, market);
      return { printAt, ...every(source.printEverySecs), validForMs, autocorrelation: source.autocorrelation };
    }
  }
}

function every(printEverySecs: number): Pick<IndexPath, "newestAt" | "printEveryMs"> {
  const printEveryMs = Math.max(1, Math.round(printEverySecs * 1000));
  return { printEveryMs, newestAt: (logicalMs) => Math.floor(logicalMs / printEveryMs) };
}

/**
 * Log returns of an AR(1): r(k) = m + a (r(k-1) - m) + s sqrt(1 - a^2) z(k), so that mean m, standard deviation s and lag-1
 * autocorrelation a are those of the series (../shared/data/README.md gives the real ones). Returns are whole parts per billion.
 * Only + - x / and sqrt touch floats: IEEE 754 fixes their last bit. Remembers the prints around the newest; going further back starts over.
 */
function syntheticPrints(
  source: Extract<OracleSource, { source: "synthetic" }>,
  seed: bigint,
  market: number,
): (k: number) => Price {
  const draw = drawsOf(seed, market);
  const mean = source.driftPercent * PPB_PER_PERCENT;
  const deviation = source.volatilityPercent * PPB_PER_PERCENT;
  const { autocorrelation } = source;
  const surprise = deviation * Math.sqrt(1 - autocorrelation * autocorrelation);
  const start = { k: 0, price: source.price, last: deviation * (normalOf(draw, RETURNS, 0) / NORMAL_UNIT) };

  let recent = [start];
  return (k) => {
    let at = recent.findLast((print) => print.k <= k) ?? start;
    while (at.k < k) {
      const next = at.k + 1;
      const last = autocorrelation * at.last + surprise * (normalOf(draw, RETURNS, next) / NORMAL_UNIT);
      at = { k: next, price: grown(at.price, BigInt(Math.round(mean + last))), last };
      recent = [...recent.slice(1 - RECENT), at];
    }
    return at.price;
  };
}

/**
 * `from` x exp(`return`), the exponential by its series to the second order (the third is below 1e-9 for any print seen); never
 * below 1.
 */
function grown(from: Price, returnPpb: bigint): Price {
  const factor = PPB + returnPpb + (returnPpb * returnPpb) / (2n * PPB);
  const next = (from * factor) / PPB;
  return price(next > 0n ? next : 1n);
}
