// Annualizes the days of a run or period, by one convention: 365 days, since the market never closes; not compounded, since sizes do not
// grow with the equity; days without a fill count. docs/how-pnl-is-valued.md has the formulas.

import { signed } from "./markup.ts";
import type { Term } from "./terms.ts";

const YEAR_DAYS = 365;
/** Fewer days give no Sharpe ratio: its standard error would be larger than three. */
export const SHARPE_DAYS_MIN = 30;

/** USDC; the Sharpe ratio is a number. */
export type Annual = {
  /** Whole days. */
  readonly days: number;
  readonly pnl: number;
  /** Standard deviation of a year's PnL, if days are independent. */
  readonly deviation: number;
  /** Null: fewer than `SHARPE_DAYS_MIN` days, or all of them equal. */
  readonly sharpe: number | null;
};

export const ANNUAL_TERM: Term = [
  "annual",
  "a year, Sharpe ratio",
  "The mean of whole days times 365, not compounded. Sharpe ratio: the mean over the standard deviation of days, times the root of 365; below 30 days there is none.",
];

/** For people; empty: too few days. */
export function annualTexts(annual: Annual | null): readonly string[] {
  if (annual === null) return [];
  const { days, pnl, sharpe } = annual;
  const ratio = sharpe === null ? "" : `, Sharpe ratio ${sharpe.toFixed(2)}`;
  return [`${signed(pnl)} a year by ${days} days${ratio}`];
}

/** From the PnL of each whole day; null: fewer than two of them. */
export function annualOf(days: readonly number[]): Annual | null {
  if (days.length < 2) return null;
  const mean = days.reduce((sum, day) => sum + day, 0) / days.length;
  const squares = days.reduce((sum, day) => sum + (day - mean) ** 2, 0);
  const deviation = Math.sqrt((YEAR_DAYS * squares) / (days.length - 1));
  const pnl = YEAR_DAYS * mean;
  const hasRatio = days.length >= SHARPE_DAYS_MIN && deviation > 0;
  return { days: days.length, pnl, deviation, sharpe: hasRatio ? pnl / deviation : null };
}

/**
 * How far each value is below the best so far, 0 or below, in the values' unit: the first is compared with `start`, so that a loss from
 * the beginning counts.
 */
export function fallsOf(values: readonly bigint[], start: bigint): readonly bigint[] {
  let best = start;
  return values.map((value) => {
    if (value > best) best = value;
    return value - best;
  });
}
