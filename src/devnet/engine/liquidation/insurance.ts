// The insurance fund: receives what remains after liquidations, and pays the debt of a ledger account whose position is gone. A negative
// balance of its own ledger is its shortfall; later income pays that off first.

import { post } from "../accounts/postings.ts";
import type { Account, LedgerAccount } from "../records.ts";
import type { Core } from "../state.ts";

/** Raises a negative ledger balance to zero. */
export function coverDeficit(core: Core, ledgerAccount: LedgerAccount): void {
  if (ledgerAccount.balance < 0n) post(core.log, core.ledgers.insurance, ledgerAccount, -ledgerAccount.balance);
}

/** The fund pays a debt that fees and prices left after the last position; the account does not. */
export function coverIfFlat(core: Core, account: Account): void {
  if (account.balance >= 0n) return;
  for (const marketAccount of account.markets.values()) if (marketAccount.units !== 0) return;
  coverDeficit(core, account);
}

/** Deposits the margin of a position that the backstop account took over. */
export function depositInInsurance(core: Core, from: LedgerAccount, amount: bigint): void {
  if (amount <= 0n) return;
  post(core.log, from, core.ledgers.insurance, amount);
  core.insuranceDeposited += amount;
}
