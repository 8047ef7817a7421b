// The insurance fund: takes what liquidations leave over, and pays what a ledger account lacks when its position is gone.

import { post } from "../accounts/postings.ts";
import { keyOf, type LedgerAccount, type MarketState } from "../records.ts";
import type { Core } from "../state.ts";

/** Brings a ledger account below zero back to zero: from the fund while it has anything, then from the market's backstop account. */
export function coverDeficit(core: Core, ledgerAccount: LedgerAccount, market: MarketState): void {
  if (ledgerAccount.balance >= 0n) return;
  const { insurance } = core.ledgers;
  const deficit = -ledgerAccount.balance;
  const paid = insurance.balance < deficit ? insurance.balance : deficit;
  if (paid > 0n) post(core.log, insurance, ledgerAccount, paid);
  const backstop = core.accounts.get(keyOf(market.spec.backstopAccountId));
  if (ledgerAccount.balance < 0n && backstop !== undefined && backstop !== ledgerAccount) {
    post(core.log, backstop, ledgerAccount, -ledgerAccount.balance);
  }
}

/** Margin that a liquidated position had to keep is not returned, as far as it is there. */
export function keepMaintenance(core: Core, ledgerAccount: LedgerAccount, maintenance: bigint): void {
  const kept = ledgerAccount.balance < maintenance ? ledgerAccount.balance : maintenance;
  if (kept <= 0n) return;
  post(core.log, ledgerAccount, core.ledgers.insurance, kept);
  core.insuranceDeposited += kept;
}
