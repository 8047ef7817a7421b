// Transactions that the interface names without showing a payload: withdrawals (S4.6), vaults and staking (S2.7, S4.4, S5). The formats are
// the devnet's own: a bot never sends them to a real exchange.

import { request } from "../description.ts";
import type { Typed } from "./trading.ts";
import * as v from "./values.ts";

const NAME_BYTES_MAX = 64;
const DESTINATION_BYTES_MAX = 128;

/** `validator`: name of a registered validator; `amount`: NATIVE. */
const stakeMembers = { accountId: v.accountId, validator: v.text(NAME_BYTES_MAX), amount: v.amountText };

/** `accountId`: always the owner's personal account; amounts are base units above zero. */
export const unshown = {
  RequestWithdrawal: request({
    accountId: v.accountId,
    tokenId: v.tokenId,
    amount: v.amountText,
    /** Address on the external chain; not interpreted. */
    destination: v.text(DESTINATION_BYTES_MAX),
  }),
  CancelWithdrawal: request({ accountId: v.accountId, withdrawalId: v.withdrawalIdText }),
  /** `amount`: the leader's first deposit, USDC. */
  CreateVault: request({ accountId: v.accountId, name: v.text(NAME_BYTES_MAX), amount: v.amountText }),
  DepositToVault: request({ accountId: v.accountId, vaultAccountId: v.accountId, amount: v.amountText }),
  WithdrawFromVault: request({ accountId: v.accountId, vaultAccountId: v.accountId, shares: v.amountText }),
  DelegateStake: request(stakeMembers),
  UndelegateStake: request(stakeMembers),
};

type Of<Name extends keyof typeof unshown> = Typed<typeof unshown, Name>;
export type RequestWithdrawal = Of<"RequestWithdrawal">;
export type CreateVault = Of<"CreateVault">;
export type DepositToVault = Of<"DepositToVault">;
export type WithdrawFromVault = Of<"WithdrawFromVault">;
export type StakeTransaction = Of<"DelegateStake"> | Of<"UndelegateStake">;
