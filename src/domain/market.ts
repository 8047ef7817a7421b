// A market as the exchange describes it (S2.2), and its oracle, funding state and fee schedule (S2.4, S2.10, S2.11).

import type { AccountId, MarketId, Price, Size, Usdc } from "./units.ts";

/** Only `Active` allows new exposure; any other text blocks it (S7). */
export type MarketStatus = string;
/** Active, Stale, Halted, or the exchange's own word; only `Active` allows new exposure. `Unknown`: none was given. */
export type OracleStatus = string;

/** One row of the margin schedule, ordered by `notionalFloor`; maintenance = notional x rate - deduction. */
export type MarginTier = {
  readonly notionalFloor: Usdc;
  readonly maxLeverage: number;
  readonly maintenanceMarginRatioBps: number;
  readonly maintenanceDeduction: Usdc;
};

/** Null: not reported, except that a best price of null is an empty side of the book. */
export type Market = {
  readonly marketId: MarketId;
  readonly name: string;
  readonly status: MarketStatus;
  readonly markPrice: Price | null;
  readonly bestBid: Price | null;
  readonly bestAsk: Price | null;
  readonly oraclePrice: Price;
  /** The print before. */
  readonly lastOraclePrice: Price | null;
  readonly oracleStatus: OracleStatus;
  /** Signed. The interface does not give its scale; the devnet uses parts per billion of notional per interval. */
  readonly fundingRate: bigint | null;
  readonly openInterestLong: Size | null;
  readonly openInterestShort: Size | null;
  /** Per side. */
  readonly maxOpenInterest: Size | null;
  readonly initialMarginRatioBps: number;
  readonly maintenanceMarginRatioBps: number;
  readonly backstopAccountId: AccountId | null;
  readonly feeTiersEndpoint: string | null;
  /** 0: not reported. */
  readonly lastOracleTimestampMs: number;
  /** 0: not reported. Comparisons take the print for expired. */
  readonly oracleValidUntilSec: number;
  /** Every price is a multiple of it. */
  readonly tickSize: Price;
  /** 0: not reported. */
  readonly lastFundingTimestampSec: number;
  readonly fundingIntervalSecs: number;
  /** Empty: not reported. */
  readonly assetClass: string;
  /** How far from the oracle price an order may trade, basis points. */
  readonly priceBandBps: number | null;
  /** Hourly interest, 1e-6 basis points of notional. */
  readonly interestRateMicroBps: number | null;
  /** Notional that the mark price's impact prices are taken at, 1e-6 USDC. */
  readonly depthThresholdLamports: bigint | null;
  /** At least one. */
  readonly marginTiers: readonly MarginTier[];
};

/** Current oracle state (S2.10): one daily print for real-estate indices. */
export type Oracle = {
  readonly marketId: MarketId;
  readonly price: Price;
  /** 0: not reported. */
  readonly lastUpdateTimestampMs: number;
  /** yyyymmdd; null: not reported. */
  readonly lastUpdateDate: number | null;
  readonly status: OracleStatus;
  /** 0: not reported. Comparisons take the print for expired. */
  readonly validUntilSec: number;
};

export type OracleHistory = {
  readonly marketId: MarketId;
  readonly prices: readonly { readonly timeSec: number; readonly price: Price }[];
};

/** The account book has all settlements of a market up to `sec`, Unix seconds; `index` is the market's cumulative funding at that time. */
export type FundedTo = { readonly sec: number; readonly index: bigint };

/** Funding state (S2.4). `cumulativeFunding` is the index that positions settle against; null: not reported. */
export type Funding = {
  readonly marketId: MarketId;
  readonly fundingRate: bigint;
  readonly cumulativeFunding: bigint | null;
  /** 0: not reported. */
  readonly lastFundingTimestampSec: number;
  readonly fundingIntervalSecs: number;
  /** The whole notional if not reported: no settlement takes more. */
  readonly maxFundingRateBps: number;
};

/** One row of the fee schedule (S2.11). Negative maker fee = rebate. */
export type FeeTier = {
  /** Empty: every class. */
  readonly assetClass: string;
  readonly minVolume30d: Usdc;
  readonly makerFeeBps: number;
  readonly takerFeeBps: number;
};
