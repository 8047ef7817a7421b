// The model that several strategies quote by: prices diffuse, and an order at a depth is filled at the rate A exp(-k depth). Each parameter
// is the configured one, else the estimate, else the prior.

import type { z } from "zod";
import type { Lean } from "../../domain/quotes.ts";
import { contractsOf } from "../../domain/rounding.ts";
import { bps, contracts, count, positive } from "../../domain/scalars.ts";
import type { Size } from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";
import { centerParam, centerReads, othersHalfSpreadUsd } from "./fair-value.ts";
import { skewInventory } from "./inventory.ts";

/** Units: USD, seconds, lots (a lot is one level's size). */
export type FillModel = {
  /** Standard deviation of the price, USD per square root second. */
  readonly sigma: number;
  /** Fills per second at depth 0. */
  readonly intensityA: number;
  /** Decay of fills with depth, per USD. */
  readonly intensityK: number;
  /** How far the price moves against us after a fill, USD; default none. */
  readonly impact?: number;
};

/** With the usual `sigma`: risk aversion is derived from it, so that unusual volatility moves the quotes. */
export type EstimatedModel = Required<FillModel> & { readonly slowSigma: number };

/** Parameters of the model, for a strategy that only asks how fills and prices behave. */
export const modelParams = Object.freeze({
  volatilityBps: positive(1000, "bps per square root second", "Volatility, instead of the estimate.").optional(),
  volatilityFloorBps: positive(
    1000,
    "bps per square root second",
    "Least volatility assumed, and the one assumed without an estimate. Default 0.05.",
  ).default(0.05),
  depthBps: positive(
    1000,
    "basis points",
    "Depth at which fills are e times fewer (1 / k), instead of the estimate. Without either: 10.",
  ).optional(),
});
type ModelParams = z.output<z.ZodObject<typeof modelParams>>;

/** Parameters of a strategy that quotes by the model, including bounds of its half-spread. */
export const fillModelParams = Object.freeze({
  size: contracts("Size of each level; one lot of the model."),
  levels: count(1, 20, "Levels a side. Default 1.").default(1),
  stepBps: bps(0.1, 5000, "Distance between levels. Default 5.").default(5),
  maxInventory: contracts("Position at which the side that adds to it stops."),
  inventoryStd: contracts(
    "Wanted standard deviation of the position; the skew is scaled until it is met. Default maxInventory / 2, unless gamma is given.",
  ).optional(),
  gamma: positive(
    1e6,
    "1 / (USD x lot)",
    "Risk aversion, instead of inventoryStd; nothing scales its skew.",
  ).optional(),
  slowVolatilityBps: positive(
    1000,
    "bps per square root second",
    "Usual volatility, at which the position has its wanted deviation; above it spread and skew grow. Default volatilityBps, else the estimate of a week.",
  ).optional(),
  ...modelParams,
  minHalfSpreadBps: bps(
    0,
    5000,
    "Least distance of the first level from fair value at zero inventory. Default 2.",
  ).default(2),
  maxHalfSpreadBps: bps(0.1, 5000, "Largest distance of it. Default 200.").default(200),
  center: centerParam,
});

export type FillModelParams = z.output<z.ZodObject<typeof fillModelParams>>;

/** Rules that join these parameters: pass it to `superRefine`. */
export function fillModelRules(given: FillModelParams, context: z.RefinementCtx): void {
  const refuse = (name: keyof FillModelParams, message: string) =>
    context.addIssue({ code: "custom", path: [name], message });
  if (given.gamma !== undefined && given.inventoryStd !== undefined)
    refuse("gamma", "stands beside inventoryStd; allowed: one of the two");
  if (given.minHalfSpreadBps > given.maxHalfSpreadBps)
    refuse("minHalfSpreadBps", `is above maxHalfSpreadBps, ${given.maxHalfSpreadBps}`);
}

/** Prior: a fill in ten seconds at fair value, e times fewer each 10 bps away. */
const PRIOR_INTENSITY_A = 0.1;
const PRIOR_DEPTH_BPS = 10;

