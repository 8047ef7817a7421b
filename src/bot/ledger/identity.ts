// The identity that the ledger must keep, to the base unit: collateral = realized + funding - fees + transfers, where transfers
// begin with what the account held when the ledger first saw it.

import { type AccountId, type Usdc, usdc } from "../../domain/units.ts";
import { type LedgerReads, noTotals, type Totals } from "./store.ts";

/** What the collateral is if the ledger knows everything that moved it. */
export const expectedCollateral = ({ realizedPnl, funding, fees, transfers }: Totals): Usdc =>
  usdc(realizedPnl + funding - fees + transfers);

/** What the exchange says less what the ledger expects: zero, or something moved that is not booked. */
export const residual = (totals: Totals, collateral: Usdc): Usdc => usdc(collateral - expectedCollateral(totals));

/** The totals summed anew from every row, to check the ones that were kept along the way. */
export function recount(read: Pick<LedgerReads, "fills" | "fundings" | "transfers">, account: AccountId): Totals {
  let { realizedPnl, fees, funding, transfers } = noTotals;
  for (const fill of read.fills(account)) {
    if (fill.covered) continue;
    realizedPnl = usdc(realizedPnl + (fill.realizedPnl ?? 0n));
    fees = usdc(fees + (fill.fee ?? 0n));
  }
  for (const { amount } of read.fundings(account)) funding = usdc(funding + amount);
  for (const { amount } of read.transfers(account)) transfers = usdc(transfers + amount);
  return { realizedPnl, fees, funding, transfers };
}
