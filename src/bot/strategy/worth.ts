// What a contract is worth in a view: the carry fair value between the last print and the predicted next one. Whoever trades the premium
// of the market over it, or quotes around it, asks here.

import { usdOf } from "../../domain/rounding.ts";
import { fresh, lastKnown, type View } from "../../domain/view.ts";
import { HOUR_MS } from "../../kernel/clock.ts";
import { type Carry, carryFairValue, lastPrintWeight, settlementsBetween } from "./carry.ts";

/** Ms until the next print is expected, and until it may come, negative once that has passed; null while nobody knows. */
export function untilPrint({ signals: { nextPrint }, chain }: View): { expectedMs: number; earliestMs: number } | null {
  const clock = fresh(chain);
  if (nextPrint === null || clock === undefined) return null;
  return { expectedMs: nextPrint.atMs - clock.timeMs, earliestMs: nextPrint.earliestMs - clock.timeMs };
}

export type Worth = {
  readonly usd: number;
  /** How much of it is the next print, 0 to 1. */
  readonly nextShare: number;
};

/** Facts of any age are read. Undefined before the first print. Without a schedule of funding no settlement is counted. */
export function worthIn(view: View, kappaPerHour: number): Worth | undefined {
  const oracle = lastKnown(view.oracle);
  if (oracle === undefined) return undefined;
  const lastPrint = usdOf(oracle.price);
  const carry = carryIn(view, lastPrint, kappaPerHour);
  const usd = carryFairValue({ ...carry, nextPrint: view.signals.marketNowcastUsd ?? lastPrint });
  return { usd, nextShare: 1 - lastPrintWeight(carry.kappa, carry.settlements) };
}

/** All of the carry but the next print. */
function carryIn(view: View, lastPrint: number, kappaPerHour: number): Omit<Carry, "nextPrint"> {
  const funding = lastKnown(view.funding);
  const clock = lastKnown(view.chain);
  const toPrintMs = untilPrint(view)?.expectedMs;
  if (funding === undefined || clock === undefined || toPrintMs === undefined)
    return { lastPrint, drift: 0, kappa: 0, settlements: 0 };
  const { fundingIntervalSecs, lastFundingTimestampSec, maxFundingRateBps } = funding;
  const nowSec = clock.timeMs / 1000;
  return {
    lastPrint,
    drift: 0,
    kappa: (kappaPerHour * fundingIntervalSecs * 1000) / HOUR_MS,
    settlements: settlementsBetween(nowSec, nowSec + toPrintMs / 1000, lastFundingTimestampSec, fundingIntervalSecs),
    ...(maxFundingRateBps > 0 ? { maxFunding: (lastPrint * maxFundingRateBps) / 10_000 } : {}),
  };
}
