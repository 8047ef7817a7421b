// What is said of markets (S2.2 to S2.5, S2.10, S2.11): themselves, their books, trades, funding and prints, and the fee schedule.

import type { Book, Level } from "../../domain/book.ts";
import type { Trade } from "../../domain/fill.ts";
import type { FeeTier, Funding, MarginTier, Market, Oracle, OracleHistory } from "../../domain/market.ts";
import { divideCeil } from "../../domain/rounding.ts";
import { BPS, type MarketId } from "../../domain/units.ts";
import { at, checked, type Kind, list, mapped, maybe, object, orElse, says, snakeObject } from "../description.ts";
import { WireError } from "../errors.ts";
import * as v from "../values.ts";

const leverage = v.integer("times the margin", 1, 10_000);
/** Basis points of a margin: some of the notional, and never more than all of it. */
const marginRatio = v.integer("of the notional, basis points", 1, 10_000);
/** From a second to a year. */
const fundingInterval = v.integer("seconds", 1, 31_622_400);
/** A status that the interface does not name is Unknown, which closes like any other than Active. */
const oracleStatus = orElse(v.word(["Active", "Stale", "Halted", "Unknown"]), "Unknown");

/** A deduction above what the row asks for at its own floor would ask for less than nothing. */
const marginTier: Kind<MarginTier> = checked(
  object({
    notionalFloor: v.usdc,
    maxLeverage: leverage,
    maintenanceMarginRatioBps: marginRatio,
    maintenanceDeduction: v.usdc,
  }),
  ({ notionalFloor, maintenanceMarginRatioBps, maintenanceDeduction }) => {
    const atFloor = divideCeil(notionalFloor * BigInt(maintenanceMarginRatioBps), BPS);
    if (maintenanceDeduction > atFloor)
      throw new WireError(
        "field_conflict",
        "maintenanceDeduction",
        "must not be above the maintenance at notionalFloor",
      );
  },
);

/** A row for every notional from zero up, each floor above the one before it. */
const marginTiers = checked(list(marginTier), (tiers) => {
  if (tiers[0]?.notionalFloor !== 0n) throw new WireError("field_range", "", "must begin with a row at floor 0");
  for (const [index, { notionalFloor }] of tiers.entries()) {
    if (index > 0 && notionalFloor <= (tiers[index - 1] as MarginTier).notionalFloor)
      throw new WireError("field_conflict", `${index}.notionalFloor`, "must be above the floor of the row before");
  }
});

const marketId = { marketId: v.marketId };

const anyMarket: Kind<Market> = object({
  ...marketId,
  name: v.text,
  status: says(v.text, "Active, Paused, Settling or Settled"),
  markPrice: v.realPrice,
  bestBid: maybe(v.realPrice),
  bestAsk: maybe(v.realPrice),
  oraclePrice: v.realPrice,
  lastOraclePrice: says(v.price, "the print before oraclePrice"),
  oracleStatus,
  fundingRate: v.fundingRate,
  openInterestLong: v.size,
  openInterestShort: v.size,
  maxOpenInterest: v.size,
  initialMarginRatioBps: marginRatio,
  maintenanceMarginRatioBps: marginRatio,
  backstopAccountId: v.accountId,
  feeTiersEndpoint: v.text,
  lastOracleTimestampMs: at("lastOracleTimestamp", v.timeMs),
  oracleValidUntilSec: at("oracleValidUntil", v.timeSec),
  tickSize: v.realPrice,
  lastFundingTimestampSec: at("lastFundingTimestamp", v.someTimeSec),
  fundingIntervalSecs: fundingInterval,
  assetClass: v.text,
  priceBandBps: v.count,
  interestRateMicroBps: v.integer(),
  depthThresholdLamports: v.whole("1e-6 USDC of notional that impact prices are taken at"),
  marginTiers,
});

/** Steps that a price is at least made of. */
const TICKS_MIN = 10n;

