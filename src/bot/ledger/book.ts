// How a life of the book begins: with what the account holds, and a name for what moved it while nobody looked.

import type { AccountId, Usdc } from "../../domain/units.ts";
import { residual } from "./identity.ts";
import type { Ledger } from "./ledger.ts";

/**
 * Begins a life of the book from the first read of the account: the opening balance where the ledger has never seen the account,
 * and otherwise what changed while the bot was away and no fill or payment explains, under that name. Returns what was booked.
 */
export function openBook(
  ledger: Pick<Ledger, "totals" | "transfer" | "read">,
  read: { readonly accountId: AccountId; readonly collateral: Usdc; readonly atMs: number },
): Usdc {
  const { accountId, collateral, atMs } = read;
  const difference = residual(ledger.totals(accountId), collateral);
  if (!ledger.read.hasTransfer(accountId, OPENING)) {
    ledger.transfer({ accountId, key: OPENING, reason: "opening", amount: difference, atMs });
  } else if (difference !== 0n) {
    ledger.transfer({ accountId, key: `whileAway:${atMs}`, reason: "whileAway", amount: difference, atMs });
  }
  return difference;
}

const OPENING = "opening";
