// What the exchange says of itself: totals, insurance fund, treasury (S2.11), tokens (S2.8), bridge (S4.1). Where the interface shows
// no fields, the names are the devnet's.

import type { Usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { count, found, type Names } from "../tolerant.ts";

/** Counts and volumes of the whole exchange (GET /v1/stats). */
export type ExchangeStats = {
  readonly totalTrades: bigint;
  /** Each trade counted once. */
  readonly totalVolume: Usdc;
  readonly totalOrders: bigint;
  readonly totalLiquidations: bigint;
  readonly markets: number;
  /** The last block that is counted in. */
  readonly blockHeight: number;
};

export const encodeStats = (stats: ExchangeStats): Json => ({
  ...stats,
  totalTrades: String(stats.totalTrades),
  totalVolume: String(stats.totalVolume),
  totalOrders: String(stats.totalOrders),
  totalLiquidations: String(stats.totalLiquidations),
});

/** In USDC base units. */
export type InsuranceFund = {
  readonly balance: Usdc;
  /** What it owes and does not have. Ours: the interface shows the other two. */
  readonly shortfall: Usdc;
  readonly totalDeposited: Usdc;
};

export const encodeInsuranceFund = (fund: InsuranceFund): Json => ({
  balance: String(fund.balance),
  shortfall: String(fund.shortfall),
  totalDeposited: String(fund.totalDeposited),
});

/** The interface names four groups of settings in scaled integer strings, and one field. */
export type TreasuryConfig = {
  readonly accountActivationFee: Usdc;
  /** Family volume that unlocks the first subaccounts, and how many it unlocks (S8). */
  readonly subaccountFirstVolume: Usdc;
  readonly subaccountFirstCount: number;
  /** Each further volume of this size unlocks one more, up to the maximum. */
  readonly subaccountStepVolume: Usdc;
  readonly subaccountMax: number;
  /** Vaults an owner may lead. */
  readonly vaultMax: number;
  /** Open orders an account may have. */
  readonly openOrderCap: number;
};

const OPEN_ORDER_CAP: Names = ["open_order_cap", "openOrderCap", "max_open_orders", "maxOpenOrders"];

export function encodeTreasuryConfig(config: TreasuryConfig): Json {
  return {
    account_activation_fee_usdc: String(config.accountActivationFee),
    subaccount_first_volume_usdc: String(config.subaccountFirstVolume),
    subaccount_first_count: String(config.subaccountFirstCount),
    subaccount_step_volume_usdc: String(config.subaccountStepVolume),
    subaccount_max: String(config.subaccountMax),
    vault_max: String(config.vaultMax),
    open_order_cap: String(config.openOrderCap),
  };
}

/**
 * The open-order cap under any name we know, at the top or in a group; null where there is none. Throws WireError when it is not a
 * number.
 */
export function decodeOpenOrderCap(json: unknown): number | null {
  const fields = objectOf(json, "");
  if (found(fields, OPEN_ORDER_CAP) !== undefined) return count(fields, OPEN_ORDER_CAP);
  for (const group of Object.values(fields)) {
    if (typeof group !== "object" || group === null || Array.isArray(group)) continue;
    const members = objectOf(group, "");
    if (found(members, OPEN_ORDER_CAP) !== undefined) return count(members, OPEN_ORDER_CAP);
  }
  return null;
}

/** An approved source of a token outside the chain. */
export type TokenRepresentation = {
  readonly source: string;
  readonly depositEnabled: boolean;
  readonly withdrawalEnabled: boolean;
};

export type Token = {
  readonly id: number;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly representations: readonly TokenRepresentation[];
};

/** A token is known by its id, never by its symbol. Sent as it is. */
export type TokenRegistry = {
  readonly tokens: readonly Token[];
  /** To be checked before Transfer and CloseSubaccount are used (S2.8). */
  readonly capabilities: { readonly genericTransfers: boolean; readonly atomicSubaccountClosure: boolean };
};

/** One token of the bridge, in its base units. */
export type BridgeToken = {
  readonly tokenId: number;
  readonly depositLimit: bigint;
  readonly depositUsed: bigint;
  readonly withdrawalLimit: bigint;
  readonly withdrawalUsed: bigint;
  /** Attested, and awaiting an account. */
  readonly pendingDeposits: bigint;
  /** Requested, and not claimed yet. */
  readonly pendingWithdrawals: bigint;
};

/** The interface describes its content and names two fields: owner and unclaimed_usdc. */
export type BridgeState = {
  readonly depositsEnabled: boolean;
  readonly withdrawalsEnabled: boolean;
  readonly withdrawalWindowSecs: number;
  readonly tokens: readonly BridgeToken[];
  /** Null where the state was asked for without an owner. */
  readonly owner: BridgeOwner | null;
};

export type BridgeOwner = {
  /** 64 lowercase hex characters. */
  readonly owner: string;
  /** Attested USDC awaiting account creation. */
  readonly unclaimedUsdc: Usdc;
};

export function encodeBridgeState(state: BridgeState): Json {
  return {
    deposits_enabled: state.depositsEnabled,
    withdrawals_enabled: state.withdrawalsEnabled,
    withdrawal_window_secs: state.withdrawalWindowSecs,
    tokens: state.tokens.map((token) => ({
      token_id: token.tokenId,
      deposit_limit: String(token.depositLimit),
      deposit_used: String(token.depositUsed),
      withdrawal_limit: String(token.withdrawalLimit),
      withdrawal_used: String(token.withdrawalUsed),
      pending_deposits: String(token.pendingDeposits),
      pending_withdrawals: String(token.pendingWithdrawals),
    })),
    ...(state.owner === null ? {} : { owner: state.owner.owner, unclaimed_usdc: String(state.owner.unclaimedUsdc) }),
  };
}