/** `slowVolatilityBps`, `intensityA`, `impactBps`: override the estimates. */
export function fillModel(
  { signals }: View,
  given: ModelParams & {
    readonly [K in "slowVolatilityBps" | "intensityA" | "impactBps"]?: number | undefined;
  },
  fairUsd: number,
): EstimatedModel {
  const { volatilityBps, dayVolatilityBps, slowVolatilityBps } = signals;
  const floor = given.volatilityFloorBps;
  const sigmaBps = given.volatilityBps ?? Math.max(volatilityBps ?? 0, dayVolatilityBps ?? 0, floor);
  const usualBps = given.volatilityBps ?? Math.max(slowVolatilityBps ?? sigmaBps, floor);
  const priorK = 10_000 / (PRIOR_DEPTH_BPS * fairUsd);
  return {
    sigma: (sigmaBps / 10_000) * fairUsd,
    slowSigma: ((given.slowVolatilityBps ?? usualBps) / 10_000) * fairUsd,
    intensityA: given.intensityA ?? signals.intensityA ?? PRIOR_INTENSITY_A,
    intensityK: given.depthBps === undefined ? (signals.intensityK ?? priorK) : 10_000 / (given.depthBps * fairUsd),
    impact: (Math.max(0, given.impactBps ?? signals.adverseBps) / 10_000) * fairUsd,
  };
}

/**
 * The estimates that the model and `leanOf` use, for a strategy's `drifts`: to a thousandth, since they change a little with every frame of
 * the book, and quotes by less than a tick.
 */
export const modelDrifts = ({ signals }: View): readonly unknown[] =>
  [
    signals.volatilityBps,
    signals.dayVolatilityBps,
    signals.slowVolatilityBps,
    signals.intensityA,
    signals.intensityK,
    signals.adverseBps,
    signals.skewScale,
  ].map((estimate) => estimate && Number(estimate.toPrecision(DRIFT_DIGITS)));

const DRIFT_DIGITS = 3;

/** Returns the wanted standard deviation of the inventory, in lots. */
export function inventoryStdLots(given: FillModelParams): number {
  const wanted =
    given.inventoryStd === undefined ? contractsOf(given.maxInventory) / 2 : contractsOf(given.inventoryStd);
  return wanted / contractsOf(given.size);
}

/**
 * For a strategy that targets a deviation of its inventory: returns what its quotes lean against, and by what multiple of the formula. A
 * configured risk aversion is used as it is.
 */
export function leanOf(view: View, given: FillModelParams): { readonly scale: number; readonly lean?: Lean } {
  if (given.gamma !== undefined) return { scale: 1 };
  const wantedStd = inventoryStdLots(given) * contractsOf(given.size);
  return { scale: view.signals.skewScale, lean: { inventory: skewInventory(view), wantedStd } };
}

/** The inventory that the skew counts, in lots of `lot` contracts, signed. */
export const inventoryLots = (view: View, lot: Size): number => skewInventory(view) / contractsOf(lot);

/** What a strategy reads that quotes `boundedHalfSpread` around `fairValueUsd`. */
export const modelReads = (view: View, given: Pick<FillModelParams, "center" | "size">): readonly unknown[] => [
  ...centerReads(view, given),
  othersHalfSpreadUsd(view, given.size),
];

/**
 * Quotes are no wider than this share of the others' half spread. Behind their touch takers are mostly used up before they reach us, which the law
 * of how far takers reach does not know; just inside it the next one who quotes steps in front.
 */
const OTHERS_SHARE = 0.75;

/**
 * Returns the half-spread for an optimum without fees, USD, within its bounds and inside the others' touch. A fee moves both quotes out by
 * its own size, a rebate in: the argmax of (depth - fee) exp(-k depth).
 */
export function boundedHalfSpread(view: View, given: FillModelParams, fairUsd: number, optimumUsd: number): number {
  const feeUsd = (fairUsd * (lastKnown(view.feeTier)?.makerFeeBps ?? 0)) / 10_000;
  const insideUsd = OTHERS_SHARE * (othersHalfSpreadUsd(view, given.size) ?? Number.POSITIVE_INFINITY);
  const least = (fairUsd * given.minHalfSpreadBps) / 10_000;
  const most = (fairUsd * given.maxHalfSpreadBps) / 10_000;
  return Math.min(Math.max(Math.min(optimumUsd + feeUsd, insideUsd), least), most);
}
