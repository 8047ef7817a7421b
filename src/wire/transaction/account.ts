// The transactions of S4.6 that open, link, fund and close accounts. Only the owner's key may sign them, except Transfer.

import type { MarginMode } from "../../domain/order.ts";
import { type AccountId, accountId } from "../../domain/units.ts";
import { bytesOfHex } from "../../kernel/hex.ts";
import { stringifyJson } from "../../kernel/json.ts";
import { WireError } from "../errors.ts";
import {
  amountText,
  count,
  decimalText,
  type Fields,
  nullable,
  oneOf,
  onlyKeys,
  publicKey,
  text,
  U64_MAX,
  u64,
} from "../strict.ts";

export type CreateFundedAccount = {
  readonly type: "CreateFundedAccount";
  readonly mode: "Cross";
  /** Null: not sent, no referral. */
  readonly referredBy: AccountId | null;
};

/** Retired: it is understood, whatever its fields, so that it can be refused by name. */
export type CreateReferredAccount = { readonly type: "CreateReferredAccount" };

export type ApproveAgent = {
  readonly type: "ApproveAgent";
  readonly accountId: AccountId;
  /** 64 lowercase hex characters. */
  readonly agent: string;
  /** Null: not sent. */
  readonly name: string | null;
  /** Null: not sent, active until revoked. */
  readonly expiresAtSec: number | null;
};

export type RevokeAgent = { readonly type: "RevokeAgent"; readonly accountId: AccountId; readonly agent: string };

export type CreateSubaccount = { readonly type: "CreateSubaccount"; readonly masterAccountId: AccountId };

export type Transfer = {
  readonly type: "Transfer";
  readonly fromAccountId: AccountId;
  readonly toAccountId: AccountId;
  readonly tokenId: number;
  /** Base units of the token, above zero, within i128. */
  readonly amount: bigint;
};

export type CloseSubaccount = { readonly type: "CloseSubaccount"; readonly accountId: AccountId };

export type AccountTransaction =
  | CreateFundedAccount
  | CreateReferredAccount
  | ApproveAgent
  | RevokeAgent
  | CreateSubaccount
  | Transfer
  | CloseSubaccount;

/** The interface gives no maximum: ours. */
const AGENT_NAME_BYTES_MAX = 64;
/** Unix seconds stay below this for three thousand years, Unix milliseconds passed it in 1973: whoever is above mixed up the unit. */
const SECONDS_MAX = 100_000_000_000;

export const createFundedAccountText = ({ mode, referredBy }: CreateFundedAccount): string =>
  `{"CreateFundedAccount":{"mode":"${mode}"${referredBy === null ? "" : `,"referred_by":${referredBy}`}}}`;

const createFundedAccountKeys = new Set(["mode", "referred_by"]);
const fundedModes = ["Cross"] as const satisfies readonly MarginMode[];

export function readCreateFundedAccount(fields: Fields): CreateFundedAccount {
  onlyKeys(fields, createFundedAccountKeys);
  return {
    type: "CreateFundedAccount",
    mode: oneOf(fields, "mode", fundedModes),
    referredBy: nullable(fields, "referred_by", readAccountId),
  };
}

export const createReferredAccountText = (): string => `{"CreateReferredAccount":{}}`;

export const readCreateReferredAccount = (): CreateReferredAccount => ({ type: "CreateReferredAccount" });

export function approveAgentText({ accountId: account, agent, name, expiresAtSec }: ApproveAgent): string {
  const nameText = name === null ? "" : `,"name":${stringifyJson(name)}`;
  const expiryText = expiresAtSec === null ? "" : `,"expires_at":${expiresAtSec}`;
  return `{"ApproveAgent":{"account_id":${account},"agent":${bytesText(agent)}${nameText}${expiryText}}}`;
}

const approveAgentKeys = new Set(["account_id", "agent", "name", "expires_at"]);

export function readApproveAgent(fields: Fields): ApproveAgent {
  onlyKeys(fields, approveAgentKeys);
  return {
    type: "ApproveAgent",
    accountId: readAccountId(fields, "account_id"),
    agent: publicKey(fields, "agent"),
    name: nullable(fields, "name", (of, key) => text(of, key, AGENT_NAME_BYTES_MAX)),
    expiresAtSec: nullable(fields, "expires_at", readSeconds),
  };
}

export const revokeAgentText = (revoke: RevokeAgent): string =>
  `{"RevokeAgent":{"account_id":${revoke.accountId},"agent":${bytesText(revoke.agent)}}}`;

const revokeAgentKeys = new Set(["account_id", "agent"]);

export function readRevokeAgent(fields: Fields): RevokeAgent {
  onlyKeys(fields, revokeAgentKeys);
  return { type: "RevokeAgent", accountId: readAccountId(fields, "account_id"), agent: publicKey(fields, "agent") };
}

export const createSubaccountText = (create: CreateSubaccount): string =>
  `{"CreateSubaccount":{"master_account_id":${create.masterAccountId}}}`;

const createSubaccountKeys = new Set(["master_account_id"]);

export function readCreateSubaccount(fields: Fields): CreateSubaccount {
  onlyKeys(fields, createSubaccountKeys);
  return { type: "CreateSubaccount", masterAccountId: readAccountId(fields, "master_account_id") };
}

/** Ids and amount are decimal strings here, unlike everywhere else (S4.6). */
export const transferText = ({ fromAccountId, toAccountId, tokenId, amount }: Transfer): string =>
  `{"Transfer":{"from_account_id":"${fromAccountId}","to_account_id":"${toAccountId}","token_id":${tokenId},"amount":"${amount}"}}`;

const transferKeys = new Set(["from_account_id", "to_account_id", "token_id", "amount"]);

export function readTransfer(fields: Fields): Transfer {
  onlyKeys(fields, transferKeys);
  return {
    type: "Transfer",
    fromAccountId: accountId(decimalText(fields, "from_account_id", U64_MAX)),
    toAccountId: accountId(decimalText(fields, "to_account_id", U64_MAX)),
    tokenId: count(fields, "token_id"),
    amount: amountText(fields, "amount"),
  };
}

export const closeSubaccountText = (close: CloseSubaccount): string =>
  `{"CloseSubaccount":{"account_id":${close.accountId}}}`;

const closeSubaccountKeys = new Set(["account_id"]);

export function readCloseSubaccount(fields: Fields): CloseSubaccount {
  onlyKeys(fields, closeSubaccountKeys);
  return { type: "CloseSubaccount", accountId: readAccountId(fields, "account_id") };
}

const bytesText = (hex: string): string => `[${bytesOfHex(hex).join(",")}]`;
const readAccountId = (fields: Fields, key: string): AccountId => accountId(u64(fields, key));

function readSeconds(fields: Fields, key: string): number {
  const seconds = count(fields, key);
  if (seconds >= SECONDS_MAX) throw new WireError("field_range", key, "must be Unix seconds, not milliseconds");
  return seconds;
}
