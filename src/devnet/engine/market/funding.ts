// Funding: samples the premium of the mark price over the oracle price during the interval; at its end longs pay shorts, or shorts pay
// longs. Rounding differences go to the rounding ledger, so payments sum to zero with it.

import { divideCeil } from "../../../domain/rounding.ts";
import { type MarketId, NOTIONAL_DIVISOR, type Size, size, usdc } from "../../../domain/units.ts";
import type { Receipt } from "../../event.ts";
import { post } from "../accounts/postings.ts";
import type { Context } from "../calls.ts";
import { refillBucket } from "../margin/isolated.ts";
import type { MarketAccount, MarketState } from "../records.ts";
import { beginStep, type Core, failed, refuse, type Step, succeeded } from "../state.ts";
import { markPriceOf } from "./prices.ts";

const SAMPLE_MS = 5000;
/** Rates are whole parts per billion of notional per interval. */
const PARTS = 1_000_000_000n;
const PARTS_PER_BPS = 100_000n;
/** Interest is per hour, a premium per the market's premium period; an interval pays its share of both. */
const INTEREST_SECS = 3600n;
/** One interestRateMicroBps is 1e-10 of notional. */
const MICRO_BPS_PER_PART = 10n;

/** Takes the samples and settlements that are due: at most one of each, however much time the block spans. */
export function runFunding(step: Step, market: MarketState): void {
  const { funding } = market;
  const { timeMs } = step.ctx;
  if (market.oraclePrice === 0n || market.status === "Settled" || market.spec.isFundingExternal) return;
  const due = passes(funding.lastSettledMs, timeMs, market.spec.fundingIntervalSecs * 1000);
  const sampled = passes(funding.lastSampleMs, timeMs, SAMPLE_MS) || (due && funding.premiumCount === 0);
  if (sampled) takeSample(market, timeMs);
  if (due) settle(step, market, rateOf(market), lastMultiple(timeMs, market.spec.fundingIntervalSecs * 1000));
  if (sampled || due) step.core.log.funding(market);
}

/** Funding begins with a market's first print. */
export function startFunding(market: MarketState, timeMs: number): void {
  if (market.funding.lastSettledMs !== 0) return;
  market.funding.lastSettledMs = timeMs;
  market.funding.lastSampleMs = timeMs;
}

/** True if a whole multiple of `everyMs` is in the range after `fromMs` up to `toMs`. */
const passes = (fromMs: number, toMs: number, everyMs: number): boolean =>
  Math.floor(toMs / everyMs) > Math.floor(fromMs / everyMs);

function takeSample(market: MarketState, timeMs: number): void {
  const { funding } = market;
  funding.lastSampleMs = timeMs;
  funding.premiumSum += premiumOf(market);
  funding.premiumCount += 1;
  funding.rate = rateOf(market);
}

/** Premium of the mark price over the oracle price, in parts per billion of the oracle price. */
const premiumOf = (market: MarketState): bigint =>
  ((markPriceOf(market) - market.oraclePrice) * PARTS) / market.oraclePrice;

function rateOf(market: MarketState): bigint {
  const { premiumSum, premiumCount } = market.funding;
  return fundingRateOf({
    premium: premiumCount === 0 ? 0n : premiumSum / BigInt(premiumCount),
    interestRateMicroBps: market.interestRateMicroBps,
    intervalSecs: market.spec.fundingIntervalSecs,
    premiumPeriodSecs: market.spec.premiumPeriodSecs,
    maxBps: market.maxFundingRateBps,
  });
}

/**
 * Rate that longs pay for an interval, in parts per billion of notional, for a mean premium in parts per billion. Interest is added, but
 * the premium decides who pays (S2.4): interest never reverses the sign. Quotients round toward zero.
 */
export function fundingRateOf(of: {
  readonly premium: bigint;
  readonly interestRateMicroBps: number;
  readonly intervalSecs: number;
  readonly premiumPeriodSecs: number;
  readonly maxBps: number;
}): bigint {
  const secs = BigInt(of.intervalSecs);
  const premium = (of.premium * secs) / BigInt(of.premiumPeriodSecs);
  const interest = (BigInt(of.interestRateMicroBps) * secs) / (MICRO_BPS_PER_PART * INTEREST_SECS);
  const rate = premium + interest;
  return rate * of.premium < 0n ? 0n : clamp(rate, BigInt(of.maxBps) * PARTS_PER_BPS);
}

function clamp(value: bigint, limit: bigint): bigint {
  if (value > limit) return limit;
  return value < -limit ? -limit : value;
}

const lastMultiple = (timeMs: number, ofMs: number): number => Math.floor(timeMs / ofMs) * ofMs;

/** Repeats a settlement of another exchange, at its rate and time. Refused for a market that settles by its own premium. */
export function settleFunding(core: Core, id: MarketId, rate: bigint, timestampSec: number, ctx: Context): Receipt {
  const market = core.markets.get(id);
  if (market === undefined) return failed(refuse("UnknownMarket", `market ${id} does not exist`));
  if (!market.spec.isFundingExternal)
    return failed(refuse("FundingNotExternal", `market ${id} settles by its own premium`));
  const step = beginStep(core, ctx);
  settle(step, market, rate, timestampSec * 1000);
  core.log.funding(market);
  return succeeded(step);
}

function settle(step: Step, market: MarketState, rate: bigint, settledMs: number): void {
  const { funding } = market;
  funding.rate = rate;
  funding.cumulative += (rate * market.oraclePrice) / PARTS;
  funding.lastSettledMs = settledMs;
  funding.premiumSum = 0n;
  funding.premiumCount = 0;
  const timestampSec = Math.floor(funding.lastSettledMs / 1000);
  step.events.push({ type: "FundingUpdated", marketId: market.id, fundingRate: rate, timestampSec });
  for (const marketAccount of market.accounts)
    if (marketAccount.units !== 0) pay(step, marketAccount, rate, timestampSec);
  market.healthDue = true;
}

/** Payments round up, receipts round down. An isolated position pays from its bucket first, then from free collateral. */
function pay(step: Step, marketAccount: MarketAccount, fundingRate: bigint, timestampSec: number): void {
  const { account, market, units } = marketAccount;
  const { log, ledgers } = step.core;
  const inventory: Size = size(BigInt(units));
  const owed = divideCeil(inventory * (market.funding.cumulative - marketAccount.fundingIndex), NOTIONAL_DIVISOR);
  marketAccount.fundingIndex = market.funding.cumulative;
  post(log, marketAccount.mode === "Isolated" ? marketAccount.bucket : account, ledgers.rounding, owed);
  refillBucket(step.core, marketAccount);
  log.marketAccount(marketAccount);
  step.events.push({
    type: "FundingPaid",
    accountId: account.id,
    marketId: market.id,
    inventory,
    amount: usdc(-owed),
    fundingRate,
    timestampSec,
  });
}
