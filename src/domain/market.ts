// A market as the exchange describes it (S2.2), and its oracle, funding state and fee schedule (S2.4, S2.10, S2.11).

import type { AccountId, MarketId, Price, Size, Usdc } from "./units.ts";

/** `Active` is the one status that allows new exposure; any other text closes (S7). */
export type MarketStatus = string;
export type OracleStatus = "Active" | "Stale" | "Halted" | "Unknown";

/** One row of the margin schedule, ordered by `notionalFloor`; maintenance = notional x rate - deduction. */
export type MarginTier = {
  readonly notionalFloor: Usdc;
  readonly maxLeverage: number;
  readonly maintenanceMarginRatioBps: number;
  readonly maintenanceDeduction: Usdc;
};

export type Market = {
  readonly marketId: MarketId;
  readonly name: string;
  readonly status: MarketStatus;
  readonly markPrice: Price;
  readonly bestBid: Price | null;
  readonly bestAsk: Price | null;
  readonly oraclePrice: Price;
  /** The print before. */
  readonly lastOraclePrice: Price;
  readonly oracleStatus: OracleStatus;
  /** Signed. The interface does not give its scale; the devnet uses parts per billion of notional per interval. */
  readonly fundingRate: bigint;
  readonly openInterestLong: Size;
  readonly openInterestShort: Size;
  /** Per side. */
  readonly maxOpenInterest: Size;
  readonly initialMarginRatioBps: number;
  readonly maintenanceMarginRatioBps: number;
  readonly backstopAccountId: AccountId;
  readonly feeTiersEndpoint: string;
  readonly lastOracleTimestampMs: number;
  readonly oracleValidUntilSec: number;
  /** Every price is a multiple of it. */
  readonly tickSize: Price;
  readonly lastFundingTimestampSec: number;
  readonly fundingIntervalSecs: number;
  readonly assetClass: string;
  /** How far from the oracle price an order may trade, basis points. */
  readonly priceBandBps: number;
  /** Hourly interest, 1e-6 basis points of notional. */
  readonly interestRateMicroBps: number;
  /** Notional that the mark price's impact prices are taken at, 1e-6 USDC. */
  readonly depthThresholdLamports: bigint;
  readonly marginTiers: readonly MarginTier[];
};

/** Current oracle state (S2.10): one daily print for real-estate indices. */
export type Oracle = {
  readonly marketId: MarketId;
  readonly price: Price;
  readonly lastUpdateTimestampMs: number;
  /** yyyymmdd */
  readonly lastUpdateDate: number;
  readonly status: OracleStatus;
  readonly validUntilSec: number;
};

export type OracleHistory = {
  readonly marketId: MarketId;
  readonly prices: readonly { readonly timeSec: number; readonly price: Price }[];
};

/** Funding state (S2.4). `cumulativeFunding` is the index that positions settle against. */
export type Funding = {
  readonly marketId: MarketId;
  readonly fundingRate: bigint;
  readonly cumulativeFunding: bigint;
  readonly lastFundingTimestampSec: number;
  readonly fundingIntervalSecs: number;
  readonly maxFundingRateBps: number;
};

/** One row of the fee schedule (S2.11). Negative maker fee = rebate. */
export type FeeTier = {
  readonly assetClass: string;
  readonly minVolume30d: Usdc;
  readonly makerFeeBps: number;
  readonly takerFeeBps: number;
};
