// Everything that an owner has, account by account (S2.7). Amounts are decimal strings in base units.

import type { AccountId, Native, Usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";

export type TokenBalance = {
  readonly tokenId: number;
  readonly symbol: string;
  readonly decimals: number;
  readonly total: bigint;
  readonly available: bigint;
  readonly collateralEligible: boolean;
};

export type AccountAssets = {
  readonly accountId: AccountId;
  /** Null for a root. */
  readonly masterAccountId: AccountId | null;
  /** True for a vault's root. */
  readonly isVault: boolean;
  readonly collateral: Usdc;
  readonly availableCollateral: Usdc;
  readonly nativeBalance: Native;
  readonly positionCount: number;
  readonly openOrderCount: number;
  readonly balances: readonly TokenBalance[];
};

export type OwnerAssets = {
  readonly accounts: readonly AccountAssets[];
  /** Awaiting the personal master. */
  readonly unallocated: readonly { readonly tokenId: number; readonly amount: bigint }[];
  readonly unallocatedNative: Native;
  /** The owner's, whatever the account: not to be summed over subaccounts. */
  readonly stakedNative: Native;
  readonly unbondingNative: Native;
};

export function encodeOwnerAssets(assets: OwnerAssets): Json {
  return {
    accounts: assets.accounts.map(encodeAccountAssets),
    unallocated: assets.unallocated.map(({ tokenId, amount }) => ({ tokenId, amount: String(amount) })),
    unallocatedNative: String(assets.unallocatedNative),
    stakedNative: String(assets.stakedNative),
    unbondingNative: String(assets.unbondingNative),
  };
}

function encodeAccountAssets(account: AccountAssets): Json {
  return {
    accountId: account.accountId,
    masterAccountId: account.masterAccountId,
    isVault: account.isVault,
    collateral: String(account.collateral),
    availableCollateral: String(account.availableCollateral),
    nativeBalance: String(account.nativeBalance),
    positionCount: account.positionCount,
    openOrderCount: account.openOrderCount,
    balances: account.balances.map((balance) => ({
      tokenId: balance.tokenId,
      symbol: balance.symbol,
      decimals: balance.decimals,
      total: String(balance.total),
      available: String(balance.available),
      collateralEligible: balance.collateralEligible,
    })),
  };
}
