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

/** Where a market's prints come from. Seconds may be fractions. */
export type OracleSource =
  | { readonly source: "fixed"; readonly price: Price; readonly validForSecs: number }
  | {
      readonly source: "csv";
      /** Of one series; already read and exact. */
      readonly series: IndexSeries;
      readonly printEverySecs: number;
      readonly validForSecs: number;
    }
  | {
      readonly source: "synthetic";
      readonly price: Price;
      readonly printEverySecs: number;
      readonly validForSecs: number;
      /** Mean, standard deviation and lag-1 autocorrelation of log returns a print; percent, percent, ratio. */
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
  /** In which funding pays a whole premium. */
  readonly premiumPeriodSecs: number;
  /** Hourly interest in 1e-6 basis points, 1e-10 of notional. */
  readonly interestRateMicroBps: number;
  /** Notional that a side's impact price is taken at. */
  readonly depthThreshold: Usdc;
  /** Cap of a funding rate per interval, either sign. */
  readonly maxFundingRateBps: number;
  readonly oracle: OracleSource;
  readonly marginTiers: readonly MarginTierConfig[];
  /** Another exchange sets its funding: the operator settles it, at that rate, and the premium here does not. Never in a file. */
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
  /** What may pass in 24 hours, per token. */
  readonly limit: { readonly usdc: Usdc; readonly native: Native };
};

export type BridgeConfig = { readonly deposits: BridgeDirectionConfig; readonly withdrawals: BridgeDirectionConfig };

/** Synthetic counterparties, the same in every market. They act by block number, so equal seeds trade equally under any clock. */
export type FlowSettings = {
  /** Noise orders a second of logical time, on average; they cluster. The pace of everybody else follows it. */
  readonly noiseTakersPerSec: number;
  /** Share of takers who know the next print. */
  readonly informedShare: number;
  /** Competing makers, each with four levels a side. */
  readonly makers: number;
  /** Contracts of the median taker order; makers rest one, two, four and eight times as much. */
  readonly takerSize: Size;
  /** Half the spread that a maker wants in usual times. */
  readonly halfSpreadBps: number;
  /** How far from fair a noise order pays, on average. */
  readonly reachBps: number;
  /** By how much a taker order of `takerSize` moves the price until makers have come back to fair; it grows with the root of the size. */
  readonly impactBps: number;
  /** How long that takes to come back, by the factor e, mean gaps between noise orders. */
  readonly pressureGaps: number;
  /** Basis traders and trend followers for each noise order, at most. */
  readonly basisShare: number;
  readonly trendShare: number;
  /** Traders with so much leverage that a move closes them out. */
  readonly leveragedTraders: number;
  /** Share of spans of two thousand noise orders in which a manipulator is at work. */
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
  /** Whether an executed but refused transaction uses up its nonce; the interface is silent (x6). */
  readonly refusedNonce: "commits" | "staysFree";
  readonly openOrderCap: number;
  /** What CreateFundedAccount costs. */
  readonly activationFee: Usdc;
  readonly bridge: BridgeConfig;
  readonly markets: readonly MarketConfig[];
  readonly accounts: readonly AccountConfig[];
  readonly feeTiers: readonly FeeTierConfig[];
  readonly apiKeys: readonly { readonly key: string; readonly owner: string }[];
  readonly sessions: readonly { readonly token: string; readonly owner: string }[];
  readonly users: readonly { readonly username: string; readonly owner: string }[];
  readonly flow: FlowConfig;
  /** 0 = no limit. */
  readonly throttle: { readonly requestsPerSecond: number; readonly actionBudget: number };
  /** Orders are numbered after this; 0 where it is left out, as in every file. */
  readonly lastOrderId?: number;
};
