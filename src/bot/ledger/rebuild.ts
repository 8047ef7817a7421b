// Rebuilds the account book of earlier runs from the ledger: an opening balance, and the later rows.

import type { AccountId, MarketId } from "../../domain/units.ts";
import { type AccountBook, createAccountBook, foldBook } from "../accounting/account-book.ts";
import type { FillEvent } from "../accounting/market-book.ts";
import { openWith } from "../accounting/opening.ts";
import type { LedgerReads, StoredPosition } from "./store.ts";

/** Reads every row of the account's money. Throws LedgerError `malformed`, OpeningError, JsonError, and what the storage throws. */
export function bookOf(read: LedgerReads, accountId: AccountId): AccountBook {
  const book = createAccountBook();
  for (const opening of read.openings(accountId)) openWith(book, opening);
  for (const transfer of read.transfers(accountId)) foldBook(book, transfer);
  for (const payment of read.fundings(accountId)) foldBook(book, payment);
  for (const print of read.prints(accountId)) foldBook(book, print);
  foldTrading(book, read.fills(accountId), read.positions(accountId));
  return book;
}

/** Folds fills and reads of positions in about the exchange's order; otherwise each read would be folded again with every earlier fill. */
export function foldTrading(book: AccountBook, fills: Iterable<FillEvent>, positions: Iterable<StoredPosition>): void {
  const reads = Map.groupBy(positions, ({ position }) => position.marketId);
  for (const fill of fills) {
    foldReads(book, reads, fill.fill.marketId, fill.readsBefore);
    foldBook(book, fill);
  }
  for (const marketId of reads.keys()) foldReads(book, reads, marketId, Number.POSITIVE_INFINITY);
}

/** Folds the reads of a market up to a number, in order, and removes them from the list, so that each is folded once. */
export function foldReads(
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
