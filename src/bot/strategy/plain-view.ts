// A healthy market and account with no position and no orders: any strategy can quote on it.

import type { Market, Oracle } from "../../domain/market.ts";
import { accountId, type Price, price, type Size, size, usdc } from "../../domain/units.ts";
import type { Fact, View } from "../../domain/view.ts";
import { frozen } from "../../kernel/frozen.ts";

const usd = (dollars: number): Price => price(BigInt(Math.round(dollars * 1e8)));
const lots = (contracts: number): Size => size(BigInt(Math.round(contracts * 1e6)));
const now = <T>(value: T): Fact<T> => ({ state: "fresh", value, ageMs: 10 });
const chainTimeMs = 1_790_000_000_000;

const market: Market = {
  marketId: 1,
  name: "USA-HPI",
  status: "Active",
  markPrice: usd(200),
  bestBid: usd(199.9),
  bestAsk: usd(200.1),
  oraclePrice: usd(200),
  lastOraclePrice: usd(200),
  oracleStatus: "Active",
  fundingRate: 0n,
  openInterestLong: lots(0),
  openInterestShort: lots(0),
  maxOpenInterest: lots(1_000_000),
  initialMarginRatioBps: 500,
  maintenanceMarginRatioBps: 250,
  backstopAccountId: accountId(1n),
  feeTiersEndpoint: "/v1/fee-tiers",
  lastOracleTimestampMs: chainTimeMs - 1000,
  oracleValidUntilSec: chainTimeMs / 1000 + 86_400,
  tickSize: usd(0.01),
  lastFundingTimestampSec: chainTimeMs / 1000 - 60,
  fundingIntervalSecs: 3600,
  assetClass: "RealEstate",
  priceBandBps: 1000,
  interestRateMicroBps: 0,
  depthThresholdLamports: 0n,
  marginTiers: [
    { notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250, maintenanceDeduction: usdc(0n) },
    {
      notionalFloor: usdc(10_000_000_000n),
      maxLeverage: 10,
      maintenanceMarginRatioBps: 500,
      maintenanceDeduction: usdc(250_000_000n),
    },
  ],
};

const oracle: Oracle = {
  marketId: 1,
  price: usd(200),
  lastUpdateTimestampMs: chainTimeMs - 1000,
  lastUpdateDate: 20_260_921,
  status: "Active",
  validUntilSec: chainTimeMs / 1000 + 86_400,
};

export const plainView: View = frozen<View>({
  nowMs: 1_000_000,
  accountId: accountId(12n),
  marketId: 1,
  market: now(market),
  oracle: now(oracle),
  book: now({
    marketId: 1,
    bids: [{ price: usd(199.9), size: lots(5), orderCount: 2 }],
    asks: [{ price: usd(200.1), size: lots(5), orderCount: 2 }],
  }),
  funding: now({
    marketId: 1,
    fundingRate: 0n,
    cumulativeFunding: 0n,
    lastFundingTimestampSec: chainTimeMs / 1000 - 60,
    fundingIntervalSecs: 3600,
    maxFundingRateBps: 400,
  }),
  chain: now({ height: 100, timeMs: chainTimeMs, offsetMs: 20, blockMs: 500 }),
  stream: now(1),
  position: now({ inventory: lots(0), low: lots(0), high: lots(0), entryPrice: usd(0) }),
  funds: now({
    collateral: usdc(100_000_000_000n),
    availableCollateral: usdc(100_000_000_000n),
    equity: usdc(100_000_000_000n),
    maintenanceMargin: usdc(0n),
    initialMarginElsewhere: usdc(0n),
    feeTierVolume30d: usdc(0n),
  }),
  reconciled: now(3),
  resync: null,
  agent: now({ pubkey: "ab".repeat(32), name: "bot", expiresAtSec: null }),
  feeTier: now({ assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: -1, takerFeeBps: 5 }),
  openOrderCap: now(200),
  orders: [],
  vacated: [],
  isPaper: false,
  unreadable: [],
  accountOrderCount: 0,
  outside: {},
  readLagMaxMs: 3000,
  signals: {
    volatilityBps: 0.5,
    dayVolatilityBps: 0.5,
    slowVolatilityBps: 0.5,
    heldMidUsd: null,
    intensityA: 0.2,
    intensityK: 5,
    adverseBps: 0,
    markoutBps: 0,
    skewScale: 1,
    nowcastUsd: 200,
    nowcastPathUsd: Array.from({ length: 20 }, () => 200),
    marketNowcastUsd: 200,
    outsideNowcastUsd: null,
    nowcastErrorBps: 40,
    printDeviationBps: 83.3,
    printMoveBps: 83.3,
    kappaPerHour: 0.125,
    nextPrint: {
      atMs: chainTimeMs - 1000 + 86_400_000,
      earliestMs: chainTimeMs - 1000 + 86_400_000,
      lastMs: chainTimeMs - 1000,
      everyMs: 86_400_000,
    },
  },
  guidance: { extraInventory: 0, fairValueUsd: null },
});
