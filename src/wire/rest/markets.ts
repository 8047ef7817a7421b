// Messages about markets (S2.2 to S2.5, S2.10, S2.11): markets, books, trades, funding, prints, and the fee schedule. Trading needs few
// fields; any other absent field is null or has a default.

import type { Book, Level } from "../../domain/book.ts";
import type { Trade } from "../../domain/fill.ts";
import type { FeeTier, Funding, MarginTier, Market, Oracle, OracleHistory } from "../../domain/market.ts";
import { divideCeil } from "../../domain/rounding.ts";
import { BPS, type MarketId, usdc } from "../../domain/units.ts";
import {
  at,
  checked,
  enveloped,
  type Kind,
  kind,
  list,
  mapped,
  maybe,
  type Of,
  object,
  orElse,
  orIfAbsent,
  says,
  snakeObject,
} from "../description.ts";
import { WireError } from "../errors.ts";
import * as v from "../values.ts";

const leverage = v.integer("times the margin", 1, 10_000);
/** Margin in basis points: more than none and at most all of the notional. */
const marginRatio = v.integer("of the notional, basis points", 1, 10_000);
/** From one second to one year. */
const fundingInterval = v.integer("seconds", 1, 31_622_400);
/** The example in the interface, used as the default. */
const FUNDING_INTERVAL_SECS = 3600;
/** An unknown status is kept, and blocks like any status other than Active. */
const oracleStatuses = ["Active", "Stale", "Halted", "Unknown"];
const oracleStatus = orElse(v.openWord(oracleStatuses, v.word(oracleStatuses).schema), "Unknown");
const marketStatus = v.openWord(
  ["Active", "Paused", "Settling", "Settled"],
  says(v.text, "Active, Paused, Settling or Settled").schema,
);
/** 0: absent or not understood. */
const someTime = (of: Kind<number>) => orIfAbsent(of, 0);

/** A deduction larger than the row's margin at its own floor would give a negative margin. */
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

/** Rows must cover every notional from zero up, each floor above the previous one. */
const marginTiers = checked(list(marginTier), (tiers) => {
  if (tiers.length > 0 && tiers[0]?.notionalFloor !== 0n)
    throw new WireError("field_range", "", "must begin with a row at floor 0");
  for (const [index, { notionalFloor }] of tiers.entries()) {
    if (index > 0 && notionalFloor <= (tiers[index - 1] as MarginTier).notionalFloor)
      throw new WireError("field_conflict", `${index}.notionalFloor`, "must be above the floor of the row before");
  }
});

const marketId = { marketId: at(["marketId", "id"], v.marketId) };

const marketRow = object({
  ...marketId,
  name: orIfAbsent(v.text, null),
  status: at(["status", "state"], marketStatus),
  markPrice: orIfAbsent(v.realPrice, null),
  bestBid: maybe(v.realPrice),
  bestAsk: maybe(v.realPrice),
  oraclePrice: v.realPrice,
  lastOraclePrice: orElse(says(v.price, "the print before oraclePrice"), null),
  oracleStatus,
  fundingRate: orElse(v.fundingRate, null),
  openInterestLong: orElse(v.size, null),
  openInterestShort: orElse(v.size, null),
  maxOpenInterest: orElse(v.size, null),
  initialMarginRatioBps: marginRatio,
  maintenanceMarginRatioBps: marginRatio,
  backstopAccountId: orElse(v.accountId, null),
  feeTiersEndpoint: orElse(v.text, null),
  lastOracleTimestampMs: at("lastOracleTimestamp", someTime(v.someTimeMs)),
  oracleValidUntilSec: at("oracleValidUntil", someTime(v.someTimeSec)),
  tickSize: v.realPrice,
  lastFundingTimestampSec: at("lastFundingTimestamp", someTime(v.someTimeSec)),
  fundingIntervalSecs: orIfAbsent(fundingInterval, FUNDING_INTERVAL_SECS),
  assetClass: orIfAbsent(v.text, ""),
  priceBandBps: orIfAbsent(v.count, null),
  interestRateMicroBps: orElse(v.integer(), null),
  depthThresholdLamports: orElse(v.whole("1e-6 USDC of notional that impact prices are taken at"), null),
  marginTiers: orIfAbsent(marginTiers, []),
});

/** A market without margin tiers gets one tier from its two ratios (S2.2, S8). */
function marketOf(row: Of<typeof marketRow>): Market {
  const { marketId: id, name, initialMarginRatioBps, maintenanceMarginRatioBps } = row;
  const flat: MarginTier = {
    notionalFloor: usdc(0n),
    maxLeverage: Math.floor(10_000 / initialMarginRatioBps),
    maintenanceMarginRatioBps,
    maintenanceDeduction: usdc(0n),
  };
  return {
    ...row,
    name: name ?? `market ${id}`,
    marginTiers: row.marginTiers.length === 0 ? [flat] : row.marginTiers,
  };
}
const anyMarket: Kind<Market> = mapped(marketRow, marketOf, (of) => of);

