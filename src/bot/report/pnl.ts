// PnL by day, week or month and by source, as rows, valued at the print and at the mid.

import { DAY_MS } from "../../kernel/clock.ts";
import { type Pnl, pnlComponents } from "../accounting/market-book.ts";
import { dayAt, isQuiet, plus, pnlByDay, type SpanPnl, valuations } from "../ledger/pnl-by-span.ts";
import type { LedgerReads } from "../ledger/store.ts";
import { type Period, pnlColumns, type Report, type ReportRow, type RowsAsked } from "./columns.ts";

export type PnlAsked = RowsAsked & { readonly by: Period };

export const pnlReport = (asked: PnlAsked): Report<PnlRow> => ({
  name: "pnl",
  columns: pnlColumns,
  rows: (read) => rowsOf(read, asked),
  inOrder,
});

/**
 * Two rows per period, account and market, at the print and then at the mid. Leaves out periods without any change. Counts only days that
 * overlap `from` to `to`.
 */
function rowsOf(read: LedgerReads, { from, to, market, by }: PnlAsked): readonly PnlRow[] {
  const found: SpanPnl[] = [];
  const names = new Map<string, string>();
  for (const accountId of read.accounts()) {
    for (const { marketId, name } of read.marks(accountId)) names.set(`${accountId} ${marketId}`, name);
    for (const each of pnlByDay(read, accountId)) {
      const isWithin = (each.span + 1) * DAY_MS > (from ?? -Infinity) && each.span * DAY_MS < (to ?? Infinity);
      if (isWithin && !isQuiet(each) && each.marketId === (market ?? each.marketId)) found.push(each);
    }
  }
  const groups = Map.groupBy(
    found.toSorted((a, b) => a.span - b.span),
    ({ span, accountId, marketId }) => `${periodOf(span, by)} ${accountId} ${marketId}`,
  );
  return [...groups.values()].flatMap((days) => periodRows(days, by, names));
}

/** By period, account and market. The sort is stable, so the two valuations keep their order. */
const inOrder = (a: PnlRow, b: PnlRow): number =>
  a.period < b.period ? -1 : a.period > b.period ? 1 : Number(a.accountId - b.accountId || a.marketId - b.marketId);

type PnlRow = ReportRow & { readonly period: string; readonly accountId: bigint; readonly marketId: bigint };

function periodRows(days: readonly SpanPnl[], by: Period, names: ReadonlyMap<string, string>): readonly PnlRow[] {
  const last = days.at(-1);
  if (last === undefined) return [];
  const { accountId, marketId } = last;
  const volume = days.reduce((sum, day) => sum + day.volume, 0n);
  const fills = BigInt(days.reduce((sum, day) => sum + day.fills, 0));
  const market = names.get(`${accountId} ${marketId}`) ?? `market ${marketId}`;
  const place = { period: periodOf(last.span, by), accountId, marketId: BigInt(marketId), market };
  return valuations.map((valuation) => {
    const [first, ...more] = days.map((day) => day.pnl[valuation]);
    const sum = more.reduce<Pnl>(plus, first as Pnl);
    const sources = Object.fromEntries(pnlComponents.map((component) => [component, sum[component]]));
    return { ...place, valuation, price: last.prices[valuation], ...sources, volume, fills };
  });
}

/** `2026-11-26`, the ISO 8601 week `2026-W48`, or `2026-11`. */
export function periodOf(day: number, by: Period): string {
  const date = new Date(day * DAY_MS).toISOString();
  if (by === "day") return date.slice(0, 10);
  if (by === "month") return date.slice(0, 7);
  // A week belongs to the year of its Thursday; day 0 was a Thursday.
  const thursday = day - ((day + 3) % 7) + 3;
  const year = new Date(thursday * DAY_MS).getUTCFullYear();
  const week = Math.floor((thursday - dayAt(Date.UTC(year, 0, 1))) / 7) + 1;
  return `${year}-W${`${week}`.padStart(2, "0")}`;
}
