// An account's withdrawals that are not claimed yet. The interface names their states and shows no read (S3): path and fields are
// the devnet's.

import type { Json } from "../../kernel/json.ts";

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
