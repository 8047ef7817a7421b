// A community vault. The interface shows isVault alone (S2.7): the other fields are the devnet's.

import type { AccountId } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";

export type Vault = {
  readonly vaultAccountId: AccountId;
  readonly name: string;
  /** The leader's personal account. */
  readonly leaderAccountId: AccountId;
  readonly totalShares: bigint;
};

export function encodeVault(vault: Vault): Json {
  return {
    accountId: vault.vaultAccountId,
    isVault: true,
    vaultName: vault.name,
    leaderAccountId: vault.leaderAccountId,
    totalShares: String(vault.totalShares),
  };
}
