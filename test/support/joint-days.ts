// Two markets with correlated indices, each quoted by the shipped glft: as two independent books, or as one whose skew counts the other
// market by the correlation of prints.

import { heldElsewhere, skewWeights, surpriseCorrelations } from "../../src/bot/strategy/correlation.ts";
import { type Nowcast, noNowcast, nowcastErrorBps, observePrint } from "../../src/bot/strategy/nowcast.ts";
import { usdOf } from "../../src/domain/rounding.ts";
import type { View } from "../../src/domain/view.ts";
import { createPrng, type Prng } from "../../src/kernel/prng.ts";
import { exp } from "../../src/kernel/real.ts";
import { strategy as glft } from "../../strategies/glft.ts";
import { healthyView, lots, market, now, oracle, usd } from "../unit/bot/risk/healthy.ts";
import { plainHeld } from "./plain-bot.ts";

const START_USD = 100;
const MINUTES = 1440;
const DAY_SEC = 86_400;
/** A day's standard deviation of each price, basis points, and the share that both have in common. */
const SIGMA_BPS = 30;
const CORRELATION = 0.8;
/** Takers of each side of a market a minute at fair value, and how fast they thin out. */
const NOISE = { perMinute: 0.6, decayPerUsd: 25 } as const;
/** Days until the prints have shown how the indices move together; they do not count. */
const WARM_UP_DAYS = 60;

const params = glft.params.parse({
  size: 1,
  maxInventory: 100,
  inventoryStd: 20,
  volatilityBps: SIGMA_BPS / Math.sqrt(DAY_SEC),
  intensityA: NOISE.perMinute / 60,
  depthBps: 10_000 / (NOISE.decayPerUsd * START_USD),
  minHalfSpreadBps: 0,
});

type Leg = { mid: number; inventory: number; cash: number; nowcast: Nowcast };

/** USD a day of both markets together. */
export type Joint = { readonly mean: number; readonly deviation: number };

/** The same prices and takers either way; `isJoint`: the skew of each market counts the other. */
export function runJointDays(isJoint: boolean, days: number, warmUpDays = WARM_UP_DAYS): Joint {
  const [prices, flow] = [createPrng(1n), createPrng(2n)];
  const legs = [0, 1].map((): Leg => ({ mid: START_USD, inventory: 0, cash: 0, nowcast: noNowcast }));
  const worth = () => legs.reduce((sum, { cash, inventory, mid }) => sum + cash + inventory * mid, 0);
  const results: number[] = [];
  for (let day = 0; day < warmUpDays + days; day += 1) {
    const before = worth();
    const correlations = surpriseCorrelations(legs.map(({ nowcast }) => nowcast.dated));
    const risks = legs.map(surpriseUsd);
    const covariances = correlations?.map((row, i) => row.map((each, j) => each * (risks[i] ?? 0) * (risks[j] ?? 0)));
    const weights = covariances && skewWeights(covariances, [1, 1]);
    for (let minute = 0; minute < MINUTES; minute += 1) {
      const extra = legs.map((_, at) => (isJoint && weights ? elsewhere(legs, at, weights) : 0));
      for (const [at, leg] of legs.entries()) trade(leg, extra[at] ?? 0, flow);
      move(legs, prices);
    }
    for (const leg of legs) leg.nowcast = observePrint(leg.nowcast, leg.mid, day * DAY_SEC);
    if (day >= warmUpDays) results.push(worth() - before);
  }
  const mean = results.reduce((sum, each) => sum + each, 0) / days;
  return {
    mean,
    deviation: Math.sqrt(results.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (days - 1)),
  };
}

const surpriseUsd = ({ mid, nowcast }: Leg): number => mid * nowcastErrorBps(nowcast);

const elsewhere = (legs: readonly Leg[], own: number, weights: readonly (readonly number[])[]): number =>
  heldElsewhere(
    own,
    legs.map(({ inventory }) => inventory),
    weights[own] ?? [],
  );

function move(legs: readonly Leg[], prices: Prng): void {
  const shared = prices.gaussian();
  for (const leg of legs) {
    const shock = Math.sqrt(CORRELATION) * shared + Math.sqrt(1 - CORRELATION) * prices.gaussian();
    leg.mid *= 1 + (SIGMA_BPS / 10_000) * Math.sqrt(1 / MINUTES) * shock;
  }
}

function trade(leg: Leg, extraInventory: number, flow: Prng): void {
  const { quotes } = glft.quote(viewOf(leg, extraInventory), params, null);
  for (const side of ["buy", "sell"] as const) {
    const quoted = quotes.find((one) => one.side === side);
    const draw = flow.float();
    if (quoted === undefined) continue;
    const at = usdOf(quoted.price);
    const sign = side === "buy" ? 1 : -1;
    const depth = sign * (leg.mid - at);
    if (draw >= 1 - exp(-NOISE.perMinute * exp(-NOISE.decayPerUsd * depth))) continue;
    leg.inventory += sign;
    leg.cash -= sign * at;
  }
}

const tick = now({ ...market, tickSize: usd(0.000_001) });

const viewOf = ({ mid, inventory }: Leg, extraInventory: number): View => ({
  ...healthyView,
  market: tick,
  oracle: now({ ...oracle, price: usd(mid) }),
  book: now({ marketId: 1, bids: [], asks: [] }),
  position: now(plainHeld(lots(inventory), usd(mid))),
  feeTier: { state: "absent" },
  guidance: { fairValueUsd: mid, extraInventory },
});
