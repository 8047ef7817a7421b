// Transactions that the interface names without showing a payload (S4.6). The shapes are the devnet's own: a bot never sends them
// to a real exchange, whose app alone knows them.

import { type AccountId, accountId } from "../../domain/units.ts";
import { stringifyJson } from "../../kernel/json.ts";
import { amountText, count, decimalText, type Fields, onlyKeys, text, U64_MAX, u64 } from "../strict.ts";

export type RequestWithdrawal = {
  readonly type: "RequestWithdrawal";
  readonly accountId: AccountId;
  readonly tokenId: number;
  /** Base units of the token, above zero. */
  readonly amount: bigint;
  /** Address on the external chain; opaque. */
  readonly destination: string;
};

export type CancelWithdrawal = {
  readonly type: "CancelWithdrawal";
  readonly accountId: AccountId;
  readonly withdrawalId: bigint;
};

export type PrivateTransaction = RequestWithdrawal | CancelWithdrawal;

const DESTINATION_BYTES_MAX = 128;

export const requestWithdrawalText = (request: RequestWithdrawal): string =>
  `{"RequestWithdrawal":{"account_id":${request.accountId},"token_id":${request.tokenId}` +
  `,"amount":"${request.amount}","destination":${stringifyJson(request.destination)}}}`;

const requestWithdrawalKeys = new Set(["account_id", "token_id", "amount", "destination"]);

export function readRequestWithdrawal(fields: Fields): RequestWithdrawal {
  onlyKeys(fields, requestWithdrawalKeys);
  return {
    type: "RequestWithdrawal",
    accountId: accountId(u64(fields, "account_id")),
    tokenId: count(fields, "token_id"),
    amount: amountText(fields, "amount"),
    destination: text(fields, "destination", DESTINATION_BYTES_MAX),
  };
}

export const cancelWithdrawalText = (cancel: CancelWithdrawal): string =>
  `{"CancelWithdrawal":{"account_id":${cancel.accountId},"withdrawal_id":"${cancel.withdrawalId}"}}`;

const cancelWithdrawalKeys = new Set(["account_id", "withdrawal_id"]);

export function readCancelWithdrawal(fields: Fields): CancelWithdrawal {
  onlyKeys(fields, cancelWithdrawalKeys);
  return {
    type: "CancelWithdrawal",
    accountId: accountId(u64(fields, "account_id")),
    withdrawalId: decimalText(fields, "withdrawal_id", U64_MAX),
  };
}
