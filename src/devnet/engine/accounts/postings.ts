// Double entry: the only place that changes a balance. Each posting moves an amount from one ledger account to another, so the sum over all
// ledger accounts never changes.

import { type AccountId, accountId, type MarketId } from "../../../domain/units.ts";
import { assert } from "../../../kernel/assert.ts";
import type { SystemLedger } from "../calls.ts";
import type { ChangeLog } from "../persistence/change-log.ts";
import type { LedgerAccount, LedgerAddress } from "../records.ts";

export const SYSTEM_LEDGERS: readonly SystemLedger[] = [
  "custody",
  "unclaimed",
  "withdrawals",
  "fees",
  "treasury",
  "insurance",
  "clearing",
  "rounding",
];

export const accountAddress = (account: AccountId): LedgerAddress => ({ kind: 1, account, place: 0 });
export const bucketAddress = (account: AccountId, place: MarketId): LedgerAddress => ({ kind: 2, account, place });

export function emptyLedgers(): Readonly<Record<SystemLedger, LedgerAccount>> {
  return Object.fromEntries(
    SYSTEM_LEDGERS.map((name, place) => [name, { address: { kind: 3, account: accountId(0n), place }, balance: 0n }]),
  ) as Record<SystemLedger, LedgerAccount>;
}

/** Moves `amount` base units; a negative amount moves the other way, so that fees and rebates, gains and losses use the same call. */
export function post(log: ChangeLog, from: LedgerAccount, to: LedgerAccount, amount: bigint): void {
  assert(from !== to, "a posting has two different legs");
  if (amount === 0n) return;
  from.balance -= amount;
  to.balance += amount;
  log.posting(from, to, amount);
}
