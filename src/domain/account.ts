// Accounts, positions and agent keys as the exchange describes them (S2.6).

import type { MarginMode, Order } from "./order.ts";
import {
  type AccountId,
  type MarketId,
  type Native,
  type OrderId,
  type Price,
  type Side,
  type Size,
  size,
  type Usdc,
} from "./units.ts";

export type Position = {
  readonly marketId: MarketId;
  readonly side: Side;
  /** Always positive; the side gives the direction. */
  readonly size: Size;
  readonly entryPrice: Price;
  /** Null: could not be read. */
  readonly unrealizedPnl: Usdc | null;
  /** Null: could not be read. */
  readonly cumulativeFunding: bigint | null;
  readonly lastOraclePrice: Price;
  readonly openedAtMs: number;
  readonly marginMode: MarginMode;
  readonly leverage: number;
  readonly isolatedMargin: Usdc;
  readonly tierGrandfathered: boolean;
};

/** Signed contracts: positive for long, 0 without a position. */
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

/**
 * An open order or position of the account with an unreadable required field: it may have any size. Null fields could not be read either,
 * so they may have any value.
 */
export type Unreadable = {
  readonly what: "order" | "position";
  /** Also null for a position. */
  readonly orderId: OrderId | null;
  readonly marketId: MarketId | null;
  readonly side: Side | null;
  /** The first faulty field, and its fault. */
  readonly why: string;
};

/** A clause for people, without a full stop. */
export const unreadableText = ({ what, orderId, marketId, side, why }: Unreadable): string => {
  const name = what === "position" ? "a position" : orderId === null ? "an order" : `order ${orderId}`;
  const where = marketId === null ? "of an unknown market" : `in market ${marketId}`;
  return `${name} ${where}${side === null ? "" : ` (${side})`} cannot be read: ${why}`;
};

/** The open orders of an account, and the traces of those that could not be read. */
export type OpenOrders = {
  readonly openOrders: readonly Order[];
  /** In an account: also its unreadable positions. */
  readonly unreadable: readonly Unreadable[];
};

/** The positions of an account, at most one per market, and the traces of those that could not be read. */
export type Positions = {
  readonly positions: readonly Position[];
  /** In an account: also its unreadable orders. */
  readonly unreadable: readonly Unreadable[];
};

/** Its lists are the first source of orders and positions; their own reads are the second. */
export type Account = OpenOrders &
  Positions & {
    readonly accountId: AccountId;
    /** 64 lowercase hex characters. This and the following are null if unknown. */
    readonly owner: string | null;
    readonly mode: MarginMode;
    readonly collateral: Usdc;
    readonly availableCollateral: Usdc | null;
    readonly nativeBalance: Native;
    readonly createdAtMs: number | null;
    readonly volume30d: Usdc | null;
    readonly feeTierVolume30d: Usdc | null;
    readonly lifetimeVolume: Usdc | null;
    /** If absent in the answer: true if there is an activation fee. */
    readonly pendingActivation: boolean;
    readonly pendingActivationFeeUsdc: Usdc | null;
    readonly agents: readonly Agent[];
  };

/** On-chain request budget (S4.2; format not shown, NS-11). Null: not understood or not limited. */
export type RateLimit = {
  readonly requestsUsed: bigint | null;
  readonly requestsCap: bigint | null;
  readonly requestsRemaining: bigint | null;
  /** The names of its fields do not say what is counted. */
  readonly isUnitUnknown?: true;
};

/** The exchange's description of itself (S2.11). Null: absent, or not in the interface's form. */
export type NodeStatus = {
  readonly protocolVersion: number | null;
  readonly binaryVersion: number | null;
  readonly buildSha: string | null;
  readonly blockHeight: number;
  readonly blockTimestampSec: number;
  readonly stateRoot: string | null;
  readonly chainId: string;
};
