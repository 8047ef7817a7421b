// How strongly funding pulls the market to the last print: kappa, the hourly cost per unit of premium. The exchange does not state it
// (S2.4), so it is estimated: the slope of settled rates over the mean premium of their intervals, mixed with a prior of an eighth.

import type { Funding, Market } from "../../domain/market.ts";
import { usdOf } from "../../domain/rounding.ts";
import { HOUR_MS } from "../../kernel/clock.ts";
import { estimateTiming } from "../timing.ts";

export type FundingPull = {
  /** As last read; null before. Seconds of chain time. */
  readonly schedule: Pick<Funding, "lastFundingTimestampSec" | "fundingIntervalSecs" | "maxFundingRateBps"> | null;
  /** The last read premium over the oracle price, and when, monotonic ms. */
  readonly last: { readonly premium: number; readonly atMs: number } | null;
  /** In the running interval: the seconds observed, and the premium over them. */
  readonly seen: { readonly seconds: number; readonly premiumSeconds: number };
  /** Decaying sums over settlements: of premium p and rate r, as fractions. */
  readonly sums: {
    readonly settlements: number;
    readonly p: number;
    readonly r: number;
    readonly pp: number;
    readonly pr: number;
  };
};

export const noFundingPull: FundingPull = {
  schedule: null,
  last: null,
  seen: { seconds: 0, premiumSeconds: 0 },
  sums: { settlements: 0, p: 0, r: 0, pp: 0, pr: 0 },
};

/** Prior: funding that pays the premium over eight hours, weighing as much as twelve settlements at premiums that vary by 10 bps. */
const PRIOR = { perHour: 0.125, settlements: 12, premiumBps: 10 } as const;
const PRIOR_SQUARES = PRIOR.settlements * (PRIOR.premiumBps / 10_000) ** 2;
/** About a hundred settlements count. */
const KEPT = 0.99;
/** Share of an interval that must have been observed. */
const WATCHED_SHARE = 0.9;
const PER_HOUR_MAX = 1;

/** Takes a read of the market: the mark and oracle price that set the funding. A read without a mark price shows nothing. */
export function observePremium(state: FundingPull, market: Market, nowMs: number): FundingPull {
  const { markPrice, oraclePrice } = market;
  if (oraclePrice === 0n || markPrice === null) return state;
  const last = { premium: usdOf(markPrice) / usdOf(oraclePrice) - 1, atMs: nowMs };
  const seconds = state.last === null ? 0 : (nowMs - state.last.atMs) / 1000;
  if (state.last === null || seconds > estimateTiming.bookUnseenMaxSec) return { ...state, last };
  const premiumSeconds = state.seen.premiumSeconds + seconds * state.last.premium;
  return { ...state, last, seen: { seconds: state.seen.seconds + seconds, premiumSeconds } };
}

/** Takes a read of the funding state. One that shows an unreported settlement ends the interval, since its rate is unknown. */
export function observeFunding(state: FundingPull, funding: Funding): FundingPull {
  const { lastFundingTimestampSec, fundingIntervalSecs, maxFundingRateBps } = funding;
  const schedule = { lastFundingTimestampSec, fundingIntervalSecs, maxFundingRateBps };
  const isNext = state.schedule !== null && lastFundingTimestampSec > state.schedule.lastFundingTimestampSec;
  return { ...state, schedule, seen: isNext ? noFundingPull.seen : state.seen };
}

/** Takes a settlement at `ratePpb`, parts per billion of notional. One at the cap does not show the slope. */
export function observeSettlement(state: FundingPull, ratePpb: number, atSec: number): FundingPull {
  const { schedule, seen, sums } = state;
  if (schedule === null || atSec <= schedule.lastFundingTimestampSec) return state;
  const next = { ...state, schedule: { ...schedule, lastFundingTimestampSec: atSec }, seen: noFundingPull.seen };
  const isCapped = Math.abs(ratePpb) >= schedule.maxFundingRateBps * 100_000;
  if (isCapped || seen.seconds < WATCHED_SHARE * schedule.fundingIntervalSecs) return next;
  const [p, r] = [seen.premiumSeconds / seen.seconds, ratePpb / 1e9];
  return {
    ...next,
    sums: {
      settlements: KEPT * sums.settlements + 1,
      p: KEPT * sums.p + p,
      r: KEPT * sums.r + r,
      pp: KEPT * sums.pp + p * p,
      pr: KEPT * sums.pr + p * r,
    },
  };
}

/** Returns hourly funding per unit of premium: 0 to 1. Interest, which every settlement charges alike, is not part of the slope. */
export function kappaPerHour({ schedule, sums }: FundingPull): number {
  if (schedule === null || sums.settlements === 0) return PRIOR.perHour;
  const perHour = HOUR_MS / 1000 / schedule.fundingIntervalSecs;
  const squares = varied(sums);
  const products = sums.pr - (sums.p * sums.r) / sums.settlements;
  const slope = (products * perHour + PRIOR_SQUARES * PRIOR.perHour) / (squares + PRIOR_SQUARES);
  return Math.min(PER_HOUR_MAX, Math.max(0, slope));
}

/** How much of it is observed, 0 to 1. */
export const kappaDataShare = ({ sums }: FundingPull): number =>
  sums.settlements === 0 ? 0 : varied(sums) / (varied(sums) + PRIOR_SQUARES);

const varied = ({ settlements, p, pp }: FundingPull["sums"]): number => Math.max(0, pp - (p * p) / settlements);
