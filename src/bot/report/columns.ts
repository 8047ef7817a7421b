// The columns of `quoin trades` and `quoin pnl`: name, type and meaning with unit and sign, for help, documentation and every format.

import { AMOUNT_SCALE, PRICE_SCALE, SIZE_SCALE } from "../../domain/units.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import type { Cell, ParquetColumn } from "../ledger/parquet.ts";
import type { LedgerReads } from "../ledger/store.ts";

export type ReportColumn = ParquetColumn & { readonly means: string };

/** Values by column: a decimal as an integer in its scale, a time as Unix ms. Null: no value. */
export type ReportRow = Readonly<Record<string, Cell>>;

/** Rows of one kind, as each ledger is read for them. */
export type Report<Row extends ReportRow> = {
  readonly name: string;
  readonly columns: readonly ReportColumn[];
  /** Reads the rows of one ledger. */
  readonly rows: (read: LedgerReads) => readonly Row[];
  readonly inOrder: (a: Row, b: Row) => number;
};

/** Which rows to read; times in Unix ms, from the first (inclusive) to the second (exclusive). */
export type RowsAsked = { readonly from?: number; readonly to?: number; readonly market?: number };

/** Periods over which PnL is summed, in UTC. */
export const periods = ["day", "week", "month"] as const;
export type Period = (typeof periods)[number];

const USD = { scale: PRICE_SCALE };
const CONTRACTS = { scale: SIZE_SCALE };
const USDC = { scale: AMOUNT_SCALE };

export const tradeColumns = [
  { name: "at", type: "time", means: "when the exchange executed the fill; UTC" },
  { name: "accountId", type: "unsigned", means: "the account that traded" },
  { name: "marketId", type: "whole", means: "the market's number" },
  { name: "market", type: "text", means: "the market's name, as last known" },
  { name: "side", type: "text", means: "buy or sell, as the account did" },
  { name: "liquidity", type: "text", means: "maker or taker, as the account was" },
  { name: "price", type: USD, means: "USD per contract" },
  { name: "size", type: CONTRACTS, means: "contracts, above zero on both sides" },
  { name: "fee", type: USDC, means: "USDC, a cost: negative for a rebate; empty while the exchange has not told it" },
  {
    name: "realizedPnl",
    type: USDC,
    means:
      "USDC, as the exchange tells it, before fees: above zero is a gain, 0 unless the fill closed something; empty while unknown",
  },
  { name: "orderId", type: "unsigned", means: "the account's order" },
  { name: "txHash", type: "text", means: "the transaction" },
] as const satisfies readonly ReportColumn[];

export const pnlColumns = [
  { name: "period", type: "text", means: "UTC: 2026-11-26, 2026-W48 (ISO 8601, from Monday) or 2026-11" },
  { name: "accountId", type: "unsigned", means: "the account" },
  { name: "marketId", type: "whole", means: "the market's number" },
  { name: "market", type: "text", means: "the market's name, as last known" },
  {
    name: "valuation",
    type: "text",
    means:
      "what the position is valued at: print, the last trusted oracle price, or mid, that of the book without our orders; every period has a row of each",
  },
  { name: "price", type: USD, means: "that price at the end of the period, USD per contract" },
  { name: "spread", type: USDC, means: "USDC; a gain is above zero: what fills were better than the mid" },
  {
    name: "inventory",
    type: USDC,
    means: "USDC; a gain is above zero: continuous moves of the price under the position",
  },
  { name: "jump", type: USDC, means: "USDC; a gain is above zero: what prints moved under the position" },
  { name: "funding", type: USDC, means: "USDC; received is above zero, paid below" },
  { name: "fees", type: USDC, means: "USDC; rebates are above zero, fees paid below" },
  { name: "total", type: USDC, means: "USDC; spread + inventory + jump + funding + fees" },
  { name: "volume", type: USDC, means: "USDC, notional of the fills" },
  { name: "fills", type: "whole", means: "how many fills" },
] as const satisfies readonly ReportColumn[];

/** For the help of a command. */
export const columnsText = (columns: readonly ReportColumn[]): string =>
  `\nColumns:\n${columns.map(({ name, means }) => `  ${name.padEnd(12)} ${means}\n`).join("")}`;

/** Counts are JSON numbers. A value that may pass 2^53 or has decimals is text. */
export const jsonOf = (columns: readonly ReportColumn[], row: ReportRow): object =>
  Object.fromEntries(
    columns.map((column) => {
      const text = textOf(column, row);
      return [column.name, column.type === "whole" && text !== null ? Number(text) : text];
    }),
  );

export function textOf({ name, type }: ReportColumn, row: ReportRow): string | null {
  const cell = row[name] ?? null;
  if (cell === null || typeof cell === "string") return cell;
  if (typeof type === "object") return formatDecimal(cell, type.scale);
  return type === "time" ? new Date(Number(cell)).toISOString() : `${cell}`;
}
