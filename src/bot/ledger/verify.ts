// Whether a ledger can be believed: the file is whole, every row of money can be read and folded, and what it comes to is what the exchange
// says, now or as it was last read.

import { isDeepStrictEqual } from "node:util";
import { type Account, inventoryOf } from "../../domain/account.ts";
import { type AccountId, type MarketId, type Usdc, usdc } from "../../domain/units.ts";
import { type AccountBook, inventoryIn } from "../accounting/account-book.ts";
import { collateralOf, type Totals, totalsOf } from "../accounting/totals.ts";
import { bookOf } from "./rebuild.ts";
import type { LedgerEngine, LedgerReads } from "./store.ts";

/** What the ledger comes to. */
export type Sums = {
  readonly totals: Totals;
  /** Collateral by the book. */
  readonly expected: Usdc;
};

export type AccountVerdict = Sums & {
  readonly accountId: AccountId;
  /** Newest collateral that the exchange told, when, and how much of it the book did not explain then; null: none was recorded. */
  readonly seen: { readonly collateral: Usdc; readonly atMs: number; readonly unexplained: Usdc } | null;
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

/** A figure of an account that is another one at the exchange. */
export type Difference = {
  /** `createdAt`: the ledger's rows are of another chain. */
  readonly what: "createdAt" | "collateral" | "position";
  /** Of a position; null: of the account. */
  readonly marketId: MarketId | null;
  readonly exchange: bigint;
  readonly ledger: bigint;
};

/** What the ledger has of an account against the exchange's word; no difference where they agree. Throws as `bookOf`. */
export function compareWith(
  read: LedgerReads,
  account: Account,
): Sums & { readonly differences: readonly Difference[] } {
  const { accountId, positions, collateral, createdAtMs } = account;
  const book = bookOf(read, accountId);
  // 0: it was unknown then.
  const known = read.chain(accountId)?.createdAtMs || (createdAtMs ?? 0);
  const held = new Map(positions.map((position) => [position.marketId, inventoryOf(position)]));
  const figures: Difference[] = [
    {
      what: "createdAt",
      marketId: null,
      exchange: BigInt(createdAtMs ?? known),
      ledger: BigInt(known),
    },
    { what: "collateral", marketId: null, exchange: collateral, ledger: collateralOf(book) },
    ...[...new Set([...held.keys(), ...book.markets.keys()])].map(
      (marketId): Difference => ({
        what: "position",
        marketId,
        exchange: held.get(marketId) ?? 0n,
        ledger: inventoryIn(book, marketId),
      }),
    ),
  ];
  const differences = figures.filter(({ exchange, ledger }) => exchange !== ledger);
  return { differences, totals: totalsOf(book), expected: collateralOf(book) };
}

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
    const seen =
      last === undefined
        ? null
        : { collateral: last.collateral, atMs: last.atMs, unexplained: last.unexplained ?? usdc(0n) };
    return { accountId, totals: totalsOf(book), expected: collateralOf(book), seen };
  });
  return { faults: found, accounts, openIntents: read.openIntents().length };
}
