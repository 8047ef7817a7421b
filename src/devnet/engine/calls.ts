// The engine's calls: arguments, refusals, and accounts as the engine knows them.

import type { Position } from "../../domain/account.ts";
import type { Order } from "../../domain/order.ts";
import type { AccountId, Price, Usdc } from "../../domain/units.ts";
import type * as wire from "../../wire/transaction/trading.ts";
import type { FeeTierConfig, MarketConfig } from "../config/config.ts";

/**
 * Place of a call in the chain. `timeMs` is the block's time and never goes back; `emittedMs`, not earlier, is when its events are
 * published (S6.2): fills carry it, and no state depends on it.
 */
export type Context = {
  readonly height: number;
  readonly timeMs: number;
  readonly emittedMs: number;
  /** Computed when it is read. */
  readonly txHash: string;
};

export type MarketSpec = Omit<MarketConfig, "oracle"> & {
  /** Account that receives positions in a backstop liquidation; the engine opens it. */
  readonly backstopAccountId: AccountId;
};

export type EngineConfig = {
  readonly markets: readonly MarketSpec[];
  readonly feeTiers: readonly FeeTierConfig[];
  /** Limit of open and untriggered orders per account, over all markets. */
  readonly openOrderCap: number;
  /** Order ids start after this; 0 if omitted. */
  readonly lastOrderId?: number;
  /** Receives every state change as canonical bytes, once per call; the array is valid only during the call. */
  readonly record: (changes: Uint8Array) => void;
};

/** PlaceOrder (S4.6) with its defaults filled in. */
export type PlaceOrder = Omit<wire.PlaceOrder, "type" | "takeProfit" | "stopLoss" | "leverage"> & {
  /** Trigger prices of the attached exits; both are StopMarket orders. */
  readonly takeProfit: Price | null;
  readonly stopLoss: Price | null;
  /** 0: the market's maximum. */
  readonly leverage: number;
};

export type ModifyOrder = Omit<wire.ModifyOrder, "type">;

/** Why a call changed nothing: a stable code and one sentence. */
export type Refusal = { readonly code: string; readonly error: string };

/**
 * Ledgers other than the trading accounts. `custody` mirrors the bridge (its balance is minus all USDC inside); `clearing` is the
 * counter-account of realized profit; `rounding` keeps base units that funding and settlement cannot split.
 */
export type SystemLedger =
  | "custody"
  | "unclaimed"
  | "withdrawals"
  | "fees"
  | "treasury"
  | "insurance"
  | "clearing"
  | "rounding";

/** One movement of USDC: two legs that sum to zero. A trading account is given by its id. */
export type Posting = {
  readonly from: AccountId | SystemLedger;
  readonly to: AccountId | SystemLedger;
  /** Above zero. */
  readonly amount: Usdc;
};

/** An account as the engine knows it; `accounts/` keeps owner, agents, NATIVE and activation. */
export type TradingAccount = {
  readonly accountId: AccountId;
  readonly masterAccountId: AccountId | null;
  readonly collateral: Usdc;
  /** USDC that can be withdrawn beyond positions and open orders, never below zero. */
  readonly availableCollateral: Usdc;
  /** Collateral, isolated buckets included, plus unrealized PnL. */
  readonly equity: Usdc;
  /** Initial margin of cross positions and open orders. */
  readonly initialMargin: Usdc;
  /** Maintenance margin of cross positions. */
  readonly maintenanceMargin: Usdc;
  readonly positions: readonly Position[];
  /** Resting and untriggered orders, oldest first. */
  readonly openOrders: readonly Order[];
  readonly volume30d: Usdc;
  readonly feeTierVolume30d: Usdc;
  readonly lifetimeVolume: Usdc;
};
