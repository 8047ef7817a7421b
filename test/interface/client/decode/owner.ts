// Reads what the exchange says of an owner and its accounts: assets, invites, transfers, vaults, withdrawals, orders, positions.

import type { Position } from "../../../../src/domain/account.ts";
import type { Order } from "../../../../src/domain/order.ts";
import { type AccountId, accountId, type Native, native, usdc } from "../../../../src/domain/units.ts";
import { readOrder } from "../../../../src/wire/rest/order.ts";
import type {
  AccountAssets,
  InviteState,
  OpenWithdrawal,
  OwnedAccount,
  OwnerAssets,
  Recipient,
  TokenBalance,
  TransferItem,
  TransferPage,
  Vault,
  WithdrawalStatus,
} from "../../../../src/wire/rest/owner.ts";
import { readPosition } from "../../../../src/wire/rest/position.ts";
import { type Fields, objectOf } from "../../../../src/wire/strict.ts";
import {
  bool,
  found,
  integer,
  list,
  listOf,
  maybe,
  type Names,
  natural,
  oneOf,
  publicKey,
  text,
  timeMs,
  whole,
} from "../../../../src/wire/tolerant.ts";

/** Throws WireError. */
export function decodeOwnerAssets(json: unknown): OwnerAssets {
  const fields = objectOf(json, "");
  return {
    accounts: list(fields, "accounts", readAccountAssets),
    unallocated: list(fields, "unallocated", (item) => {
      const token = objectOf(item, "");
      return { tokenId: integer(token, "tokenId"), amount: natural(token, "amount") };
    }),
    unallocatedNative: readNative(fields, "unallocatedNative"),
    stakedNative: readNative(fields, "stakedNative"),
    unbondingNative: readNative(fields, "unbondingNative"),
  };
}

function readAccountAssets(item: unknown): AccountAssets {
  const fields = objectOf(item, "");
  const master = maybe(fields, "masterAccountId", natural);
  return {
    accountId: accountId(natural(fields, "accountId")),
    masterAccountId: master === null ? null : accountId(master),
    isVault: bool(fields, "isVault"),
    collateral: usdc(whole(fields, "collateral")),
    availableCollateral: usdc(whole(fields, "availableCollateral")),
    nativeBalance: readNative(fields, "nativeBalance"),
    positionCount: integer(fields, "positionCount"),
    openOrderCount: integer(fields, "openOrderCount"),
    balances: list(fields, "balances", readBalance),
  };
}

function readBalance(item: unknown): TokenBalance {
  const fields = objectOf(item, "");
  return {
    tokenId: integer(fields, "tokenId"),
    symbol: text(fields, "symbol"),
    decimals: integer(fields, "decimals"),
    total: whole(fields, "total"),
    available: whole(fields, "available"),
    collateralEligible: bool(fields, "collateralEligible"),
  };
}

const readNative = (fields: Fields, names: Names): Native => native(natural(fields, names));

/** Throws WireError. */
export function decodeInviteState(json: unknown): InviteState {
  const fields = objectOf(json, "");
  return {
    accountId: accountId(natural(fields, "accountId")),
    eligible: bool(fields, "eligible"),
    allowance: integer(fields, "allowance"),
    consumed: integer(fields, "consumed"),
    remaining: integer(fields, "remaining"),
    lifetimeVolume: usdc(natural(fields, "lifetimeVolume")),
    inviteOverride: maybe(fields, "inviteOverride", integer),
  };
}

/** An entry that does not say whether its activation is pending counts as pending: ask for the account itself. Throws WireError. */
export function decodeOwnedAccounts(json: unknown): readonly OwnedAccount[] {
  const rows = Array.isArray(json) ? json : found(objectOf(json, ""), "accounts");
  return listOf(
    rows,
    (item) => {
      const fields = objectOf(item, "");
      const master = maybe(fields, ["masterAccountId", "master_account_id"], natural);
      return {
        accountId: accountId(natural(fields, ["accountId", "account_id"])),
        masterAccountId: master === null ? null : accountId(master),
        isVault: bool(fields, ["isVault", "is_vault"]),
        pendingActivation: maybe(fields, ["pendingActivation", "pending_activation"], bool) ?? true,
      };
    },
    "accounts",
  );
}

/** Throws WireError. */
export function decodeRecipient(json: unknown): Recipient {
  const fields = objectOf(json, "");
  const master = maybe(fields, "masterAccountId", natural);
  return {
    accountId: accountId(natural(fields, "accountId")),
    masterAccountId: master === null ? null : accountId(master),
    owner: publicKey(fields, "owner"),
    isMaster: bool(fields, "isMaster"),
  };
}

/** Throws WireError. */
export function decodeTransferPage(json: unknown): TransferPage {
  const fields = objectOf(json, "");
  return { items: list(fields, "items", readTransferItem), nextCursor: maybe(fields, "nextCursor", text) };
}

const reasons = ["Transfer", "SubaccountClose"] as const;

const directions = ["incoming", "outgoing", "own"] as const;

function readTransferItem(item: unknown): TransferItem {
  const fields = objectOf(item, "");
  return {
    blockHeight: integer(fields, "blockHeight"),
    eventIndex: integer(fields, "eventIndex"),
    timestampMs: timeMs(fields, "timestamp"),
    txHash: text(fields, "txHash"),
    fromAccountId: accountId(natural(fields, "fromAccountId")),
    toAccountId: accountId(natural(fields, "toAccountId")),
    fromOwner: publicKey(fields, "fromOwner"),
    toOwner: publicKey(fields, "toOwner"),
    tokenId: integer(fields, "tokenId"),
    amount: natural(fields, "amount"),
    reason: oneOf(fields, "reason", reasons),
    direction: oneOf(fields, "direction", directions),
  };
}

/** Throws WireError. */
export function decodeVault(json: unknown): Vault {
  const fields = objectOf(json, "");
  return {
    vaultAccountId: accountId(natural(fields, "accountId")),
    name: text(fields, "vaultName"),
    leaderAccountId: accountId(natural(fields, "leaderAccountId")),
    totalShares: natural(fields, "totalShares"),
  };
}

const statuses: readonly WithdrawalStatus[] = ["Pending", "ReadyToClaim"];

/** Throws WireError. */
export const decodeWithdrawals = (json: unknown): readonly OpenWithdrawal[] =>
  list(objectOf(json, ""), "withdrawals", (item) => {
    const fields = objectOf(item, "");
    return {
      withdrawalId: natural(fields, "withdrawalId"),
      tokenId: integer(fields, "tokenId"),
      amount: natural(fields, "amount"),
      destination: text(fields, "destination"),
      status: oneOf(fields, "status", statuses),
      requestedAtMs: integer(fields, "requestedAt"),
      readyAtMs: integer(fields, "readyAt"),
    };
  });

/** The list of GET /v1/accounts/{id}/orders of `account`. Throws WireError. */
export const decodeOrders = (json: unknown, account: AccountId): readonly Order[] =>
  listOf(json, (item) => readOrder(item, account));

/** The list of GET /v1/accounts/{id}/positions. Throws WireError. */
export const decodePositions = (json: unknown): readonly Position[] => listOf(json, readPosition);
