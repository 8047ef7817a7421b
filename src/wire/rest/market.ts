// One market (S2.2): what it is, where it stands, what it allows.

import type { MarginTier, Market, OracleStatus } from "../../domain/market.ts";
import { divideCeil } from "../../domain/rounding.ts";
import { accountId, BPS, type MarketId, type Price, price, size, usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { WireError } from "../errors.ts";
import { type Fields, objectOf } from "../strict.ts";
import {
  count,
  found,
  id,
  integer,
  integerIn,
  list,
  listOf,
  marketNumber,
  maybe,
  type Names,
  natural,
  positive,
  text,
  timeSec,
  whole,
} from "../tolerant.ts";

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

/** The ids in the list of GET /v1/markets: a market that is described badly is listed all the same. Throws WireError. */
export const decodeMarketIds = (json: unknown): readonly MarketId[] =>
  listOf(json, (item) => marketNumber(objectOf(item, ""), "marketId"));

/** Throws WireError, also for a market in which no order could have a price or a margin. */
export function decodeMarket(json: unknown): Market {
  const market = readMarket(objectOf(json, ""));
  const { tickSize, oraclePrice, initialMarginRatioBps, maintenanceMarginRatioBps } = market;
  if (tickSize * TICKS_MIN > oraclePrice)
    throw new WireError("field_conflict", "tickSize", `must be at most a ${TICKS_MIN}th of oraclePrice`);
  if (maintenanceMarginRatioBps > initialMarginRatioBps)
    throw new WireError("field_conflict", "maintenanceMarginRatioBps", "must not be above initialMarginRatioBps");
  return market;
}

/** Steps that a price is at least made of. */
const TICKS_MIN = 10n;
/** Basis points of a margin: some of the notional, and never more than all of it. */
const marginRatio = integerIn(1, 10_000);
/** From a second to a year. */
export const fundingInterval = integerIn(1, 31_622_400);

function readMarket(fields: Fields): Market {
  return {
    marketId: marketNumber(fields, "marketId"),
    name: text(fields, "name"),
    status: text(fields, "status"),
    markPrice: readPrice(fields, "markPrice"),
    bestBid: maybe(fields, "bestBid", readPrice),
    bestAsk: maybe(fields, "bestAsk", readPrice),
    oraclePrice: readPrice(fields, "oraclePrice"),
    lastOraclePrice: price(natural(fields, "lastOraclePrice")),
    oracleStatus: readOracleStatus(fields, "oracleStatus"),
    fundingRate: whole(fields, "fundingRate"),
    openInterestLong: size(natural(fields, "openInterestLong")),
    openInterestShort: size(natural(fields, "openInterestShort")),
    maxOpenInterest: size(natural(fields, "maxOpenInterest")),
    initialMarginRatioBps: marginRatio(fields, "initialMarginRatioBps"),
    maintenanceMarginRatioBps: marginRatio(fields, "maintenanceMarginRatioBps"),
    backstopAccountId: accountId(id(fields, "backstopAccountId")),
    feeTiersEndpoint: text(fields, "feeTiersEndpoint"),
    lastOracleTimestampMs: count(fields, "lastOracleTimestamp"),
    oracleValidUntilSec: count(fields, "oracleValidUntil"),
    tickSize: readPrice(fields, "tickSize"),
    lastFundingTimestampSec: timeSec(fields, "lastFundingTimestamp"),
    fundingIntervalSecs: fundingInterval(fields, "fundingIntervalSecs"),
    assetClass: text(fields, "assetClass"),
    priceBandBps: count(fields, "priceBandBps"),
    interestRateMicroBps: integer(fields, "interestRateMicroBps"),
    depthThresholdLamports: whole(fields, "depthThresholdLamports"),
    marginTiers: readMarginTiers(fields, "marginTiers"),
  };
}

/** A row for every notional from zero up, each floor above the one before it. */
function readMarginTiers(fields: Fields, name: string): readonly MarginTier[] {
  const tiers = list(fields, name, readMarginTier);
  if (tiers[0]?.notionalFloor !== 0n) throw new WireError("field_range", name, "must begin with a row at floor 0");
  for (const [at, { notionalFloor }] of tiers.entries()) {
    if (at > 0 && notionalFloor <= (tiers[at - 1] as MarginTier).notionalFloor)
      throw new WireError("field_conflict", `${name}.${at}.notionalFloor`, "must be above the floor of the row before");
  }
  return tiers;
}

const leverage = integerIn(1, 10_000);

/** A deduction above what the row asks for at its own floor would ask for less than nothing. */
function readMarginTier(item: unknown): MarginTier {
  const fields = objectOf(item, "");
  const tier = {
    notionalFloor: usdc(natural(fields, "notionalFloor")),
    maxLeverage: leverage(fields, "maxLeverage"),
    maintenanceMarginRatioBps: marginRatio(fields, "maintenanceMarginRatioBps"),
    maintenanceDeduction: usdc(natural(fields, "maintenanceDeduction")),
  };
  const atFloor = divideCeil(tier.notionalFloor * BigInt(tier.maintenanceMarginRatioBps), BPS);
  if (tier.maintenanceDeduction > atFloor)
    throw new WireError("field_conflict", "maintenanceDeduction", "must not be above the maintenance at notionalFloor");
  return tier;
}

/** A status that the interface does not name is Unknown, which closes like any other than Active. */
export function readOracleStatus(fields: Fields, names: Names): OracleStatus {
  const status = found(fields, names);
  return status === "Active" || status === "Stale" || status === "Halted" ? status : "Unknown";
}

const readPrice = (fields: Fields, names: Names): Price => price(positive(fields, names));
