// Accounts, positions and agent keys as the exchange describes them (S2.6).

import type { MarginMode, Order } from "./order.ts";
import {
  type AccountId,
  type MarketId,
  type Native,
  type Price,
  type Side,
  type Size,
  size,
  type Usdc,
} from "./units.ts";

export type Position = {
  readonly marketId: MarketId;
  readonly side: Side;
  /** Above zero; the side carries the sign. */
  readonly size: Size;
  readonly entryPrice: Price;
  readonly unrealizedPnl: Usdc;
  readonly cumulativeFunding: bigint;
  readonly lastOraclePrice: Price;
  readonly openedAtMs: number;
  readonly marginMode: MarginMode;
  readonly leverage: number;
  readonly isolatedMargin: Usdc;
  readonly tierGrandfathered: boolean;
};

/** Signed contracts: long above zero; 0 without a position. */
export function inventoryOf(position: Position | undefined): Size {
  if (position === undefined) return size(0n);
  return position.side === "buy" ? position.size : size(-position.size);
}

export type Agent = {
  /** 64 lowercase hex characters, no prefix. */
  readonly pubkey: string;
  readonly name: string;
  /** Null: until revoked. */
  readonly expiresAtSec: number | null;
};

export type Account = {
  readonly accountId: AccountId;
  /** 64 lowercase hex characters. */
  readonly owner: string;
  readonly mode: MarginMode;
  readonly collateral: Usdc;
  readonly availableCollateral: Usdc;
  readonly nativeBalance: Native;
  readonly positions: readonly Position[];
  readonly openOrders: readonly Order[];
  readonly createdAtMs: number;
  readonly volume30d: Usdc;
  readonly feeTierVolume30d: Usdc;
  readonly lifetimeVolume: Usdc;
  readonly pendingActivation: boolean;
  readonly pendingActivationFeeUsdc: Usdc | null;
  readonly agents: readonly Agent[];
};

/** On-chain request budget (S4.2; shape not shown, NS-11). Null = not understood or not limited. */
export type RateLimit = {
  readonly requestsUsed: bigint | null;
  readonly requestsCap: bigint | null;
  readonly requestsRemaining: bigint | null;
};

/** What the exchange says of itself (S2.11). */
export type NodeStatus = {
  readonly protocolVersion: number;
  readonly binaryVersion: number;
  readonly buildSha: string;
  readonly blockHeight: number;
  readonly blockTimestampSec: number;
  readonly stateRoot: string;
  readonly chainId: string;
};
