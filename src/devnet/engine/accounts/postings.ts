// Double entry: the one place that changes a balance. Each posting takes from one purse what it gives to another, so that the
// sum over all purses never changes.

import { type AccountId, accountId, type MarketId } from "../../../domain/units.ts";
import { assert } from "../../../kernel/assert.ts";
import type { SystemLedger } from "../calls.ts";
import type { ChangeLog } from "../persistence/change-log.ts";
import type { Purse, PurseAddress } from "../records.ts";

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

export const accountAddress = (account: AccountId): PurseAddress => ({ kind: 1, account, place: 0 });
export const bucketAddress = (account: AccountId, place: MarketId): PurseAddress => ({ kind: 2, account, place });

export function emptyLedgers(): Readonly<Record<SystemLedger, Purse>> {
  return Object.fromEntries(
    SYSTEM_LEDGERS.map((name, place) => [name, { address: { kind: 3, account: accountId(0n), place }, balance: 0n }]),
  ) as Record<SystemLedger, Purse>;
}

/** Moves `amount` base units; a negative amount goes the other way, so that fees and rebates, gains and losses read alike. */
export function post(log: ChangeLog, from: Purse, to: Purse, amount: bigint): void {
  assert(from !== to, "a posting has two different legs");
  if (amount === 0n) return;
  from.balance -= amount;
  to.balance += amount;
  log.posting(from, to, amount);
}
