// Vaults and staking: the interface names both without showing a transaction (S2.7, S4.4, S5). The shapes are the devnet's own; a
// bot never sends them to a real exchange.

import { type AccountId, accountId } from "../../domain/units.ts";
import { stringifyJson } from "../../kernel/json.ts";
import { amountText, type Fields, onlyKeys, text, u64 } from "../strict.ts";

/** `accountId` is the owner's personal account, in all five; amounts are base units above zero. */
export type CreateVault = {
  readonly type: "CreateVault";
  readonly accountId: AccountId;
  readonly name: string;
  /** The leader's first deposit, USDC. */
  readonly amount: bigint;
};

export type DepositToVault = {
  readonly type: "DepositToVault";
  readonly accountId: AccountId;
  readonly vaultAccountId: AccountId;
  readonly amount: bigint;
};

export type WithdrawFromVault = {
  readonly type: "WithdrawFromVault";
  readonly accountId: AccountId;
  readonly vaultAccountId: AccountId;
  readonly shares: bigint;
};

export type DelegateStake = {
  readonly type: "DelegateStake";
  readonly accountId: AccountId;
  /** Name of a registered validator. */
  readonly validator: string;
  /** NATIVE. */
  readonly amount: bigint;
};

export type UndelegateStake = Omit<DelegateStake, "type"> & { readonly type: "UndelegateStake" };

export type VaultTransaction = CreateVault | DepositToVault | WithdrawFromVault;
export type StakeTransaction = DelegateStake | UndelegateStake;

const NAME_BYTES_MAX = 64;

export const createVaultText = (create: CreateVault): string =>
  `{"CreateVault":{"account_id":${create.accountId},"name":${stringifyJson(create.name)},"amount":"${create.amount}"}}`;

const createVaultKeys = new Set(["account_id", "name", "amount"]);

export function readCreateVault(fields: Fields): CreateVault {
  onlyKeys(fields, createVaultKeys);
  return {
    type: "CreateVault",
    accountId: accountId(u64(fields, "account_id")),
    name: text(fields, "name", NAME_BYTES_MAX),
    amount: amountText(fields, "amount"),
  };
}

export const depositToVaultText = (deposit: DepositToVault): string =>
  `{"DepositToVault":{"account_id":${deposit.accountId},"vault_account_id":${deposit.vaultAccountId}` +
  `,"amount":"${deposit.amount}"}}`;

const depositToVaultKeys = new Set(["account_id", "vault_account_id", "amount"]);

export function readDepositToVault(fields: Fields): DepositToVault {
  onlyKeys(fields, depositToVaultKeys);
  return {
    type: "DepositToVault",
    accountId: accountId(u64(fields, "account_id")),
    vaultAccountId: accountId(u64(fields, "vault_account_id")),
    amount: amountText(fields, "amount"),
  };
}

export const withdrawFromVaultText = (withdraw: WithdrawFromVault): string =>
  `{"WithdrawFromVault":{"account_id":${withdraw.accountId},"vault_account_id":${withdraw.vaultAccountId}` +
  `,"shares":"${withdraw.shares}"}}`;

const withdrawFromVaultKeys = new Set(["account_id", "vault_account_id", "shares"]);

export function readWithdrawFromVault(fields: Fields): WithdrawFromVault {
  onlyKeys(fields, withdrawFromVaultKeys);
  return {
    type: "WithdrawFromVault",
    accountId: accountId(u64(fields, "account_id")),
    vaultAccountId: accountId(u64(fields, "vault_account_id")),
    shares: amountText(fields, "shares"),
  };
}

export const stakeText = (stake: StakeTransaction): string =>
  `{"${stake.type}":{"account_id":${stake.accountId},"validator":${stringifyJson(stake.validator)}` +
  `,"amount":"${stake.amount}"}}`;

const stakeKeys = new Set(["account_id", "validator", "amount"]);

export const readDelegateStake = (fields: Fields): DelegateStake => ({ type: "DelegateStake", ...readStake(fields) });
export const readUndelegateStake = (fields: Fields): UndelegateStake => ({
  type: "UndelegateStake",
  ...readStake(fields),
});

function readStake(fields: Fields): Omit<DelegateStake, "type"> {
  onlyKeys(fields, stakeKeys);
  return {
    accountId: accountId(u64(fields, "account_id")),
    validator: text(fields, "validator", NAME_BYTES_MAX),
    amount: amountText(fields, "amount"),
  };
}
