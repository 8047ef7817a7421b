// Checks whether a ledger can be trusted: the file is intact, every row of money can be read and folded, and the sums equal the exchange's
// figures, now or as last read.

import { isDeepStrictEqual } from "node:util";
import { type Account, inventoryOf } from "../../domain/account.ts";
import { type AccountId, type MarketId, type Usdc, usdc } from "../../domain/units.ts";
import { type AccountBook, inventoryIn } from "../accounting/account-book.ts";
import { collateralOf, type Totals, totalsOf } from "../accounting/totals.ts";
import { type AuditVerdict, verifyAudit } from "./audit-chain.ts";
import { bookOf } from "./rebuild.ts";
import type { LedgerEngine, LedgerReads } from "./store.ts";

/** The ledger's sums. */
export type Sums = {
  readonly totals: Totals;
  /** Collateral by the book. */
  readonly expected: Usdc;
};

export type AccountVerdict = Sums & {
  readonly accountId: AccountId;
  /** The newest collateral reported by the exchange, its time, and the part that the book did not explain then; null: none was recorded. */
  readonly seen: { readonly collateral: Usdc; readonly atMs: number; readonly unexplained: Usdc } | null;
};

export type LedgerVerdict = {
  /** As text, worst first; empty if the ledger can be trusted. */
  readonly faults: readonly string[];
  readonly accounts: readonly AccountVerdict[];
  /** Number of sent transactions without a known end: the next start resolves them. */
  readonly openIntents: number;
  readonly audit: AuditVerdict;
};

/** `whole`: reads of money since the beginning, including archived rows; null: the archive is missing. */
export type Verified = Pick<LedgerEngine, "read" | "faults"> & { readonly whole: LedgerReads | null };

/** A figure of an account that differs at the exchange. */
export type Difference = {
  /** `createdAt`: the ledger's rows are of another chain. */
  readonly what: "createdAt" | "collateral" | "position";
  /** Market of a position; null for figures of the account. */
  readonly marketId: MarketId | null;
  readonly exchange: bigint;
  readonly ledger: bigint;
};

/** Compares the ledger's figures of an account with the exchange's; no differences if they agree. Throws like `bookOf`. */
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

/** A book's figures of money and positions. Estimates affect only the PnL, and earlier versions made different ones. */
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

/** Reads every row. Throws LedgerError `malformed` for a row that cannot be read, and what the storage throws. */
export function verifyLedger({ read, whole, faults }: Verified): LedgerVerdict {
  const audit = verifyAudit(read.trail());
  const found = [...faults(), ...(audit.fault === null ? [] : [audit.fault])];
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
  return { faults: found, accounts, openIntents: read.openIntents().length, audit };
}
