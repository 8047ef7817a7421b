// What the exchange says of an owner and its accounts: assets (S2.7), transfers (S2.9), invites (S2.11), vaults, withdrawals. Where
// the interface shows no fields, the names are the devnet's. Amounts are decimal strings in base units.

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
    ...account,
    collateral: String(account.collateral),
    availableCollateral: String(account.availableCollateral),
    nativeBalance: String(account.nativeBalance),
    balances: account.balances.map((balance) => ({
      ...balance,
      total: String(balance.total),
      available: String(balance.available),
    })),
  };
}

/** GET /v1/accounts/by-owner/{owner}/list; the interface shows isVault only. */
export type OwnedAccount = {
  readonly accountId: AccountId;
  /** Null for a root. */
  readonly masterAccountId: AccountId | null;
  readonly isVault: boolean;
  readonly pendingActivation: boolean;
};

export const encodeOwnedAccounts = (accounts: readonly OwnedAccount[]): Json => ({ accounts });

/** How many others an account may still bring in. */
export type InviteState = {
  readonly accountId: AccountId;
  readonly eligible: boolean;
  readonly allowance: number;
  readonly consumed: number;
  readonly remaining: number;
  readonly lifetimeVolume: Usdc;
  /** An allowance that the operator set instead of the rule. */
  readonly inviteOverride: number | null;
};

/** `nextUnlockVolume` is always null. */
export const encodeInviteState = (state: InviteState): Json => ({ ...state, nextUnlockVolume: null });

/** What `value` of the recipient lookup means (S4.2). */
export type RecipientKind = "username" | "wallet" | "account";

export type Recipient = {
  readonly accountId: AccountId;
  /** Null for a master. */
  readonly masterAccountId: AccountId | null;
  /** 64 lowercase hex characters. */
  readonly owner: string;
  readonly isMaster: boolean;
};

export function encodeRecipient(recipient: Recipient): Json {
  const { masterAccountId } = recipient;
  return {
    ...recipient,
    accountId: String(recipient.accountId),
    masterAccountId: masterAccountId === null ? null : String(masterAccountId),
  };
}

export type TransferItem = {
  readonly blockHeight: number;
  readonly eventIndex: number;
  readonly timestampMs: number;
  readonly txHash: string;
  readonly fromAccountId: AccountId;
  readonly toAccountId: AccountId;
  readonly fromOwner: string;
  readonly toOwner: string;
  readonly tokenId: number;
  /** Base units. */
  readonly amount: bigint;
  readonly reason: "Transfer" | "SubaccountClose";
  /** Seen from the owner who asked; between the owner's own accounts it appears once. */
  readonly direction: "incoming" | "outgoing" | "own";
};

export type TransferPage = {
  /** At most 50. */
  readonly items: readonly TransferItem[];
  /** To be passed back for the next page; null at the end. */
  readonly nextCursor: string | null;
};

export function encodeTransferPage(page: TransferPage): Json {
  return { items: page.items.map(encodeTransferItem), nextCursor: page.nextCursor };
}

const encodeTransferItem = ({ blockHeight, eventIndex, timestampMs, ...item }: TransferItem): Json => ({
  blockHeight,
  eventIndex,
  timestamp: timestampMs,
  ...item,
  fromAccountId: String(item.fromAccountId),
  toAccountId: String(item.toAccountId),
  amount: String(item.amount),
});

export type Vault = {
  readonly vaultAccountId: AccountId;
  readonly name: string;
  /** The leader's personal account. */
  readonly leaderAccountId: AccountId;
  readonly totalShares: bigint;
};

export function encodeVault(vault: Vault): Json {
  return {
    accountId: vault.vaultAccountId,
    isVault: true,
    vaultName: vault.name,
    leaderAccountId: vault.leaderAccountId,
    totalShares: String(vault.totalShares),
  };
}

export type WithdrawalStatus = "Pending" | "ReadyToClaim";

export type OpenWithdrawal = {
  readonly withdrawalId: bigint;
  readonly tokenId: number;
  /** Base units. */
  readonly amount: bigint;
  readonly destination: string;
  readonly status: WithdrawalStatus;
  readonly requestedAtMs: number;
  /** From then on it can be claimed and can no longer be canceled. */
  readonly readyAtMs: number;
};

export const encodeWithdrawals = (withdrawals: readonly OpenWithdrawal[]): Json =>
  withdrawals.map((withdrawal) => ({
    withdrawalId: String(withdrawal.withdrawalId),
    tokenId: withdrawal.tokenId,
    amount: String(withdrawal.amount),
    destination: withdrawal.destination,
    status: withdrawal.status,
    requestedAt: withdrawal.requestedAtMs,
    readyAt: withdrawal.readyAtMs,
  }));
