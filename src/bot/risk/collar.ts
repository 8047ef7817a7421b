// The collar: how far orders, the strategy's fair value and the closing price may be from the last trusted print.

import type { Signals } from "../../domain/view.ts";
import type { MarketLimits } from "./limits/limits.ts";

const LEAST_BPS = 50;
const DEVIATIONS = 6;

/** Whole basis points: as configured, else from the print deviation, rounded up. */
export function collarBps(
  { maxOracleDistanceBps }: Pick<MarketLimits, "maxOracleDistanceBps">,
  { printDeviationBps }: Pick<Signals, "printDeviationBps">,
): number {
  if (maxOracleDistanceBps !== null) return maxOracleDistanceBps;
  return Math.max(LEAST_BPS, Math.ceil(DEVIATIONS * printDeviationBps));
}
