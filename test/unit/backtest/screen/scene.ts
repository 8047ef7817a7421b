// A tape of one market, written by hand: a tick of 0.01 USD, books by ticks and contracts.

import { type Tape, type TapeHead, TapeWriter } from "../../../../src/backtest/screen/tape.ts";
import type { Book, Level } from "../../../../src/domain/book.ts";
import type { Market, Oracle } from "../../../../src/domain/market.ts";
import { orderId, type Price, price, type Side, size, usdc } from "../../../../src/domain/units.ts";

export const MARKET = 1;
export const START_MS = 1_790_035_200_000;
const TICK = 1_000_000n;

export const at = (ticks: number): Price => price(BigInt(ticks) * TICK);
export const contracts = (count: number) => size(BigInt(Math.round(count * 1e6)));
export const level = (ticks: number, count: number): Level => ({
  price: at(ticks),
  size: contracts(count),
  orderCount: 1,
});
export const bookOf = (bids: readonly Level[], asks: readonly Level[]): Book => ({ marketId: MARKET, bids, asks });

export const market: Market = {
  marketId: MARKET,
  name: "USA-HPI",
  status: "Active",
  markPrice: at(21_700),
  bestBid: null,
  bestAsk: null,
  oraclePrice: at(21_700),
  lastOraclePrice: null,
  oracleStatus: "Active",
  fundingRate: 0n,
  openInterestLong: null,
  openInterestShort: null,
  maxOpenInterest: null,
  initialMarginRatioBps: 500,
  maintenanceMarginRatioBps: 250,
  backstopAccountId: null,
  feeTiersEndpoint: null,
  lastOracleTimestampMs: START_MS,
  oracleValidUntilSec: START_MS / 1000 + 86_460,
  tickSize: price(TICK),
  lastFundingTimestampSec: START_MS / 1000,
  fundingIntervalSecs: 3600,
  assetClass: "RealEstate",
  priceBandBps: 1000,
  interestRateMicroBps: 0,
  depthThresholdLamports: 500_000_000n,
  marginTiers: [
    { notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250, maintenanceDeduction: usdc(0n) },
  ],
};

export const oracle: Oracle = {
  marketId: MARKET,
  price: at(21_700),
  lastUpdateTimestampMs: START_MS,
  lastUpdateDate: null,
  status: "Active",
  validUntilSec: START_MS / 1000 + 86_460,
};

export const head: TapeHead = {
  startMs: START_MS,
  feeTiers: [{ assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: -1, takerFeeBps: 5 }],
  openOrderCap: 200,
  markets: [
    {
      market,
      oracle,
      funding: {
        marketId: MARKET,
        fundingRate: 0n,
        cumulativeFunding: 0n,
        lastFundingTimestampSec: START_MS / 1000,
        fundingIntervalSecs: 3600,
        maxFundingRateBps: 100,
      },
      history: { marketId: MARKET, prices: [] },
    },
  ],
};

export const tradeOf = (takerSide: Side, ticks: number, count: number) => ({
  marketId: MARKET,
  price: at(ticks),
  size: contracts(count),
  takerSide,
  takerOrderId: orderId(7n),
  makerOrderId: orderId(0n),
  txHash: "0",
  timestampMs: null,
});

export function tapeOf(write: (writer: TapeWriter) => void, lastsMs = 60_000): Tape {
  const writer = new TapeWriter(head);
  write(writer);
  return writer.end(lastsMs);
}
