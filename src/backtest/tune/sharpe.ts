// The deflated Sharpe ratio: D. H. Bailey and M. López de Prado, "The deflated Sharpe ratio: correcting for selection bias, backtest overfitting,
// and non-normality", Journal of Portfolio Management 40 (2014), equations 1 and 2. Ratios are per observation, not scaled to a year.

import { normalCdf, normalQuantile } from "../../kernel/normal.ts";
import { meanOf, stdOf } from "../summary.ts";

const EULER_MASCHERONI = 0.577_215_664_901_532_9;

/** Mean over standard deviation; 0 where nothing varies. */
function sharpeOf(values: readonly number[]): number {
  const std = stdOf(values);
  return std === null || std === 0 ? 0 : meanOf(values) / std;
}

/** Equation 1: the highest ratio that chance is expected to make among `trials` settings whose ratios have this variance. */
export const expectedMaximum = (variance: number, trials: number): number =>
  trials < 2
    ? 0
    : Math.sqrt(variance) *
      ((1 - EULER_MASCHERONI) * normalQuantile(1 - 1 / trials) +
        EULER_MASCHERONI * normalQuantile(1 - 1 / (trials * Math.E)));

/** Equation 2, from the moments: `skew` and `kurtosis` of the observations, 0 and 3 where these are normal. */
export function deflatedSharpe(of: {
  readonly sharpe: number;
  readonly observations: number;
  readonly skew: number;
  readonly kurtosis: number;
  readonly variance: number;
  readonly trials: number;
}): number {
  const { sharpe, observations, skew, kurtosis, variance, trials } = of;
  const error = Math.sqrt(Math.max(1e-12, 1 - skew * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe));
  return normalCdf(((sharpe - expectedMaximum(variance, trials)) * Math.sqrt(observations - 1)) / error);
}

/**
 * Probability that the ratio behind `picked` is above what chance makes among `count` trials. `trials`: those that tell how far chance spreads
 * the ratios, `picked` among them; one that surely loses is none, because its ratio is no luck. Null: fewer than two values, or all are the
 * same.
 */
export function deflatedSharpeOf(
  picked: readonly number[],
  trials: readonly (readonly number[])[],
  count = trials.length,
): number | null {
  const std = stdOf(picked);
  if (std === null || std === 0) return null;
  const mean = meanOf(picked);
  const moment = (power: number): number => meanOf(picked.map((value) => (value - mean) ** power));
  const square = moment(2);
  return deflatedSharpe({
    sharpe: sharpeOf(picked),
    observations: picked.length,
    skew: moment(3) / square ** 1.5,
    kurtosis: moment(4) / square ** 2,
    variance: (stdOf(trials.map(sharpeOf)) ?? 0) ** 2,
    trials: count,
  });
}
