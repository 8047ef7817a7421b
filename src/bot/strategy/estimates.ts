// The estimates that strategies quote on, for people: what each is, how much of it is observed and how much prior, and the age of its
// newest observation.

import { forecastDataShare, forecastErrorSquare, forecastWeight } from "./forecast.ts";
import { kappaDataShare } from "./funding-pull.ts";
import { deviationDataShare } from "./nowcast.ts";
import { moveDataShare } from "./print-move.ts";
import { type Learned, readSignals, type SignalState } from "./signals.ts";
import { skewDataShare } from "./skew-scale.ts";
import { toxicityDataShare } from "./toxicity.ts";
import { volatilityDataShares } from "./volatility.ts";

export const estimateNames = [
  "volatilityBps",
  "slowVolatilityBps",
  "intensityA",
  "fillDepthBps",
  "adverseBps",
  "skewScale",
  "kappaPerHour",
  "nowcastErrorBps",
  "printDeviationBps",
  "printMoveBps",
  "marketErrorBps",
  "marketWeight",
] as const;
export type EstimateName = (typeof estimateNames)[number];

export type Estimate = {
  readonly name: EstimateName;
  /** In the unit of its name; null: unknown. */
  readonly value: number | null;
  /** 0: only the prior; 1: only observations, over the whole time that it covers. */
  readonly dataShare: number;
  /** Age of its newest observation, ms; null: none. */
  readonly ageMs: number | null;
};

/** Returns the estimates at monotonic `nowMs`. */
export function estimatesOf(state: SignalState, nowMs: number): readonly Estimate[] {
  const { volatility, toxicity, skew, nowcast, lived, market, funding, printMove, learnedMs, midUsd } = state;
  const signals = readSignals(state);
  const seen = volatilityDataShares(volatility);
  const kPerUsd = signals.intensityK;
  const marketError = forecastErrorSquare(market);
  const estimate = (name: EstimateName, value: number | null, dataShare: number, from: keyof Learned): Estimate => {
    const atMs = learnedMs[from];
    return { name, value, dataShare: value === null ? 0 : dataShare, ageMs: atMs === null ? null : nowMs - atMs };
  };
  return [
    estimate("volatilityBps", signals.volatilityBps, seen.hour, "book"),
    estimate("slowVolatilityBps", signals.slowVolatilityBps, seen.week, "book"),
    estimate("intensityA", signals.intensityA, 1, "taker"),
    estimate("fillDepthBps", kPerUsd === null || midUsd === null ? null : 10_000 / (kPerUsd * midUsd), 1, "taker"),
    estimate("adverseBps", signals.adverseBps, toxicityDataShare(toxicity), "fill"),
    estimate("skewScale", signals.skewScale, skewDataShare(skew), "lean"),
    estimate("kappaPerHour", signals.kappaPerHour, kappaDataShare(funding), "settlement"),
    estimate("nowcastErrorBps", signals.nowcastErrorBps, deviationDataShare(nowcast), "print"),
    estimate("printDeviationBps", signals.printDeviationBps, deviationDataShare(lived), "print"),
    estimate("printMoveBps", signals.printMoveBps, moveDataShare(printMove), "move"),
    estimate("marketErrorBps", marketError === null ? null : 10_000 * Math.sqrt(marketError), 1, "print"),
    estimate("marketWeight", forecastWeight(market), forecastDataShare(market), "print"),
  ];
}
