// Books that a ledger keeps: how their events come to it, and what a later run must find.

import type { AccountBook, BookEvent } from "../../../../src/bot/accounting/account-book.ts";
import { collateralOf } from "../../../../src/bot/accounting/totals.ts";
import type { Ledger } from "../../../../src/bot/ledger/ledger.ts";
import { accountId } from "../../../../src/domain/units.ts";
import { pnlAt } from "../accounting/books.ts";
import type { History } from "../accounting/histories.ts";

const account = accountId(12n);

export function keep(ledger: Ledger, event: BookEvent, atMs = 1): void {
  if (event.kind === "fill") ledger.keep({ kind: "fill", event, receivedMs: atMs });
  else if (event.kind === "position") ledger.keep({ kind: "position", accountId: account, event, atMs });
  else if (event.kind === "accepted") ledger.keep({ kind: "accepted", accountId: account, event });
  else if (event.kind === "funding") ledger.keep({ kind: "funding", accountId: account, event });
  else if (event.kind === "print") ledger.keep({ kind: "print", accountId: account, event, atMs });
  else ledger.keep({ kind: "transfer", accountId: account, event, atMs });
}

/** What a book says of money and positions: of a fill that a transfer stands for a later run knows no more than that. */
export const figuresOf = (book: AccountBook) => ({
  collateral: collateralOf(book),
  unassigned: book.unassigned,
  isOpened: book.isOpened,
  transferCount: book.transferCount,
  markets: new Map(
    [...book.markets].map(([marketId, { now }]) => [marketId, { now, pnl: pnlAt(book, 777n, marketId) }]),
  ),
});

/** A bot accepts only what it read, and a transfer stands only for fills that were heard of. */
export const inOrder = (history: History): readonly BookEvent[] =>
  [...history].sort((one, other) => Number(one.kind === "transfer") - Number(other.kind === "transfer"));
