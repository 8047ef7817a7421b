// Rows of indexed history (S4.3). Their fields are not shown: where the fact is the same they carry the names of the WebSocket's
// fill (contract section 3), the rest is the devnet's. Money is scaled integer text.

import type { Execution, Liquidity } from "../../domain/fill.ts";
import type { Order } from "../../domain/order.ts";
import { type AccountId, type MarketId, opposite, type Size, type Usdc } from "../../domain/units.ts";
import { encodeCsv } from "../../kernel/csv.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { executionFields } from "../execution.ts";
import { sideToWire } from "../words.ts";
import { encodeOrder } from "./order.ts";

/** Where an event stands in the chain; rows are ordered by it. */
export type Place = { readonly height: number; readonly eventIndex: number; readonly timeMs: number };

/** One side of an execution. */
export type FillRow = Place & {
  readonly accountId: AccountId;
  readonly liquidity: Liquidity;
  readonly execution: Execution;
};

/** The order as it stood last, under the place of its last change. */
export type OrderRow = Place & { readonly order: Order };

export type FundingPayment = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Signed size that the payment was computed on. */
  readonly inventory: Size;
  /** Above zero: received. */
  readonly amount: Usdc;
  readonly fundingRate: bigint;
};

export type FundingRow = Place & { readonly payment: FundingPayment };

/** The account's own side, fee and profit stand beside those of both. */
export function encodeFillRow(row: FillRow): JsonObject {
  const { execution, liquidity } = row;
  const taker = liquidity === "taker";
  return {
    account_id: row.accountId,
    side: sideToWire(taker ? execution.takerSide : opposite(execution.takerSide)),
    fee_role: liquidity,
    fee: String(taker ? execution.takerFee : execution.makerFee),
    realized_pnl: String(taker ? execution.takerRealizedPnl : execution.makerRealizedPnl),
    ...executionFields(execution),
    ...placeFields(row),
  };
}

/** The record of an open order with its last status. */
export const encodeOrderRow = (row: OrderRow): JsonObject => ({ ...encodeOrder(row.order), ...placeFields(row) });

export function encodeFundingRow(row: FundingRow): JsonObject {
  const { payment } = row;
  return {
    account_id: payment.accountId,
    market_id: payment.marketId,
    size: String(payment.inventory),
    funding_rate: String(payment.fundingRate),
    amount: String(payment.amount),
    ...placeFields(row),
  };
}

const placeFields = ({ height, eventIndex, timeMs }: Place): JsonObject => ({
  timestamp: timeMs,
  block_height: height,
  event_index: eventIndex,
});

const FILL_COLUMNS = [
  "account_id",
  "market_id",
  "side",
  "fee_role",
  "price",
  "size",
  "fee",
  "realized_pnl",
  "taker_order_id",
  "maker_order_id",
  "taker_account_id",
  "maker_account_id",
  "taker_side",
  "taker_fee",
  "maker_fee",
  "taker_realized_pnl",
  "maker_realized_pnl",
  "timestamp",
  "tx_hash",
  "block_height",
  "event_index",
] as const;

/** GET /v1/accounts/{id}/trades/csv: the same values under the same names. */
export function encodeFillsCsv(rows: readonly FillRow[]): string {
  const cellsOf = (row: FillRow): readonly string[] => {
    const members = encodeFillRow(row);
    return FILL_COLUMNS.map((name) => String(members[name] ?? ""));
  };
  return encodeCsv(FILL_COLUMNS, rows.map(cellsOf));
}
