// Guéant-Lehalle-Fernandez-Tapia 2013: the closed form of the optimal quotes of a market maker with exponential utility, fills
// that arrive as A exp(-k depth) and a price that diffuses. Skews against the inventory, so that it stays near zero by itself.

import {
  bps,
  centers,
  contracts,
  contractsOf,
  count,
  defineStrategy,
  exp,
  fairValueUsd,
  ladderQuotes,
  lastKnown,
  ln,
  noQuotes,
  positive,
  skewInventory,
  type View,
} from "quoin/strategy";
import { z } from "zod";

/** Model of fills and prices in one set of units: USD, seconds, lots (a lot is one level's size). */
export type Model = {
  /** Standard deviation of the price, USD per square root second. */
  readonly sigma: number;
  /** Fills a second at depth 0. */
  readonly intensityA: number;
  /** Decay of fills with depth, per USD. */
  readonly intensityK: number;
};

/**
 * Half spread at zero inventory and skew per lot, both in USD: c1 and c2 of Guéant 2017 (arXiv 1605.01862, equations 4.6 and 4.7)
 * with order size 1 and xi = gamma. `gamma` is risk aversion per USD and lot, above zero.
 */
export function closedForm({ sigma, intensityA, intensityK }: Model, gamma: number) {
  const ratio = gamma / intensityK;
  // ln(1 + ratio) / ratio loses its digits for a small ratio; its series does not.
  const slope = ratio < 1e-8 ? 1 - ratio / 2 : ln(1 + ratio) / ratio;
  const c1 = slope / intensityK;
  const c2 = Math.sqrt((gamma / (2 * intensityA * intensityK)) * exp((1 + ratio) * slope));
  const skewUsd = sigma * c2;
  return { halfSpreadUsd: c1 + skewUsd / 2, skewUsd };
}

/** Each leaves at most a third of the error, so this many are enough from anywhere. */
const STEPS_MAX = 30;
const ERROR_MAX = 1e-12;

/**
 * Risk aversion that holds the inventory's stationary standard deviation at `inventoryStdLots`: its law is exp(-k c q^2) with c the
 * skew, so c = 1 / (2 k std^2). With r = gamma / k, d ln c / d ln gamma = 1 - ln(1 + r) / 2r lies between 1/2 and 1, so steps
 * of 4/3 of what is missing close in from anywhere; the first guess is the limit of small r, where c^2 = sigma^2 gamma e / 2kA.
 */
export function gammaForInventory(model: Model, inventoryStdLots: number): number {
  const { sigma, intensityA, intensityK } = model;
  const wantedSkew = 1 / (2 * intensityK * inventoryStdLots ** 2);
  let gamma = (2 * intensityK * intensityA * (wantedSkew / sigma) ** 2) / Math.E;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const missing = ln(wantedSkew / closedForm(model, gamma).skewUsd);
    if (Math.abs(missing) < ERROR_MAX) break;
    gamma *= exp((4 / 3) * missing);
  }
  return gamma;
}

const shape = z.strictObject({
  size: contracts("Size of each level; one lot of the model."),
  levels: count(1, 20, "Levels a side. Default 1.").default(1),
  stepBps: bps(0.1, 5000, "Distance between levels. Default 5.").default(5),
  maxInventory: contracts("Position at which the side that adds to it stops."),
  inventoryStd: contracts(
    "Wanted standard deviation of the position. Default maxInventory / 3, unless gamma is given.",
  ).optional(),
  gamma: positive(1e6, "1 / (USD x lot)", "Risk aversion, instead of inventoryStd.").optional(),
  volatilityBps: positive(1000, "bps per square root second", "Volatility, instead of the estimate.").optional(),
  volatilityFloorBps: positive(
    1000,
    "bps per square root second",
    "Least volatility assumed, and the one assumed without an estimate. Default 0.05.",
  ).default(0.05),
  intensityA: positive(1e6, "fills a second", "Fills at depth 0, instead of the estimate.").optional(),
  depthBps: positive(
    1000,
    "bps",
    "Depth at which fills are e times fewer (1 / k), instead of the estimate.",
  ).optional(),
  minHalfSpreadBps: bps(
    0,
    5000,
    "Least distance of the first level from fair value at zero inventory. Default 2.",
  ).default(2),
  maxHalfSpreadBps: bps(0.1, 5000, "Most. Default 200.").default(200),
  center: z.enum(centers).default("blend").describe("oracle, mid, microprice or blend (their mean). Default blend."),
});

const params = shape
  .refine((given) => given.gamma === undefined || given.inventoryStd === undefined, {
    path: ["gamma"],
    message: "stands beside inventoryStd; allowed: one of the two",
  })
  .refine((given) => given.minHalfSpreadBps <= given.maxHalfSpreadBps, {
    path: ["minHalfSpreadBps"],
    message: "is above maxHalfSpreadBps",
  });

export type Params = z.output<typeof params>;

/** Assumed while nothing was observed: a fill in ten seconds at fair value, e times fewer each 10 bps away. */
const PRIOR_INTENSITY_A = 0.1;
const PRIOR_DEPTH_BPS = 10;

/** The model at a fair value: what is configured, else what was estimated, else the prior. */
function modelOf(view: View, params: Params, fair: number): Model {
  const { volatilityBps, intensityA, intensityK } = view.signals;
  const sigmaBps = params.volatilityBps ?? Math.max(volatilityBps ?? 0, params.volatilityFloorBps);
  const priorK = 10_000 / (PRIOR_DEPTH_BPS * fair);
  return {
    sigma: (sigmaBps / 10_000) * fair,
    intensityA: params.intensityA ?? intensityA ?? PRIOR_INTENSITY_A,
    intensityK: params.depthBps === undefined ? (intensityK ?? priorK) : 10_000 / (params.depthBps * fair),
  };
}

export const strategy = defineStrategy({
  name: "glft",
  summary: "Optimal spread and inventory skew of Guéant, Lehalle and Fernandez-Tapia.",
  params,
  start: () => null,
  quote(view: View, given: Params) {
    const fair = fairValueUsd(view, given.center, given.size);
    if (fair === undefined) return noQuotes("the fair value is unknown");
    const model = modelOf(view, given, fair);
    const lot = contractsOf(given.size);
    const inventoryStd =
      given.inventoryStd === undefined ? contractsOf(given.maxInventory) / 3 : contractsOf(given.inventoryStd);
    const gamma = given.gamma ?? gammaForInventory(model, inventoryStd / lot);
    const optimum = closedForm(model, gamma);
    // A fee moves both quotes out by itself, a rebate in: the argmax of (depth - fee) exp(-k depth).
    const feeUsd = (fair * (lastKnown(view.feeTier)?.makerFeeBps ?? 0)) / 10_000;
    const halfSpread = clamp(
      optimum.halfSpreadUsd + feeUsd,
      (fair * given.minHalfSpreadBps) / 10_000,
      (fair * given.maxHalfSpreadBps) / 10_000,
    );
    const inventoryLots = skewInventory(view) / lot;
    const leanUsd = optimum.skewUsd * inventoryLots;
    return ladderQuotes(view, {
      fairValueUsd: fair,
      bidDepthUsd: halfSpread + leanUsd,
      askDepthUsd: halfSpread - leanUsd,
      stepUsd: (fair * given.stepBps) / 10_000,
      levels: given.levels,
      size: given.size,
      maxInventory: given.maxInventory,
    });
  },
});

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);
