// Whether a ledger can be believed: the file is whole, every row of money can be read and folded, and the collateral last seen was
// what the book expected then.

import { isDeepStrictEqual } from "node:util";
import type { AccountId, Usdc } from "../../domain/units.ts";
import type { AccountBook } from "../accounting/account-book.ts";
import { collateralOf, type Totals, totalsOf } from "../accounting/totals.ts";
import { bookOf } from "./rebuild.ts";
import type { LedgerEngine, LedgerReads } from "./store.ts";

export type AccountVerdict = {
  readonly accountId: AccountId;
  readonly totals: Totals;
  /** Collateral by the book. */
  readonly expected: Usdc;
  /** Newest collateral that the exchange told, and when; null: none was recorded. */
  readonly seen: { readonly collateral: Usdc; readonly atMs: number } | null;
};

export type LedgerVerdict = {
  /** In words, worst first; empty when the ledger can be believed. */
  readonly faults: readonly string[];
  readonly accounts: readonly AccountVerdict[];
  /** Transactions sent whose end is not known: the next start settles them. */
  readonly openIntents: number;
};

/** `whole`: money since the beginning, archived rows included; null: the archive is missing. */
export type Verified = Pick<LedgerEngine, "read" | "faults"> & { readonly whole: LedgerReads | null };

/** What a book says of money and positions. Estimates are part of the PnL alone, and earlier versions made others. */
const figuresOf = (book: AccountBook) => ({
  collateral: book.collateral,
  totals: totalsOf(book),
  isOpened: book.isOpened,
  transferCount: book.transferCount,
  markets: new Map(
    [...book.markets].map(
      ([
        marketId,
        {
          now: { estimated: _, ...now },
          acceptedRead,
          postedAmount,
          funding,
          jump,
        },
      ]) => [marketId, { now, acceptedRead, postedAmount, funding, jump }],
    ),
  ),
});

/** Reads every row. Throws LedgerError `malformed` on a row that cannot be read, and what the storage throws. */
export function verifyLedger({ read, whole, faults }: Verified): LedgerVerdict {
  const found = [...faults()];
  if (whole === null) found.push("the archive is missing: the opening balance cannot be checked against it");
  const accounts = read.accounts().map((accountId): AccountVerdict => {
    const book = bookOf(read, accountId);
    if (whole !== null && !isDeepStrictEqual(figuresOf(book), figuresOf(bookOf(whole, accountId))))
      found.push(`account ${accountId}: the opening balance is not what the archived rows add up to`);
    const last = read.lastEquity(accountId);
    const left = last?.unexplained ?? 0n;
    if (left !== 0n) found.push(`account ${accountId}: ${left} base units of collateral are not explained`);
    const seen = last === undefined ? null : { collateral: last.collateral, atMs: last.atMs };
    return { accountId, totals: totalsOf(book), expected: collateralOf(book), seen };
  });
  return { faults: found, accounts, openIntents: read.openIntents().length };
}
