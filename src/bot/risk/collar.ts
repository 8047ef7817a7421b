// The collar: how far from the last trusted print orders, the strategy's fair value and the price to close at may be.

import type { Signals } from "../../domain/view.ts";
import type { MarketLimits } from "./limits/limits.ts";

const LEAST_BPS = 50;
const DEVIATIONS = 6;

/** Basis points, whole: what is configured, else by the print deviation, rounded up. */
export function collarBps(
  { maxOracleDistanceBps }: Pick<MarketLimits, "maxOracleDistanceBps">,
  { printDeviationBps }: Pick<Signals, "printDeviationBps">,
): number {
  if (maxOracleDistanceBps !== null) return maxOracleDistanceBps;
  return Math.max(LEAST_BPS, Math.ceil(DEVIATIONS * printDeviationBps));
}
