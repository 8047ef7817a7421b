// One market (S2.2): what it is, where it stands, what it allows.

import type { MarginTier, Market, OracleStatus } from "../../domain/market.ts";
import { accountId, type Price, price, size, usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { type Fields, objectOf } from "../strict.ts";
import { found, integer, list, listOf, maybe, type Names, natural, text, timeSec, whole } from "../tolerant.ts";

export function encodeMarket(market: Market): Json {
  return {
    marketId: market.marketId,
    name: market.name,
    status: market.status,
    markPrice: String(market.markPrice),
    bestBid: market.bestBid === null ? null : String(market.bestBid),
    bestAsk: market.bestAsk === null ? null : String(market.bestAsk),
    oraclePrice: String(market.oraclePrice),
    lastOraclePrice: String(market.lastOraclePrice),
    oracleStatus: market.oracleStatus,
    fundingRate: String(market.fundingRate),
    openInterestLong: String(market.openInterestLong),
    openInterestShort: String(market.openInterestShort),
    maxOpenInterest: String(market.maxOpenInterest),
    initialMarginRatioBps: market.initialMarginRatioBps,
    maintenanceMarginRatioBps: market.maintenanceMarginRatioBps,
    backstopAccountId: market.backstopAccountId,
    feeTiersEndpoint: market.feeTiersEndpoint,
    lastOracleTimestamp: market.lastOracleTimestampMs,
    oracleValidUntil: market.oracleValidUntilSec,
    tickSize: String(market.tickSize),
    lastFundingTimestamp: market.lastFundingTimestampSec,
    fundingIntervalSecs: market.fundingIntervalSecs,
    assetClass: market.assetClass,
    priceBandBps: market.priceBandBps,
    interestRateMicroBps: market.interestRateMicroBps,
    depthThresholdLamports: String(market.depthThresholdLamports),
    marginTiers: market.marginTiers.map(encodeMarginTier),
  };
}

const encodeMarginTier = (tier: MarginTier): Json => ({
  notionalFloor: String(tier.notionalFloor),
  maxLeverage: tier.maxLeverage,
  maintenanceMarginRatioBps: tier.maintenanceMarginRatioBps,
  maintenanceDeduction: String(tier.maintenanceDeduction),
});

/** The list of GET /v1/markets. Throws WireError. */
export const decodeMarkets = (json: unknown): readonly Market[] => listOf(json, decodeMarket);

/** Throws WireError. */
export function decodeMarket(json: unknown): Market {
  const fields = objectOf(json, "");
  return {
    marketId: integer(fields, "marketId"),
    name: text(fields, "name"),
    status: text(fields, "status"),
    markPrice: readPrice(fields, "markPrice"),
    bestBid: maybe(fields, "bestBid", readPrice),
    bestAsk: maybe(fields, "bestAsk", readPrice),
    oraclePrice: readPrice(fields, "oraclePrice"),
    lastOraclePrice: readPrice(fields, "lastOraclePrice"),
    oracleStatus: readOracleStatus(fields, "oracleStatus"),
    fundingRate: whole(fields, "fundingRate"),
    openInterestLong: size(natural(fields, "openInterestLong")),
    openInterestShort: size(natural(fields, "openInterestShort")),
    maxOpenInterest: size(natural(fields, "maxOpenInterest")),
    initialMarginRatioBps: integer(fields, "initialMarginRatioBps"),
    maintenanceMarginRatioBps: integer(fields, "maintenanceMarginRatioBps"),
    backstopAccountId: accountId(natural(fields, "backstopAccountId")),
    feeTiersEndpoint: text(fields, "feeTiersEndpoint"),
    lastOracleTimestampMs: integer(fields, "lastOracleTimestamp"),
    oracleValidUntilSec: integer(fields, "oracleValidUntil"),
    tickSize: readPrice(fields, "tickSize"),
    lastFundingTimestampSec: timeSec(fields, "lastFundingTimestamp"),
    fundingIntervalSecs: integer(fields, "fundingIntervalSecs"),
    assetClass: text(fields, "assetClass"),
    priceBandBps: integer(fields, "priceBandBps"),
    interestRateMicroBps: integer(fields, "interestRateMicroBps"),
    depthThresholdLamports: whole(fields, "depthThresholdLamports"),
    marginTiers: list(fields, "marginTiers", readMarginTier),
  };
}

function readMarginTier(item: unknown): MarginTier {
  const fields = objectOf(item, "");
  return {
    notionalFloor: usdc(natural(fields, "notionalFloor")),
    maxLeverage: integer(fields, "maxLeverage"),
    maintenanceMarginRatioBps: integer(fields, "maintenanceMarginRatioBps"),
    maintenanceDeduction: usdc(natural(fields, "maintenanceDeduction")),
  };
}

/** A status that the interface does not name is Unknown, which closes like any other than Active. */
export function readOracleStatus(fields: Fields, names: Names): OracleStatus {
  const status = found(fields, names);
  return status === "Active" || status === "Stale" || status === "Halted" ? status : "Unknown";
}

const readPrice = (fields: Fields, names: Names): Price => price(natural(fields, names));
