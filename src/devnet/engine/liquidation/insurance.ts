// The insurance fund: takes what liquidations leave over, and pays what a purse lacks when its position is gone.

import { post } from "../accounts/postings.ts";
import { keyOf, type MarketState, type Purse } from "../records.ts";
import type { Core } from "../state.ts";

/** Brings a purse below zero back to zero: from the fund while it has anything, then from the market's backstop account. */
export function coverDeficit(core: Core, purse: Purse, market: MarketState): void {
  if (purse.balance >= 0n) return;
  const { insurance } = core.ledgers;
  const deficit = -purse.balance;
  const paid = insurance.balance < deficit ? insurance.balance : deficit;
  if (paid > 0n) post(core.log, insurance, purse, paid);
  const backstop = core.accounts.get(keyOf(market.spec.backstopAccountId));
  if (purse.balance < 0n && backstop !== undefined && backstop !== purse) {
    post(core.log, backstop, purse, -purse.balance);
  }
}

/** Margin that a liquidated position had to keep is not returned, as far as it is there. */
export function keepMaintenance(core: Core, purse: Purse, maintenance: bigint): void {
  const kept = purse.balance < maintenance ? purse.balance : maintenance;
  if (kept <= 0n) return;
  post(core.log, purse, core.ledgers.insurance, kept);
  core.insuranceDeposited += kept;
}