/** A price must be at least this many ticks. */
const TICKS_MIN = 10n;

/** A market in which orders can have a price and a margin. */
export const market = checked(anyMarket, (found) => {
  if (found.tickSize * TICKS_MIN > found.oraclePrice)
    throw new WireError("field_conflict", "tickSize", `must be at most a ${TICKS_MIN}th of oraclePrice`);
  if (found.maintenanceMarginRatioBps > found.initialMarginRatioBps)
    throw new WireError("field_conflict", "maintenanceMarginRatioBps", "must not be above initialMarginRatioBps");
});
export const markets = enveloped(list(market));

const listed = enveloped(list(object(marketId)));
/** The ids in the list of GET /v1/markets; a market that is described badly is listed too. Throws WireError. */
export const readMarketIds = (json: unknown): readonly MarketId[] => listed.read(json).map((row) => row.marketId);

/** A level without an order count counts as one order. */
export const level: Kind<Level> = object({
  price: v.realPrice,
  size: at(["size", "quantity", "qty", "amount"], v.size),
  orderCount: orIfAbsent(v.count, 1),
});

/** The interface does not give the order of levels: sorted here, best first. Empty levels are left out. */
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

/** A settlement takes at most the whole notional. */
const FUNDING_RATE_BPS_MAX = 10_000;

export const funding: Kind<Funding> = object({
  ...marketId,
  fundingRate: v.fundingRate,
  cumulativeFunding: orElse(v.whole("signed index of funding paid so far"), null),
  lastFundingTimestampSec: at("lastFundingTimestamp", someTime(v.someTimeSec)),
  fundingIntervalSecs: orIfAbsent(fundingInterval, FUNDING_INTERVAL_SECS),
  maxFundingRateBps: orIfAbsent(v.integer(undefined, 0, FUNDING_RATE_BPS_MAX), FUNDING_RATE_BPS_MAX),
});

/** Newest first; the market is the requested one. */
export const trades: Kind<readonly Omit<Trade, "marketId">[]> = enveloped(
  list(
    snakeObject({
      price: v.realPrice,
      size: v.realSize,
      takerSide: at(["side", "takerSide"], says(v.side, "the taker's")),
      timestampMs: at("timestamp", maybe(v.someTimeMs)),
      takerOrderId: v.orderId,
      makerOrderId: v.orderId,
      txHash: v.hash,
    }),
  ),
);

/** Throws WireError. */
export const readTrades = (json: unknown, of: MarketId): readonly Trade[] =>
  trades.read(json).map((trade) => ({ ...trade, marketId: of }));

export const oracle: Kind<Oracle> = object({
  ...marketId,
  price: v.realPrice,
  lastUpdateTimestampMs: at("lastUpdateTimestamp", someTime(v.someTimeMs)),
  lastUpdateDate: orElse(v.integer("yyyymmdd"), null),
  status: oracleStatus,
  validUntilSec: at("validUntil", someTime(v.someTimeSec)),
});

const prints = list(object({ timeSec: at(["time", "timestamp"], v.someTimeSec), price: v.realPrice }));
/** Oldest first; refused if the times do not increase. */
export const oracleHistory: Kind<OracleHistory> = object({
  ...marketId,
  prices: checked(prints, (points) => {
    for (const [index, { timeSec }] of points.entries()) {
      if (timeSec <= (points[index - 1]?.timeSec ?? -1))
        throw new WireError("field_range", `${index}.time`, "must be later than the one before");
    }
  }),
});

/** A fee or rebate is at most the whole notional. */
const wholeFeeBps = v.integer("basis points", -10_000, 10_000);
/** Fractions of a basis point round up, so that no fee is underestimated and no rebate overestimated. */
const feeBps: Kind<number> = {
  ...wholeFeeBps,
  read: (value) => wholeFeeBps.read(isFraction(value) ? Math.ceil(Number(value)) : value),
};
const FRACTION = /^-?\d{1,5}\.\d{1,18}$/;
const isFraction = (value: unknown): boolean =>
  typeof value === "number" ? !Number.isInteger(value) : typeof value === "string" && FRACTION.test(value);

const tiers = list(
  snakeObject({
    assetClass: orIfAbsent(v.text, ""),
    minVolume30d: at(["minVolume30d", "minVolume"], orIfAbsent(v.usdc, usdc(0n))),
    makerFeeBps: at(["makerFeeBps", "makerBps"], says(feeBps, "basis points; negative: a rebate")),
    takerFeeBps: at(["takerFeeBps", "takerBps"], feeBps),
  }),
);
const schedule = snakeObject({ tierCount: orElse(v.count, 0), tiers });

export const feeTiers: Kind<readonly FeeTier[]> = kind(schedule.schema, enveloped(tiers).read, (all) =>
  schedule.text({ tierCount: all.length, tiers: all }),
);
