// What funding costs an hour per unit of premium, found from what the exchange settles.

import { expect, test } from "vitest";
import { lastPrintWeight } from "../../../../src/bot/strategy/carry.ts";
import {
  type FundingPull,
  kappaPerHour,
  noFundingPull,
  observeFunding,
  observePremium,
  observeSettlement,
} from "../../../../src/bot/strategy/funding-pull.ts";
import { fundingRateOf } from "../../../../src/devnet/engine/market/funding.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { market, usd } from "../risk/healthy.ts";

const HOUR_SEC = 3600;
const LOOK_SEC = 10;
const funding = {
  marketId: 1,
  fundingRate: 0n,
  cumulativeFunding: 0n,
  lastFundingTimestampSec: 0,
  fundingIntervalSecs: HOUR_SEC,
  maxFundingRateBps: 400,
};
const premiumOf = (premium: number) => ({ ...market, oraclePrice: usd(200), markPrice: usd(200 * (1 + premium)) });

type Hours = {
  readonly hours: number;
  readonly premiumBps?: number;
  readonly from?: FundingPull;
  readonly lookSec?: number;
};

/** Hours in which the premium wanders by so many bps from one to the next, each settled at `rateOf` its mean. */
function settle(rateOf: (premium: number) => number, { hours, premiumBps = 20, from, lookSec = LOOK_SEC }: Hours) {
  const draw = createPrng(3n);
  let state = from ?? observeFunding(noFundingPull, funding);
  for (let hour = 1; hour <= hours; hour += 1) {
    const premium = (premiumBps / 10_000) * draw.gaussian();
    for (let sec = 0; sec < HOUR_SEC; sec += lookSec)
      state = observePremium(state, premiumOf(premium), ((hour - 1) * HOUR_SEC + sec) * 1000);
    state = observeSettlement(state, Math.round(1e9 * rateOf(premium)), hour * HOUR_SEC);
  }
  return state;
}

test("an eighth is assumed before anything was settled", () => {
  expect(kappaPerHour(noFundingPull)).toBe(0.125);
  expect(kappaPerHour(settle((premium) => premium / 24, { hours: 0 }))).toBe(0.125);
});

test("funding that pays the premium over a day: the last print's weight 12 hours before the next one is 0.39, not 0.76", () => {
  const kappa = kappaPerHour(settle((premium) => premium / 24, { hours: 240 }));
  expect(kappa).toBeCloseTo(1 / 24, 2);
  expect(lastPrintWeight(kappa, 12)).toBeCloseTo(0.39, 1);
  expect(lastPrintWeight(kappaPerHour(noFundingPull), 12)).toBeCloseTo(0.757, 3);
});

test("interest is no part of it, nor is a rate at the cap", () => {
  const devnet = (premium: number) =>
    Number(
      fundingRateOf({
        premium: BigInt(Math.round(premium * 1e9)),
        interestRateMicroBps: 640,
        intervalSecs: HOUR_SEC,
        premiumPeriodSecs: 8 * HOUR_SEC,
        maxBps: 400,
      }),
    ) / 1e9;
  expect(kappaPerHour(settle(devnet, { hours: 240, premiumBps: 200 }))).toBeCloseTo(0.125, 2);
  const capped = (premium: number) => Math.sign(premium) * 0.04;
  expect(kappaPerHour(settle(capped, { hours: 240 }))).toBe(0.125);
});

test("the prior weighs as twelve settlements do; premiums that do not vary teach nothing", () => {
  const none = () => 0;
  const kappas = [1, 12, 120].map((hours) => kappaPerHour(settle(none, { hours, premiumBps: 10 })));
  expect(kappas[0]).toBeGreaterThan(0.11);
  expect(kappas[1]).toBeGreaterThan(0.04);
  expect(kappas[1]).toBeLessThan(0.1);
  expect(kappas[2]).toBeLessThan(0.02);
  expect(kappaPerHour(settle(() => 0.001, { hours: 100, premiumBps: 0 }))).toBeCloseTo(0.125, 9);
});

test("an interval that was not watched, or whose settlement was missed, teaches nothing", () => {
  expect(settle((premium) => premium, { hours: 5, lookSec: 30 }).sums.settlements).toBe(0);
  const half = settle((premium) => premium, { hours: 1, lookSec: 10 });
  const missed = observeFunding(half, { ...funding, lastFundingTimestampSec: 2 * HOUR_SEC });
  expect(observeSettlement(missed, 1e6, 2 * HOUR_SEC).sums).toEqual(half.sums);
  expect(observeSettlement(half, 1e6, HOUR_SEC)).toBe(half);
});

test("whatever is settled, it is between 0 and 1", () => {
  expect(kappaPerHour(settle((premium) => -premium, { hours: 100 }))).toBe(0);
  expect(kappaPerHour(settle((premium) => 5 * premium, { hours: 100 }))).toBe(1);
});
