// The columns of `quoin trades` and `quoin pnl`: name, type and meaning with unit and sign, for help, documentation and every format.

import { AMOUNT_SCALE, PRICE_SCALE, SIZE_SCALE } from "../domain/units.ts";

/** A decimal's value is an integer in its scale, a time's is Unix ms. */
export type ColumnType = "unsigned" | "whole" | "time" | "text" | { readonly scale: number };
export type ReportColumn = { readonly name: string; readonly type: ColumnType; readonly means: string };

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
