// What a market of the exchange has and a feed of books and trades has not, made up: an oracle that printed the first mid at midnight, no
// funding, no fees.

import type { Book } from "../../domain/book.ts";
import type { VenueEvent } from "../../domain/event.ts";
import type { Market } from "../../domain/market.ts";
import { accountId, type Price, price, size, usdc } from "../../domain/units.ts";
import { DAY_MS } from "../../kernel/clock.ts";

export type MadeUp = {
  readonly name: string;
  /** The market's first book. */
  readonly book: Book;
  readonly tickSize: Price;
  /** Unix ms. */
  readonly wallMs: number;
  readonly receivedMs: number;
};

/** The market, and what a bot reads of it before its first book. */
export function madeUpMarket({ name, book, tickSize, wallMs, receivedMs }: MadeUp) {
  const [bid, ask] = [book.bids[0]?.price, book.asks[0]?.price];
  const mid: Price = bid === undefined || ask === undefined ? (bid ?? ask ?? tickSize) : price((bid + ask) / 2n);
  const printed = price((mid / tickSize) * tickSize);
  // Printed at midnight: around a print a market is not its usual self.
  const printedMs = Math.floor(wallMs / DAY_MS) * DAY_MS;
  const nowSec = Math.floor(wallMs / 1000);
  const market: Market = {
    marketId: book.marketId,
    name,
    status: "Active",
    markPrice: printed,
    bestBid: bid ?? null,
    bestAsk: ask ?? null,
    oraclePrice: printed,
    lastOraclePrice: printed,
    oracleStatus: "Active",
    fundingRate: 0n,
    openInterestLong: size(0n),
    openInterestShort: size(0n),
    maxOpenInterest: size(10n ** 15n),
    initialMarginRatioBps: 500,
    maintenanceMarginRatioBps: 250,
    backstopAccountId: accountId(0n),
    feeTiersEndpoint: "",
    lastOracleTimestampMs: printedMs,
    oracleValidUntilSec: (printedMs + DAY_MS) / 1000,
    tickSize,
    lastFundingTimestampSec: nowSec,
    fundingIntervalSecs: DAY_MS / 1000,
    // The class whose positions the exchange values at the oracle price, as a backtest counts on.
    assetClass: "RealEstate",
    priceBandBps: 2000,
    interestRateMicroBps: 0,
    depthThresholdLamports: 500_000_000n,
    marginTiers: [
      { notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250, maintenanceDeduction: usdc(0n) },
    ],
  };
  const { marketId, oracleValidUntilSec: validUntilSec, lastFundingTimestampSec, fundingIntervalSecs } = market;
  const date = Number(new Date(wallMs).toISOString().slice(0, 10).replaceAll("-", ""));
  const oracle = {
    marketId,
    price: printed,
    lastUpdateTimestampMs: printedMs,
    lastUpdateDate: date,
    status: "Active",
    validUntilSec,
  } as const;
  const funding = {
    marketId,
    fundingRate: 0n,
    cumulativeFunding: 0n,
    lastFundingTimestampSec,
    fundingIntervalSecs,
    maxFundingRateBps: 625,
  };
  const feeTiers = [{ assetClass: market.assetClass, minVolume30d: usdc(0n), makerFeeBps: 0, takerFeeBps: 0 }];
  const now = { askedMs: receivedMs, receivedMs };
  const events: readonly VenueEvent[] = [
    { kind: "marketRead", market, ...now },
    { kind: "oracleRead", oracle, ...now },
    { kind: "fundingRead", funding, ...now },
    { kind: "feeTiersRead", feeTiers, ...now },
  ];
  return { market, events };
}
