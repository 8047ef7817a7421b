// An owner's accounts (GET /v1/accounts/by-owner/{owner}/list). The interface shows isVault only; the rest of the shape is the devnet's.

import type { AccountId } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";

export type OwnedAccount = {
  readonly accountId: AccountId;
  /** Null for a root. */
  readonly masterAccountId: AccountId | null;
  readonly isVault: boolean;
  readonly pendingActivation: boolean;
};

export function encodeOwnedAccounts(accounts: readonly OwnedAccount[]): Json {
  return {
    accounts: accounts.map((account) => ({
      accountId: account.accountId,
      masterAccountId: account.masterAccountId,
      isVault: account.isVault,
      pendingActivation: account.pendingActivation,
    })),
  };
}
