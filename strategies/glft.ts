// Guéant-Lehalle-Fernandez-Tapia 2013: closed form of the optimal quotes of a market maker with exponential utility, for fills that arrive
// as A exp(-k depth) and a price that diffuses. Skews against the inventory, so that it returns to zero. The optimal half-spread is behind the
// touch where others quote nearer than takers reach; there the others' touch decides it, and the formula the skew alone.

import {
  boundedHalfSpread,
  bps,
  defineStrategy,
  exp,
  type FillModel,
  fairValueUsd,
  fillModel,
  fillModelParams,
  fillModelRules,
  inventoryLots,
  inventoryStdLots,
  ladderQuotes,
  leanOf,
  ln,
  modelDrifts,
  modelReads,
  noQuotes,
  positive,
  reduceWhileThin,
  type View,
} from "quoin/strategy";
import { z } from "zod";

/**
 * Half-spread at zero inventory and skew per lot, both in USD: c1 and c2 of Guéant 2017 (arXiv 1605.01862, equations 4.6 and 4.7) with
 * order size 1 and xi = gamma. `gamma`: risk aversion per USD and lot, above zero. An impact i of each fill adds i / 2 to the half-spread
 * and multiplies the skew by exp(k i / 4) (the paper's section on impact).
 */
export function closedForm({ sigma, intensityA, intensityK, impact = 0 }: FillModel, gamma: number) {
  const ratio = gamma / intensityK;
  const slope = slopeOf(ratio);
  const c1 = slope / intensityK;
  const c2 = Math.sqrt((gamma / (2 * intensityA * intensityK)) * exp((1 + ratio) * slope));
  const skewUsd = sigma * c2 * exp((intensityK * impact) / 4);
  return { halfSpreadUsd: c1 + (skewUsd + impact) / 2, skewUsd };
}

/** ln(1 + ratio) / ratio loses precision for a small ratio; its series does not. */
const slopeOf = (ratio: number): number => (ratio < 1e-8 ? 1 - ratio / 2 : ln(1 + ratio) / ratio);

/** Five or six steps are enough; more than these would only oscillate in the last digit. */
const STEPS_MAX = 30;
const ERROR_MAX = 1e-12;

/**
 * Risk aversion that keeps the inventory's stationary standard deviation at `inventoryStdLots`: its distribution is exp(-k c q^2) with skew
 * c, so c = 1 / (2 k std^2). With r = gamma / k, d ln c / d ln gamma = 1 - ln(1 + r) / 2r rises from 1/2 to 1, so Newton's method converges
 * from above. The first guess is above: the limit of small r, where c^2 = sigma^2 gamma e / 2kA.
 */
export function gammaForInventory(model: FillModel, inventoryStdLots: number): number {
  const { sigma, intensityA, intensityK, impact = 0 } = model;
  const wantedSkew = 1 / (2 * intensityK * inventoryStdLots ** 2);
  const plainSkew = wantedSkew / exp((intensityK * impact) / 4);
  let gamma = (2 * intensityK * intensityA * (plainSkew / sigma) ** 2) / Math.E;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const missing = ln(wantedSkew / closedForm(model, gamma).skewUsd);
    if (Math.abs(missing) < ERROR_MAX) break;
    gamma *= exp(missing / (1 - slopeOf(gamma / intensityK) / 2));
  }
  return gamma;
}

/**
 * Inventory in lots at which holding pays as much as its risk costs; optimal quotes keep it there: q* = mu / (gamma sigma^2). `driftUsd`:
 * earnings of a long position of one contract without trading, USD per second; `sigma`: above zero.
 */
export const inventoryTarget = (driftUsd: number, sigma: number, gamma: number): number =>
  driftUsd / (gamma * sigma ** 2);

/**
 * Share of a fill of one lot that adds to the inventory, 0 to 1; `sign`: +1 for a buy. The paper charges half of the impact to each fill,
 * because our own impact reverts when we close. An informed taker moves the price whether we close or not, so an adding fill costs all of
 * it.
 */
export const addingShare = (inventoryLots: number, sign: 1 | -1): number =>
  1 - Math.min(1, Math.max(0, -sign * inventoryLots));

const params = z
  .strictObject({
    ...fillModelParams,
    intensityA: positive(
      1e6,
      "fills a second",
      "Fills at depth 0, instead of the estimate. Without either: 0.1.",
    ).optional(),
    impactBps: bps(
      0,
      1000,
      "How far the price moves against us in the minute after a fill, instead of the estimate. Without either: 0.",
    ).optional(),
  })
  .superRefine(fillModelRules);

export type Params = z.output<typeof params>;

export const strategy = defineStrategy({
  name: "glft",
  summary: "Optimal spread and inventory skew of Guéant, Lehalle and Fernandez-Tapia.",
  params,
  start: () => null,
  reads: modelReads,
  drifts: modelDrifts,
  quote(view: View, given: Params) {
    const fair = fairValueUsd(view, given.center, given.size);
    if (fair === undefined) return noQuotes("the fair value is unknown");
    const model = fillModel(view, given, fair);
    const gamma = given.gamma ?? gammaForInventory({ ...model, sigma: model.slowSigma }, inventoryStdLots(given));
    const optimum = closedForm(model, gamma);
    const lots = inventoryLots(view, given.size);
    const halfSpread = (sign: 1 | -1) =>
      boundedHalfSpread(view, given, fair, optimum.halfSpreadUsd + (addingShare(lots, sign) * model.impact) / 2);
    const { scale, ...lean } = leanOf(view, given);
    const leanUsd = scale * optimum.skewUsd * lots;
    const quotes = ladderQuotes(view, {
      fairValueUsd: fair,
      bidDepthUsd: halfSpread(1) + leanUsd,
      askDepthUsd: halfSpread(-1) - leanUsd,
      stepUsd: (fair * given.stepBps) / 10_000,
      levels: given.levels,
      size: given.size,
      maxInventory: given.maxInventory,
    });
    return reduceWhileThin(view, given, { ...quotes, ...lean });
  },
});
