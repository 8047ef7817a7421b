// The engine's records in memory: accounts, markets, an account in one market, and live orders. Ticks and size units are whole numbers
// below 2^53, money is bigint. Fields marked "derived" follow from the others and are not in snapshots.

import type { FeeTier, MarginTier, OracleStatus } from "../../domain/market.ts";
import type { MarginMode, OrderType, TimeInForce } from "../../domain/order.ts";
import type { AccountId, MarketId, OrderId, Price, Side, Size } from "../../domain/units.ts";
import type { MarketConfig } from "../config/config.ts";
import type { Volume } from "./accounts/volume.ts";
import type { OrderBook, Resting } from "./book/order-book.ts";
import type { MarketSpec } from "./calls.ts";
import type { Rate } from "./exact.ts";

/** Identifies a ledger account: `place` is a bucket's market or a system ledger's row, else 0. */
export type LedgerAddress = { readonly kind: number; readonly account: AccountId; readonly place: number };

/** Anything that holds USDC: an account, an isolated bucket, a system ledger. Only `postings.ts` changes a balance. */
export interface LedgerAccount {
  readonly address: LedgerAddress;
  balance: bigint;
}

/** Accounts that share a fee tier: a master and its subaccounts. */
export type Family = { readonly masterId: AccountId; readonly volume: Volume };

/** `balance` is the cross collateral. */
export interface Account extends LedgerAccount {
  readonly id: AccountId;
  readonly masterId: AccountId | null;
  readonly family: Family;
  readonly markets: Map<MarketId, MarketAccount>;
  readonly volume: Volume;
  /** Places used under the open-order cap: resting and untriggered orders, and the exits they may activate. Derived. */
  placesTaken: number;
  /** Sum of the market accounts' `unrealized`. Derived. */
  unrealized: bigint;
  /** Sum of the market accounts' `initial`. Derived. */
  initial: bigint;
}

/** The last margin computed for a market account, with its inputs. A cache, not state. */
export type MarginMemo = { rate: Rate; units: number; leverage: number; margin: bigint };

/** The last mark price computed for a market, with its inputs. A cache, not state. */
export type MarkMemo = { readonly version: number; readonly oraclePrice: Price; readonly price: Price };

/** One account in one market: its position, if any, and its orders. */
export interface MarketAccount {
  readonly account: Account;
  readonly market: MarketState;
  /** Signed position. */
  units: number;
  /** Signed USDC cost of the open position: the amount paid for a long, minus the amount received for a short. */
  cost: bigint;
  openedAtMs: number;
  mode: MarginMode;
  /** Selected leverage of the position; 0: the market's maximum, or flat. */
  leverage: number;
  /** Lowest leverage that a resting order selects; 0 if none selects any. Derived. */
  asked: number;
  /** The isolated bucket. */
  readonly bucket: LedgerAccount;
  /** The market's funding index at the last payment. */
  fundingIndex: bigint;
  /** When a part of a large position was last sent to the book in liquidation; 0 if none is in progress. */
  partialAtMs: number;
  /** First and last of the list of live orders, kept by `live-orders.ts`. */
  oldest: LiveOrder | null;
  newest: LiveOrder | null;
  /** Number of exits that wait for their trigger. Derived. */
  exitCount: number;
  /** Resting units that could enlarge the position: all except reduce-only orders. Derived. */
  buyUnits: number;
  sellUnits: number;
  /** Resting units of reduce-only orders. Derived. */
  reducingBuys: number;
  reducingSells: number;
  /** Loss against the risk price if all resting orders fill at their prices, in price scale x size units. Derived. */
  adverse: bigint;
  /** Cross positions only: value at the risk price minus cost. Derived. */
  unrealized: bigint;
  /** Margin that the account's cross collateral must cover for this market account. Derived. */
  initial: bigint;
  readonly memo: MarginMemo;
}

export interface LiveOrder extends Resting<LiveOrder> {
  /** 0 until accepted. */
  id: number;
  orderId: OrderId;
  readonly marketAccount: MarketAccount;
  readonly side: Side;
  readonly orderType: OrderType;
  price: Price;
  ticks: number;
  /** Total size, including the filled part. */
  size: Size;
  remaining: number;
  filled: number;
  triggerPrice: Price | null;
  /** Direction in which the risk price must cross the trigger price. */
  readonly triggers: "above" | "below" | null;
  readonly reduceOnly: boolean;
  readonly postOnly: boolean;
  readonly timeInForce: TimeInForce;
  readonly maxSlippageBps: number | null;
  /** Margin mode that the order selects, unless it is reduce-only; null if it gives none, until it enters. */
  mode: MarginMode | null;
  /** Leverage that its fills select for the position they open or add to; 0: none, which opens at the market's maximum. */
  readonly leverage: number;
  /** Trigger prices of the exits that its fills activate. */
  readonly takeProfit: Price | null;
  readonly stopLoss: Price | null;
  /** Exits only: the order whose fills activated it. Two exits of one entry cancel each other. */
  readonly entryId: number | null;
  untriggered: boolean;
  /** Neighbors in its market account's list. */
  listed: boolean;
  older: LiveOrder | null;
  newer: LiveOrder | null;
  createdAtMs: number;
  updatedAtMs: number;
}

export type FundingState = {
  /** USD per contract since the start, price scale: the total that a long of one contract has paid. */
  cumulative: bigint;
  /** Estimate for the next settlement, parts per billion of notional. */
  rate: bigint;
  lastSettledMs: number;
  lastSampleMs: number;
  /** Sum of sampled premiums in parts per billion, and their number. */
  premiumSum: bigint;
  premiumCount: number;
};

export interface MarketState {
  readonly id: MarketId;
  readonly spec: MarketSpec;
  tickSize: Price;
  tickRate: Rate;
  readonly initialMarginRatioBps: number;
  readonly interestRateMicroBps: number;
  readonly depthThreshold: bigint;
  readonly maxFundingRateBps: number;
  readonly marginTiers: readonly MarginTier[];
  /** Tiers of the market's asset class, highest minimum volume first. */
  readonly feeTiers: readonly FeeTier[];
  readonly book: OrderBook<LiveOrder>;
  /** Ordered by each account's first order. */
  readonly accounts: MarketAccount[];
  /** Ordered by id. */
  readonly untriggered: Set<LiveOrder>;
  status: MarketConfig["status"];
  /** 0 before the first print. */
  oraclePrice: Price;
  markMemo: MarkMemo;
  lastOraclePrice: Price;
  oracleStatus: OracleStatus;
  lastPrintMs: number;
  validUntilMs: number;
  readonly prints: { timeMs: number; price: Price }[];
  /** Price for valuing positions and checking triggers: the oracle price for RealEstate, else the mark price at the block's start. */
  risk: Rate;
  /** Something may have reached a trigger price since the last check. */
  triggersDue: boolean;
  /** Something may have left an account below its margin since the last check. */
  healthDue: boolean;
  /** Ticks at which aggressive orders may trade. Derived. */
  bandLow: number;
  bandHigh: number;
  /** Units of all long positions, which equal those of all short positions. */
  openInterest: number;
  readonly funding: FundingState;
}

/** Maps find numbers faster than bigints: the key is a number if that is exact. */
export const keyOf = (id: bigint): number | bigint => (id <= 9_007_199_254_740_991n ? Number(id) : id);