/** A market in which an order can have a price and a margin. */
export const market = checked(anyMarket, (found) => {
  if (found.tickSize * TICKS_MIN > found.oraclePrice)
    throw new WireError("field_conflict", "tickSize", `must be at most a ${TICKS_MIN}th of oraclePrice`);
  if (found.maintenanceMarginRatioBps > found.initialMarginRatioBps)
    throw new WireError("field_conflict", "maintenanceMarginRatioBps", "must not be above initialMarginRatioBps");
});
export const markets = list(market);

const listed = list(object(marketId));
/** The ids in the list of GET /v1/markets: a market that is described badly is listed all the same. Throws WireError. */
export const readMarketIds = (json: unknown): readonly MarketId[] => listed.read(json).map((row) => row.marketId);

export const level: Kind<Level> = object({ price: v.realPrice, size: v.size, orderCount: v.count });

/** The interface does not say in which order levels come: best first here, whatever came. Empty levels are left out. */
const levels = (order: (a: bigint, b: bigint) => number): Kind<readonly Level[]> =>
  mapped(
    list(level),
    (all) => all.filter(({ size }) => size > 0n).sort((a, b) => order(a.price, b.price)),
    (all) => all,
  );
const rising = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

export const bookMembers = { ...marketId, bids: levels((a, b) => rising(b, a)), asks: levels(rising) };
/** All levels, best first. */
export const book: Kind<Book> = object(bookMembers);

export const funding: Kind<Funding> = object({
  ...marketId,
  fundingRate: v.fundingRate,
  cumulativeFunding: v.whole("signed index of funding paid so far"),
  lastFundingTimestampSec: at("lastFundingTimestamp", v.someTimeSec),
  fundingIntervalSecs: fundingInterval,
  // A settlement takes at most all of the notional.
  maxFundingRateBps: v.integer(undefined, 0, 10_000),
});

/** The newest first; the market is the one that was asked for. */
export const trades: Kind<readonly Omit<Trade, "marketId">[]> = list(
  snakeObject({
    price: v.realPrice,
    size: v.realSize,
    takerSide: at(["side", "takerSide"], says(v.side, "the taker's")),
    timestampMs: at("timestamp", maybe(v.timeMs)),
    takerOrderId: v.orderId,
    makerOrderId: v.orderId,
    txHash: v.hash,
  }),
);

/** Throws WireError. */
export const readTrades = (json: unknown, of: MarketId): readonly Trade[] =>
  trades.read(json).map((trade) => ({ ...trade, marketId: of }));

export const oracle: Kind<Oracle> = object({
  ...marketId,
  price: v.realPrice,
  lastUpdateTimestampMs: at("lastUpdateTimestamp", v.timeMs),
  lastUpdateDate: v.integer("yyyymmdd"),
  status: oracleStatus,
  validUntilSec: at("validUntil", v.timeSec),
});

const prints = list(object({ timeSec: at("time", v.timeSec), price: v.realPrice }));
/** Oldest first; one whose times do not rise is no history. */
export const oracleHistory: Kind<OracleHistory> = object({
  ...marketId,
  prices: checked(prints, (points) => {
    for (const [index, { timeSec }] of points.entries()) {
      if (timeSec <= (points[index - 1]?.timeSec ?? -1))
        throw new WireError("field_range", `${index}.time`, "must be later than the one before");
    }
  }),
});

/** Neither a fee nor a rebate is more than all of the notional. */
const feeBps = v.integer("basis points", -10_000, 10_000);

export const feeTiers: Kind<readonly FeeTier[]> = mapped(
  snakeObject({
    tierCount: orElse(v.count, 0),
    tiers: list(
      snakeObject({
        assetClass: v.text,
        minVolume30d: v.usdc,
        makerFeeBps: says(feeBps, "basis points; negative: a rebate"),
        takerFeeBps: feeBps,
      }),
    ),
  }),
  ({ tiers }) => tiers,
  (tiers) => ({ tierCount: tiers.length, tiers }),
);
