// An owner's accounts (GET /v1/accounts/by-owner/{owner}/list). The shape is not shown beyond isVault: the devnet wraps the list, the
// reader takes it bare as well.

import { type AccountId, accountId } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { bool, found, listOf, maybe, natural } from "../tolerant.ts";

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
