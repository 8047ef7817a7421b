// An account's withdrawals that are not claimed yet. The interface names their states and shows no read (S3): path and fields are
// the devnet's.

import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { integer, list, natural, oneOf, text } from "../tolerant.ts";

export type WithdrawalStatus = "Pending" | "ReadyToClaim";

export type OpenWithdrawal = {
  readonly withdrawalId: bigint;
  readonly tokenId: number;
  /** Base units. */
  readonly amount: bigint;
  readonly destination: string;
  readonly status: WithdrawalStatus;
  readonly requestedAtMs: number;
  /** From then on it can be claimed, and not be canceled any more. */
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
