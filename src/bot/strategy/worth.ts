// What a contract is worth in a view: the carry fair value between the last print and the predicted next ones. Used by strategies that
// quote around it, and by the book that trades the premium over it.

import { usdOf } from "../../domain/rounding.ts";
import { fresh, lastKnown, type View } from "../../domain/view.ts";
import { HOUR_MS } from "../../kernel/clock.ts";
import { type Carry, carryFairValue, lastPrintWeight, settlementsBetween, worthOfLaterPrints } from "./carry.ts";

/** Returns ms until the next print is expected, and until it may come, negative once that has passed; null while unknown. */
export function untilPrint({ signals: { nextPrint }, chain }: View): { expectedMs: number; earliestMs: number } | null {
  const clock = fresh(chain);
  if (nextPrint === null || clock === undefined) return null;
  return { expectedMs: nextPrint.atMs - clock.timeMs, earliestMs: nextPrint.earliestMs - clock.timeMs };
}

export type Worth = {
  readonly usd: number;
  /** Weight of the next prints in it, 0 to 1. */
  readonly nextShare: number;
};

/** Facts of any age are read. Undefined before the first print. Without a funding schedule no settlement and no later print counts. */
export const worthIn = (view: View, kappaPerHour: number): Worth | undefined =>
  worthAt(view, kappaPerHour, view.signals.outsideNowcastUsd ?? view.signals.marketNowcastUsd);

function worthAt(view: View, kappaPerHour: number, nowcastUsd: number | null): Worth | undefined {
  const oracle = lastKnown(view.oracle);
  if (oracle === undefined) return undefined;
  const lastPrint = usdOf(oracle.price);
  const { later, ...carry } = carryIn(view, lastPrint, kappaPerHour);
  const nextPrint = (nowcastUsd ?? lastPrint) + later;
  return {
    usd: carryFairValue({ ...carry, nextPrint }),
    nextShare: 1 - lastPrintWeight(carry.kappa, carry.settlements),
  };
}

/**
 * Returns a price of the market, in USD, moved toward the worth that outside facts imply: by as much as they move that worth, and never
 * past it, since the market may know them already.
 */
export function towardOutside(view: View, marketUsd: number, kappaPerHour = view.signals.kappaPerHour): number {
  const { marketNowcastUsd, outsideNowcastUsd } = view.signals;
  if (outsideNowcastUsd === null) return marketUsd;
  const worthUsd = worthAt(view, kappaPerHour, outsideNowcastUsd)?.usd;
  const withoutUsd = worthAt(view, kappaPerHour, marketNowcastUsd)?.usd;
  if (worthUsd === undefined || withoutUsd === undefined) return marketUsd;
  const moved = worthUsd - withoutUsd;
  if (moved > 0) return Math.max(marketUsd, Math.min(marketUsd + moved, worthUsd));
  return Math.min(marketUsd, Math.max(marketUsd + moved, worthUsd));
}

/** All of the carry but the next print; `later`: the worth of the prints after it, at that print, USD. */
function carryIn(
  view: View,
  lastPrint: number,
  kappaPerHour: number,
): Omit<Carry, "nextPrint"> & { readonly later: number } {
  const funding = lastKnown(view.funding);
  const clock = lastKnown(view.chain);
  const toPrintMs = untilPrint(view)?.expectedMs;
  const { nextPrint, nowcastPathUsd } = view.signals;
  if (funding === undefined || clock === undefined || toPrintMs === undefined || nextPrint === null)
    return { lastPrint, drift: 0, kappa: 0, settlements: 0, later: 0 };
  const { fundingIntervalSecs, lastFundingTimestampSec, maxFundingRateBps } = funding;
  const nowSec = clock.timeMs / 1000;
  const kappa = (kappaPerHour * fundingIntervalSecs * 1000) / HOUR_MS;
  const settlementsPerPrint = nextPrint.everyMs / (1000 * fundingIntervalSecs);
  return {
    lastPrint,
    drift: 0,
    kappa,
    settlements: settlementsBetween(nowSec, nowSec + toPrintMs / 1000, lastFundingTimestampSec, fundingIntervalSecs),
    ...(maxFundingRateBps > 0 ? { maxFunding: (lastPrint * maxFundingRateBps) / 10_000 } : {}),
    later: worthOfLaterPrints(nowcastPathUsd ?? [], kappa, settlementsPerPrint),
  };
}
