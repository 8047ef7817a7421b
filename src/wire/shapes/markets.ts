// What is said of markets (S2.2 to S2.5, S2.10, S2.11).

import { z } from "zod";
import * as v from "./values.ts";

const marginTier = z.strictObject({
  notionalFloor: v.usdcText,
  maxLeverage: z.int(),
  maintenanceMarginRatioBps: z.int(),
  maintenanceDeduction: v.usdcText,
});

export const market = z.strictObject({
  marketId: v.marketId,
  name: z.string(),
  status: z.string().describe("Active, Paused, Settling or Settled"),
  markPrice: v.priceText,
  bestBid: v.priceText.nullable(),
  bestAsk: v.priceText.nullable(),
  oraclePrice: v.priceText,
  lastOraclePrice: v.priceText.describe("the print before oraclePrice"),
  oracleStatus: z.enum(["Active", "Stale", "Halted", "Unknown"]),
  fundingRate: v.rateText,
  openInterestLong: v.sizeText,
  openInterestShort: v.sizeText,
  maxOpenInterest: v.sizeText,
  initialMarginRatioBps: z.int(),
  maintenanceMarginRatioBps: z.int(),
  backstopAccountId: v.accountId,
  feeTiersEndpoint: z.string(),
  lastOracleTimestamp: v.timeMs,
  oracleValidUntil: v.timeSec,
  tickSize: v.priceText,
  lastFundingTimestamp: v.timeSec,
  fundingIntervalSecs: z.int(),
  assetClass: z.string(),
  priceBandBps: z.int(),
  interestRateMicroBps: z.int(),
  depthThresholdLamports: v.whole("1e-6 USDC of notional that impact prices are taken at"),
  marginTiers: z.array(marginTier),
});

export const markets = z.array(market);

export const level = z.strictObject({ price: v.priceText, size: v.sizeText, orderCount: v.count });

export const book = z.strictObject({ marketId: v.marketId, bids: z.array(level), asks: z.array(level) });

export const funding = z.strictObject({
  marketId: v.marketId,
  fundingRate: v.rateText,
  cumulativeFunding: v.whole("signed index of funding paid so far"),
  lastFundingTimestamp: v.timeSec,
  fundingIntervalSecs: z.int(),
  maxFundingRateBps: z.int(),
});

export const trades = z.array(
  z.strictObject({
    price: v.priceText,
    size: v.sizeText,
    side: v.side.describe("the taker's"),
    timestamp: v.timeMs.nullable(),
    taker_order_id: v.orderId,
    maker_order_id: v.orderId,
    tx_hash: v.hash,
  }),
);

export const oracle = z.strictObject({
  marketId: v.marketId,
  price: v.priceText,
  lastUpdateTimestamp: v.timeMs,
  lastUpdateDate: z.int().describe("yyyymmdd"),
  status: z.enum(["Active", "Stale", "Halted", "Unknown"]),
  validUntil: v.timeSec,
});

export const oracleHistory = z.strictObject({
  marketId: v.marketId,
  prices: z.array(z.strictObject({ time: v.timeSec, price: v.priceText })),
});

export const feeTiers = z.strictObject({
  tier_count: v.count,
  tiers: z.array(
    z.strictObject({
      asset_class: z.string(),
      min_volume_30d: v.usdcText,
      maker_fee_bps: z.int().describe("negative: a rebate"),
      taker_fee_bps: z.int(),
    }),
  ),
});
