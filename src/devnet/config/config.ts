// The configuration of a devnet as plain data in exact integers; load.ts reads it from YAML.

import type { IndexSeries } from "../../domain/index-series.ts";
import {
  type AccountId,
  type MarketId,
  type Native,
  type Price,
  type Size,
  size,
  type Usdc,
} from "../../domain/units.ts";

/** The index's clocks change: prints due from `afterSecs` of logical time on come `bySecs` later, below 0 earlier. */
export type ClockChange = { readonly afterSecs: number; readonly bySecs: number };

/** Source of a market's prints. Seconds may be fractions. */
export type OracleSource =
  | { readonly source: "fixed"; readonly price: Price; readonly validForSecs: number }
  | {
      readonly source: "csv";
      /** One series, already read and exact. */
      readonly series: IndexSeries;
      /** Which of several columns it was taken from, as a sentence; null: there is only one. */
      readonly choice: string | null;
      readonly printEverySecs: number;
      readonly validForSecs: number;
      readonly clockChange?: ClockChange | undefined;
    }
  | {
      readonly source: "synthetic";
      readonly price: Price;
      readonly printEverySecs: number;
      readonly validForSecs: number;
      readonly clockChange?: ClockChange | undefined;
      /** Mean, standard deviation and lag-1 autocorrelation of log returns per print; percent, percent, ratio. */
      readonly driftPercent: number;
      readonly volatilityPercent: number;
      readonly autocorrelation: number;
    };

export type MarginTierConfig = {
  readonly notionalFloor: Usdc;
  readonly maxLeverage: number;
  readonly maintenanceMarginRatioBps: number;
};

export type MarketConfig = {
  readonly marketId: MarketId;
  readonly name: string;
  readonly assetClass: string;
  readonly status: "Active" | "Paused" | "Settling" | "Settled";
  readonly tickSize: Price;
  readonly initialMarginRatioBps: number;
  readonly maintenanceMarginRatioBps: number;
  readonly priceBandBps: number;
  readonly maxOpenInterest: Size;
  readonly fundingIntervalSecs: number;
  /** Time in which funding pays the whole premium. */
  readonly premiumPeriodSecs: number;
  /** Hourly interest in 1e-6 basis points, 1e-10 of notional. */
  readonly interestRateMicroBps: number;
  /** Notional at which a side's impact price is taken. */
  readonly depthThreshold: Usdc;
  /** Largest absolute funding rate per interval. */
  readonly maxFundingRateBps: number;
  readonly oracle: OracleSource;
  readonly marginTiers: readonly MarginTierConfig[];
  /**
   * Another exchange sets the funding: the operator settles it at that exchange's rate, and the premium here is ignored. Never in a file.
   */
  readonly isFundingExternal?: true;
};

export type AgentConfig = { readonly pubkey: string; readonly name: string; readonly expiresAtSec: number | null };

export type AccountConfig = {
  readonly accountId: AccountId;
  /** 64 lowercase hex characters. */
  readonly owner: string;
  readonly collateral: Usdc;
  readonly native: bigint;
  readonly masterAccountId: AccountId | null;
  readonly agents: readonly AgentConfig[];
  readonly volume30d: Usdc;
};

export type FeeTierConfig = {
  readonly assetClass: string;
  readonly minVolume30d: Usdc;
  readonly makerFeeBps: number;
  readonly takerFeeBps: number;
};

/** One direction of the bridge (S4.1). */
export type BridgeDirectionConfig = {
  readonly enabled: boolean;
  /** Limit per 24 hours and token. */
  readonly limit: { readonly usdc: Usdc; readonly native: Native };
};

export type BridgeConfig = { readonly deposits: BridgeDirectionConfig; readonly withdrawals: BridgeDirectionConfig };

/** Synthetic counterparties, the same in every market. They act by block number, so equal seeds trade equally under any clock. */
export type FlowSettings = {
  /** Mean noise orders per second of logical time; they cluster. All other participants scale with it. */
  readonly noiseTakersPerSec: number;
  /** Share of takers that know the next print. */
  readonly informedShare: number;
  /** Competing makers, each with four levels per side. */
  readonly makers: number;
  /** Size of the median taker order; a maker's levels are one, two, four and eight times as large. */
  readonly takerSize: Size;
  /** A maker's half-spread in normal times. */
  readonly halfSpreadBps: number;
  /** Mean distance from fair that a noise order pays. */
  readonly reachBps: number;
  /** Price move by one taker order of `takerSize`, until makers return to fair; it grows with the square root of the size. */
  readonly impactBps: number;
  /** Time constant of that return (factor e), in mean gaps between noise orders. */
  readonly pressureGaps: number;
  /** Largest number of basis traders and trend followers per noise order. */
  readonly basisShare: number;
  readonly trendShare: number;
  /** Number of traders with enough leverage to be closed out by a price move. */
  readonly leveragedTraders: number;
  /** Share of the periods of two thousand noise orders with an active manipulator. */
  readonly manipulatedShare: number;
};

export type FlowConfig = { readonly enabled: false } | ({ readonly enabled: true } & FlowSettings);

export const defaultFlow: FlowSettings = {
  noiseTakersPerSec: 0.5,
  informedShare: 0.1,
  makers: 2,
  takerSize: size(500_000n),
  halfSpreadBps: 3,
  reachBps: 4.7,
  impactBps: 0.6,
  pressureGaps: 0.9,
  basisShare: 0.5,
  trendShare: 0.1,
  leveragedTraders: 2,
  manipulatedShare: 0.1,
};

export type DevnetConfig = {
  readonly chainId: string;
  readonly blockTimeMs: number;
  readonly seed: bigint;
  readonly clock: { readonly mode: "real" } | { readonly mode: "manual"; readonly startMs: number };
  readonly timestampToleranceSecs: number;
  /** Whether a transaction that is executed but refused uses up its nonce; the interface does not say (x6). */
  readonly refusedNonce: "commits" | "staysFree";
  readonly openOrderCap: number;
  /** Fee of CreateFundedAccount. */
  readonly activationFee: Usdc;
  readonly bridge: BridgeConfig;
  readonly markets: readonly MarketConfig[];
  readonly accounts: readonly AccountConfig[];
  readonly feeTiers: readonly FeeTierConfig[];
  readonly apiKeys: readonly { readonly key: string; readonly owner: string }[];
  readonly sessions: readonly { readonly token: string; readonly owner: string }[];
  readonly users: readonly { readonly username: string; readonly owner: string }[];
  readonly flow: FlowConfig;
  /** 0: no limit. */
  readonly throttle: { readonly requestsPerSecond: number; readonly actionBudget: number };
  /** Order ids start after this; 0 if omitted, as in every file. */
  readonly lastOrderId?: number;
};
