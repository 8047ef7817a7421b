// The insurance fund: takes what liquidations leave over, and pays what a ledger account lacks when its position is gone. Its ledger
// below zero is what it lacks itself; what comes in later pays that off first.

import { post } from "../accounts/postings.ts";
import type { Account, LedgerAccount } from "../records.ts";
import type { Core } from "../state.ts";

/** Brings a ledger account below zero back to zero. */
export function coverDeficit(core: Core, ledgerAccount: LedgerAccount): void {
  if (ledgerAccount.balance < 0n) post(core.log, core.ledgers.insurance, ledgerAccount, -ledgerAccount.balance);
}

/** What fees and prices left below zero after the last position is not the account's to pay. */
export function coverIfFlat(core: Core, account: Account): void {
  if (account.balance >= 0n) return;
  for (const marketAccount of account.markets.values()) if (marketAccount.units !== 0) return;
  coverDeficit(core, account);
}

/** Margin of a position that the backstop account took over. */
export function depositInInsurance(core: Core, from: LedgerAccount, amount: bigint): void {
  if (amount <= 0n) return;
  post(core.log, from, core.ledgers.insurance, amount);
  core.insuranceDeposited += amount;
}
