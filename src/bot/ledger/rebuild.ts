// The account book of earlier lives, folded from the rows that they left.

import type { AccountId, MarketId } from "../../domain/units.ts";
import { type AccountBook, createAccountBook, foldBook } from "../accounting/account-book.ts";
import type { LedgerReads, StoredPosition } from "./store.ts";

/** Reads every row of the account's money. Throws LedgerError `malformed`, and what the storage throws. */
export function bookOf(read: LedgerReads, accountId: AccountId): AccountBook {
  const book = createAccountBook();
  for (const transfer of read.transfers(accountId)) foldBook(book, transfer);
  for (const payment of read.fundings(accountId)) foldBook(book, payment);
  for (const print of read.prints(accountId)) foldBook(book, print);
  const reads = Map.groupBy(read.positions(accountId), ({ position }) => position.marketId);
  // About in the exchange's order, or each read would be folded again with every fill that came before it.
  for (const fill of read.fills(accountId)) {
    foldReads(book, reads, fill.fill.marketId, fill.readsBefore);
    foldBook(book, fill);
  }
  for (const marketId of reads.keys()) foldReads(book, reads, marketId, Number.POSITIVE_INFINITY);
  return book;
}

/** Folds the reads of a market up to a number; each once. */
function foldReads(
  book: AccountBook,
  reads: ReadonlyMap<MarketId, StoredPosition[]>,
  marketId: MarketId,
  upTo: number,
): void {
  const left = reads.get(marketId) ?? [];
  for (let next = left[0]; next !== undefined && next.position.number <= upTo; next = left[0]) {
    left.shift();
    foldBook(book, next.position);
    if (next.isAccepted) foldBook(book, { kind: "accepted", marketId, number: next.position.number });
  }
}
