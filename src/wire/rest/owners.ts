// Messages about an owner and its accounts: their list, assets (S2.7), transfers (S2.9), invites (S2.11), vaults, withdrawals, stake
// (S4.4). Where the interface shows no fields, the names are the devnet's.

import type { AccountId } from "../../domain/units.ts";
import {
  at,
  enveloped,
  fixed,
  type Kind,
  kind,
  list,
  listOfReadable,
  mapped,
  maybe,
  type Of,
  object,
  orElse,
  orIfAbsent,
  says,
} from "../description.ts";
import * as v from "../values.ts";

const named = {
  accountId: at(["accountId", "id"], v.accountId),
  masterAccountId: says(maybe(v.accountId), "null for a root"),
  isVault: says(v.bool, "of a vault's root"),
};

/** An entry that does not say whether its activation is pending counts as pending: read the account itself. */
const ownedAccount = object({ ...named, pendingActivation: orIfAbsent(v.bool, true) });
export type OwnedAccount = Of<typeof ownedAccount>;

/** GET /v1/accounts/by-owner/{owner}/list: with or without an envelope. */
const ownedList = object({ accounts: list(ownedAccount) });
export const ownedAccounts: Kind<readonly OwnedAccount[]> = kind(
  ownedList.schema,
  enveloped(list(ownedAccount)).read,
  (accounts) => ownedList.text({ accounts }),
);

const tokenBalance = object({
  tokenId: v.tokenId,
  symbol: orElse(v.text, ""),
  decimals: orElse(v.count, null),
  total: v.signedAmount,
  available: orElse(v.signedAmount, null),
  collateralEligible: orElse(v.bool, false),
});
export type TokenBalance = Of<typeof tokenBalance>;

/** Null: absent or not understood. */
const accountAssets = object({
  ...named,
  collateral: orElse(v.signedUsdc, null),
  availableCollateral: orElse(v.signedUsdc, null),
  nativeBalance: orElse(v.native, null),
  positionCount: orElse(v.count, null),
  openOrderCount: orElse(v.count, null),
  balances: orElse(list(tokenBalance), []),
});
export type AccountAssets = Of<typeof accountAssets>;

export const ownerAssets = object({
  accounts: list(accountAssets),
  unallocated: says(orElse(list(object({ tokenId: v.tokenId, amount: v.amount })), []), "awaits the personal master"),
  unallocatedNative: orElse(v.native, null),
  /** Belongs to the owner, not the account: do not sum it over subaccounts. */
  stakedNative: orElse(v.native, null),
  unbondingNative: orElse(v.native, null),
});
export type OwnerAssets = Of<typeof ownerAssets>;

const assetIds = object({ accounts: list(object({ accountId: v.accountId })) });
export const ownedIds: Kind<readonly AccountId[]> = mapped(
  assetIds,
  ({ accounts }) => accounts.map(({ accountId }) => accountId),
  (ids) => ({ accounts: ids.map((accountId) => ({ accountId })) }),
);

/** How many others an account may still invite. */
export const invites = object({
  accountId: v.accountId,
  eligible: v.bool,
  allowance: v.count,
  consumed: v.count,
  remaining: v.count,
  lifetimeVolume: v.volume,
  inviteOverride: says(maybe(v.count), "an allowance that the operator set instead of the rule"),
  nextUnlockVolume: fixed(null),
});
export type InviteState = Of<typeof invites>;

/** Meaning of `value` in the recipient lookup (S4.2). */
export const recipientKinds = ["username", "wallet", "account"] as const;
export type RecipientKind = (typeof recipientKinds)[number];

export const recipient = object({
  accountId: v.accountIdText,
  masterAccountId: says(maybe(v.accountIdText), "null for a master"),
  owner: v.publicKey,
  isMaster: v.bool,
});
export type Recipient = Of<typeof recipient>;

const transfer = object({
  blockHeight: orElse(v.height, 0),
  eventIndex: orElse(v.count, 0),
  timestampMs: at("timestamp", v.someTimeMs),
  txHash: orElse(v.hash, ""),
  fromAccountId: v.accountIdText,
  toAccountId: v.accountIdText,
  fromOwner: orElse(v.publicKey, null),
  toOwner: orElse(v.publicKey, null),
  tokenId: v.tokenId,
  amount: v.amount,
  reason: v.anyCase(["Transfer", "SubaccountClose"]),
  direction: says(v.anyCase(["incoming", "outgoing", "own"]), "as the owner who asked sees it; own: told once"),
});
export type TransferItem = Of<typeof transfer>;

/** Newest first, at most 50. */
export const transferPage = object({
  items: list(transfer),
  nextCursor: says(maybe(v.text), "to be passed back for the next page; null at the end"),
});
export type TransferPage = Of<typeof transferPage>;

/** Marks formats that the interface does not show and the devnet defines. */
export const devnetMark = {
  shape: says(fixed("devnet"), "the interface names no shape: this one is the devnet's"),
};

const vaultItself = object({
  vaultAccountId: at("accountId", v.accountId),
  isVault: fixed(true),
  name: at("vaultName", v.text),
  leaderAccountId: says(v.accountId, "the leader's personal account"),
  totalShares: v.natural("shares"),
});
export type Vault = Of<typeof vaultItself>;
const markedVault = object({ ...devnetMark, vault: vaultItself });
export const vault: Kind<Vault> = mapped(
  markedVault,
  (marked) => marked.vault,
  (of) => ({ vault: of }),
);

const withdrawal = object({
  withdrawalId: v.natural("withdrawal id"),
  tokenId: v.tokenId,
  amount: v.amount,
  destination: v.text,
  status: v.word(["Pending", "ReadyToClaim"]),
  requestedAtMs: at("requestedAt", v.timeMs),
  readyAtMs: at("readyAt", says(v.timeMs, "Unix milliseconds from which it can be claimed and no longer canceled")),
});
export type OpenWithdrawal = Of<typeof withdrawal>;

export const withdrawals: Kind<readonly OpenWithdrawal[]> = mapped(
  object({ ...devnetMark, withdrawals: list(withdrawal) }),
  (marked) => marked.withdrawals,
  (of) => ({ withdrawals: of }),
);

/**
 * NATIVE that an owner can stake, from the personal master account, or before there is one from waiting deposits. Null: absent or not
 * understood.
 */
export const stakingBalance = object({
  pubkey: at(["pubkey", "owner"], orElse(v.publicKey, null)),
  available: at(["available", "availableNative", "balance"], orElse(v.native, null)),
  availableFrom: orElse(v.anyCase(["master", "unallocated"]), null),
  staked: at(["staked", "stakedNative", "delegated"], orElse(v.native, null)),
  unbonding: orElse(
    listOfReadable(object({ amount: v.native, releasedAtMs: at(["releasedAt", "releaseTime"], v.someTimeMs) })),
    [],
  ),
});
export type StakingBalance = Of<typeof stakingBalance>;

const delegation = object({
  validator: at(["validator", "validatorAddress", "validatorName", "validatorPubkey"], v.text),
  amount: at(["amount", "stake", "staked"], v.native),
});
export type Delegation = Of<typeof delegation>;
export const delegations = enveloped(list(delegation));
