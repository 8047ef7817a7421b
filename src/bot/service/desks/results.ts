// What of the results outlives the process, as text for the ledger and back: attribution and day of each market, day of the account.

import { type AccountId, type MarketId, type Usdc, usdc } from "../../../domain/units.ts";
import { messageOf } from "../../../kernel/errors.ts";
import { type Json, parseJson, stringifyJson } from "../../../kernel/json.ts";
import type { PnlState } from "../../accounting/market-book.ts";
import { amountOf, fieldsOf, readPnlState, wholeOf } from "../../accounting/snapshot.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { LedgerReads } from "../../ledger/store.ts";
import type { DayState } from "./day-tracker.ts";

export type MarketResult = { readonly pnl: PnlState | null; readonly day: DayState | null };
/** `unassigned`: differences of collateral that no market explains. */
export type AccountResult = { readonly unassigned: Usdc; readonly day: DayState | null };

export const noMarketResult: MarketResult = { pnl: null, day: null };
export const noAccountResult: AccountResult = { unassigned: usdc(0n), day: null };

/** The ledger itself knows every fill that is in the result; these are for what is told twice within a moment. */
const KEYS_KEPT = 32;

export function marketResultText({ pnl, day }: MarketResult): string {
  const kept = pnl === null ? null : { ...pnl, bookedKeys: pnl.bookedKeys.slice(-KEYS_KEPT) };
  return stringifyJson({ pnl: kept, day } as Json);
}

export const accountResultText = ({ unassigned, day }: AccountResult): string =>
  stringifyJson({ unassigned, day } as Json);

/** Throws SnapshotError and JsonError: the text was not written by `marketResultText`. */
export function readMarketResult(text: string): MarketResult {
  const { pnl, day } = fieldsOf(parseJson(text), "result");
  return { pnl: pnl === null ? null : readPnlState(pnl), day: readDay(day) };
}

/** Throws SnapshotError and JsonError: the text was not written by `accountResultText`. */
export function readAccountResult(text: string): AccountResult {
  const fields = fieldsOf(parseJson(text), "result");
  return { unassigned: amountOf(fields, "unassigned"), day: readDay(fields.day) };
}

export type RememberedResults = {
  readonly account: AccountResult;
  readonly markets: ReadonlyMap<MarketId, MarketResult>;
  /** What could not be read, a sentence each. */
  readonly faults: readonly string[];
};

/** What earlier lives left. A result that cannot be read counts from zero and is named. Throws what the storage throws. */
export function resultsOf(read: Pick<LedgerReads, "results">, accountId: AccountId): RememberedResults {
  let account = noAccountResult;
  const markets = new Map<MarketId, MarketResult>();
  const faults: string[] = [];
  for (const { marketId, state } of read.results(accountId)) {
    try {
      if (marketId === null) account = readAccountResult(state);
      else markets.set(marketId, readMarketResult(state));
    } catch (error) {
      const whose = marketId === null ? `account ${accountId}` : `market ${marketId} of account ${accountId}`;
      faults.push(`the result of ${whose} in the ledger cannot be read (${messageOf(error)}) and counts from zero`);
    }
  }
  return { account, markets, faults };
}

/** The day's count of a market, or with null of the account, begins anew at the next start. What cannot be read begins anew anyway. */
export function forgetDay(
  ledger: Pick<Ledger, "read" | "result">,
  accountId: AccountId,
  marketId: MarketId | null,
  atMs: number,
): void {
  const { account, markets } = resultsOf(ledger.read, accountId);
  const state =
    marketId === null
      ? accountResultText({ ...account, day: null })
      : marketResultText({ ...(markets.get(marketId) ?? noMarketResult), day: null });
  ledger.result({ accountId, marketId, state, atMs });
}

function readDay(value: unknown): DayState | null {
  if (value === null) return null;
  const fields = fieldsOf(value, "day");
  const result = fieldsOf(fields.result, "result");
  return {
    day: Number(wholeOf(fields, "day")),
    before: amountOf(fields, "before"),
    result: { pnl: amountOf(result, "pnl"), best: amountOf(result, "best") },
  };
}
