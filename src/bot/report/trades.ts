// The fills in a ledger as rows, archived ones included.

import type { LedgerReads } from "../ledger/store.ts";
import { type Report, type RowsAsked, tradeColumns } from "./columns.ts";

export const tradesReport = (asked: RowsAsked): Report<TradeRow> => ({
  name: "trades",
  columns: tradeColumns,
  rows: (read) => rowsOf(read, asked),
  inOrder,
});

/** A fill in the exchange's scales, `at` in Unix ms. `fee` null: the exchange has not told it. */
export type TradeRow = {
  readonly at: bigint;
  readonly accountId: bigint;
  readonly marketId: bigint;
  readonly market: string;
  readonly side: string;
  readonly liquidity: string;
  readonly price: bigint;
  readonly size: bigint;
  readonly fee: bigint | null;
  readonly realizedPnl: bigint | null;
  readonly orderId: bigint;
  readonly txHash: string;
};

/** Sorts by time: rows come by account. */
const inOrder = (a: TradeRow, b: TradeRow): number => Number(a.at - b.at);

function rowsOf(read: LedgerReads, { from, to, market }: RowsAsked): readonly TradeRow[] {
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
