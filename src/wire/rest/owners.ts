// What is said of an owner and its accounts: the list of them, assets (S2.7), transfers (S2.9), invites (S2.11), vaults, withdrawals, stake
// (S4.4). Where the interface shows no fields, the names are the devnet's.

import type { AccountId } from "../../domain/units.ts";
import { at, fixed, type Kind, list, mapped, maybe, type Of, object, orIfAbsent, says } from "../description.ts";
import * as v from "../values.ts";

const named = {
  accountId: v.accountId,
  masterAccountId: says(maybe(v.accountId), "null for a root"),
  isVault: says(v.bool, "of a vault's root"),
};

/** An entry that does not say whether its activation is pending counts as pending: ask for the account itself. */
const ownedAccount = object({ ...named, pendingActivation: orIfAbsent(v.bool, true) });
export type OwnedAccount = Of<typeof ownedAccount>;

/** GET /v1/accounts/by-owner/{owner}/list, which may come without its envelope. */
const ownedList = object({ accounts: list(ownedAccount) });
export const ownedAccounts: Kind<readonly OwnedAccount[]> = mapped(
  { ...ownedList, read: (json) => ownedList.read(Array.isArray(json) ? { accounts: json } : json) },
  ({ accounts }) => accounts,
  (accounts) => ({ accounts }),
);

const tokenBalance = object({
  tokenId: v.tokenId,
  symbol: v.text,
  decimals: v.count,
  total: v.signedAmount,
  available: v.signedAmount,
  collateralEligible: v.bool,
});
export type TokenBalance = Of<typeof tokenBalance>;

const accountAssets = object({
  ...named,
  collateral: v.signedUsdc,
  availableCollateral: v.signedUsdc,
  nativeBalance: v.native,
  positionCount: v.count,
  openOrderCount: v.count,
  balances: list(tokenBalance),
});
export type AccountAssets = Of<typeof accountAssets>;

export const ownerAssets = object({
  accounts: list(accountAssets),
  unallocated: says(list(object({ tokenId: v.tokenId, amount: v.amount })), "awaits the personal master"),
  unallocatedNative: v.native,
  /** The owner's, whatever the account: not to be summed over subaccounts. */
  stakedNative: v.native,
  unbondingNative: v.native,
});
export type OwnerAssets = Of<typeof ownerAssets>;

const assetIds = object({ accounts: list(object({ accountId: v.accountId })) });
export const ownedIds: Kind<readonly AccountId[]> = mapped(
  assetIds,
  ({ accounts }) => accounts.map(({ accountId }) => accountId),
  (ids) => ({ accounts: ids.map((accountId) => ({ accountId })) }),
);

/** How many others an account may still bring in. */
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

/** What `value` of the recipient lookup means (S4.2). */
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
  blockHeight: v.height,
  eventIndex: v.count,
  timestampMs: at("timestamp", v.someTimeMs),
  txHash: v.hash,
  fromAccountId: v.accountIdText,
  toAccountId: v.accountIdText,
  fromOwner: v.publicKey,
  toOwner: v.publicKey,
  tokenId: v.tokenId,
  amount: v.amount,
  reason: v.word(["Transfer", "SubaccountClose"]),
  direction: says(v.word(["incoming", "outgoing", "own"]), "as the owner who asked sees it; own: told once"),
});
export type TransferItem = Of<typeof transfer>;

/** The newest first, at most 50. */
export const transferPage = object({
  items: list(transfer),
  nextCursor: says(maybe(v.text), "to be passed back for the next page; null at the end"),
});
export type TransferPage = Of<typeof transferPage>;

/** Where the interface shows no shape and the devnet has its own. */
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

/** What an owner can stake comes from the personal master, or before there is one from what awaits it. */
export const stakingBalance = object({
  pubkey: v.publicKey,
  available: v.native,
  availableFrom: v.word(["master", "unallocated"]),
  staked: v.native,
  unbonding: orIfAbsent(list(object({ amount: v.native, releasedAtMs: at("releasedAt", v.timeMs) })), []),
});
export type StakingBalance = Of<typeof stakingBalance>;

const delegation = object({ validator: v.text, amount: v.native });
export type Delegation = Of<typeof delegation>;
export const delegations = list(delegation);
