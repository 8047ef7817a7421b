// `quoin trades`: prints every fill in the ledger, archived ones included, whether or not a daemon runs.

import type { LedgerReads } from "../bot/ledger/store.ts";
import type { ExitCode, Host } from "../host/host.ts";
import { type ReportOptions, type ReportRow, reportLedger } from "./report.ts";
import { tradeColumns } from "./report-columns.ts";

export const trades = (options: ReportOptions, host: Host): Promise<ExitCode> =>
  reportLedger(options, host, {
    name: "trades",
    columns: tradeColumns,
    rows: (read) => rowsOf(read, options),
    inOrder,
  });

type TradeRow = ReportRow & { readonly at: bigint };

/** Sorts by time: rows come by account. */
const inOrder = (a: TradeRow, b: TradeRow): number => Number(a.at - b.at);

function rowsOf(read: LedgerReads, { from, to, market }: ReportOptions): readonly TradeRow[] {
  const rows: TradeRow[] = [];
  for (const accountId of read.accounts()) {
    const names = new Map(read.marks(accountId).map(({ marketId, name }) => [marketId, name]));
    for (const { atMs, event } of read.timeline(accountId).fills) {
      const { marketId, side, liquidity, price, size, fee, realizedPnl, orderId, txHash } = event.fill;
      if (atMs < (from ?? -Infinity) || atMs >= (to ?? Infinity) || marketId !== (market ?? marketId)) continue;
      const facts = { side, liquidity, price, size, fee, realizedPnl, orderId, txHash };
      const name = names.get(marketId) ?? `market ${marketId}`;
      rows.push({ at: BigInt(atMs), accountId, marketId: BigInt(marketId), market: name, ...facts });
    }
  }
  return rows;
}
