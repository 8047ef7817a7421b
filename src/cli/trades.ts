// `quoin trades`: prints every fill in the ledger, archived ones included, whether or not a daemon runs.

import { tradesReport } from "../bot/report/trades.ts";
import type { ExitCode, Host } from "../host/host.ts";
import { isJournalFormat } from "./choices.ts";
import { type ReportOptions, reportLedger } from "./report.ts";
import { tradeColumns } from "./report-columns.ts";
import { type JournalFill, journal } from "./trade-journal.ts";

export const trades = (options: ReportOptions, host: Host): Promise<ExitCode> =>
  reportLedger(options, host, {
    name: "trades",
    columns: tradeColumns,
    rows: (read) => rowsOf(read, options),
    inOrder,
    journal: (rows, format) => journal(rows, format, options.from),
  });

type TradeRow = JournalFill & { readonly realizedPnl: bigint | null };

/** Sorts by time: rows come by account. */
const inOrder = (a: TradeRow, b: TradeRow): number => Number(a.at - b.at);

function rowsOf(read: LedgerReads, { from, to, market, format }: ReportOptions): readonly TradeRow[] {
  // Lots in a journal go back to the first fill.
  const isJournal = isJournalFormat(format);
  const rows: TradeRow[] = [];
  for (const accountId of read.accounts()) {
    const names = new Map(read.marks(accountId).map(({ marketId, name }) => [marketId, name]));
    for (const { atMs, event } of read.timeline(accountId).fills) {
      const { marketId, side, liquidity, price, size, fee, realizedPnl, orderId, txHash } = event.fill;
      if ((!isJournal && atMs < (from ?? -Infinity)) || atMs >= (to ?? Infinity) || marketId !== (market ?? marketId))
        continue;
      const facts = { side, liquidity, price, size, fee, realizedPnl, orderId, txHash };
      const name = names.get(marketId) ?? `market ${marketId}`;
      rows.push({ at: BigInt(atMs), accountId, marketId: BigInt(marketId), market: name, ...facts });
    }
  }
  return rows;
}
