// Rows of indexed history (S4.3). The interface does not show their fields: the same facts have the names of the WebSocket's fill, all
// other names are the devnet's own. A row without a place sorts before all others.

import type { Execution, Liquidity } from "../../domain/fill.ts";
import type { Order } from "../../domain/order.ts";
import { type AccountId, type MarketId, opposite, type Size, type Usdc } from "../../domain/units.ts";
import { CsvFault, type CsvRow, decodeCsv, encodeCsv } from "../../kernel/csv.ts";
import { parseJson } from "../../kernel/json.ts";
import {
  at,
  type Fields,
  type Kind,
  kind,
  list,
  mapped,
  type Of,
  object,
  orIfAbsent,
  rowsOf,
  says,
  snakeObject,
} from "../description.ts";
import { WireError } from "../errors.ts";
import { executionMembers } from "../execution.ts";
import * as v from "../values.ts";
import { orderMembers, readOrder } from "./accounts.ts";

/** Position of an event in the chain; rows are ordered by it. */
export type Place = { readonly height: number; readonly eventIndex: number; readonly timeMs: number };

/** One side of an execution. */
export type FillRow = Place & {
  readonly accountId: AccountId;
  readonly liquidity: Liquidity;
  readonly execution: Execution;
};

/** The last state of an order; the position is that of its last change. */
export type OrderRow = Place & { readonly order: Order };

export type FundingPayment = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Signed size on which the payment was computed. Null, like the rate: unknown. */
  readonly inventory: Size | null;
  /** Positive: received. */
  readonly amount: Usdc;
  readonly fundingRate: bigint | null;
};

export type FundingRow = Place & { readonly payment: FundingPayment };

const placeMembers = {
  timeMs: at(["timestamp", "time", "createdAt"], orIfAbsent(v.someTimeMs, 0)),
  height: at(["block_height", "height"], orIfAbsent(v.height, 0)),
  eventIndex: at("event_index", orIfAbsent(v.count, 0)),
};

const { timestampMs: _emitted, ...traded } = executionMembers;

const fillMembers = snakeObject({
  accountId: orIfAbsent(v.accountId, null),
  side: orIfAbsent(says(v.side, "the account's own"), null),
  liquidity: at(["feeRole", "liquidity", "role"], orIfAbsent(v.anyCase(["maker", "taker"]), null)),
  fee: orIfAbsent(v.signedUsdc, null),
  realizedPnl: orIfAbsent(v.signedUsdc, null),
  ...traded,
  ...placeMembers,
});

/** Adds the account's own side, fee and profit to those of both sides. */
function writtenFill({ execution, liquidity, ...place }: FillRow): Of<typeof fillMembers> {
  const taker = liquidity === "taker";
  return {
    ...execution,
    ...place,
    liquidity,
    side: taker ? execution.takerSide : opposite(execution.takerSide),
    fee: taker ? execution.takerFee : execution.makerFee,
    realizedPnl: taker ? execution.takerRealizedPnl : execution.makerRealizedPnl,
  };
}

/** For writing; `readFillRows` reads them. */
export const fillRows: Pick<Kind<readonly FillRow[]>, "text" | "schema"> = mapped(
  list(fillMembers),
  (): readonly FillRow[] => [],
  (rows) => rows.map(writtenFill),
);

/** The fills of `account`: a row may be the WebSocket's fill, which has both sides and does not mark the account's. Throws WireError. */
export const readFillRows = (json: unknown, account: AccountId): readonly FillRow[] =>
  list(kind({}, (item) => readFill(item, account))).read(rowsOf(json));

function readFill(item: unknown, account: AccountId): FillRow {
  const { side: _side, fee: _fee, realizedPnl: _pnl, ...row } = fillMembers.read(item);
  const { accountId: named, liquidity: role, height, eventIndex, timeMs, ...execution } = row;
  const accountId = named ?? account;
  const { takerAccountId, makerAccountId } = execution;
  const own = takerAccountId === accountId ? "taker" : makerAccountId === accountId ? "maker" : null;
  const liquidity = role ?? own;
  if (liquidity === null) throw new WireError("field_missing", "fee_role", "is required");
  return { accountId, liquidity, height, eventIndex, timeMs, execution: { ...execution, timestampMs: timeMs } };
}

const flatOrder = object({ ...orderMembers, ...placeMembers });
/** Orders in the open-order format, with their last status. For writing; `readOrderRows` reads them. */
export const orderRows: Pick<Kind<readonly OrderRow[]>, "text" | "schema"> = mapped(
  list(flatOrder),
  (): readonly OrderRow[] => [],
  (rows) => rows.map(({ order, ...place }) => ({ ...order, ...place })),
);
const place = object(placeMembers);

/** The orders of `account`, unless a row names another account. Throws WireError. */
export const readOrderRows = (json: unknown, account: AccountId): readonly OrderRow[] =>
  list(kind({}, (item) => ({ ...place.read(item), order: readOrder(item, account) }))).read(rowsOf(json));

const fundingMembers = snakeObject({
  accountId: orIfAbsent(v.accountId, null),
  marketId: v.marketId,
  inventory: at(
    ["size", "positionSize"],
    orIfAbsent(says(v.signedSize, "signed size that the payment was computed on, 1e-6 contracts"), null),
  ),
  fundingRate: at(["fundingRate", "rate"], orIfAbsent(v.fundingRate, null)),
  amount: at(["amount", "payment", "fundingPayment"], says(v.signedUsdc, "1e-6 USDC; above zero: received")),
  ...placeMembers,
});

/** For writing; `readFundingRows` reads them. */
export const fundingRows: Pick<Kind<readonly FundingRow[]>, "text" | "schema"> = mapped(
  list(fundingMembers),
  (): readonly FundingRow[] => [],
  (rows) => rows.map(({ payment, ...of }) => ({ ...payment, ...of })),
);

/** The payments of `account`, unless a row names another account. Throws WireError. */
export const readFundingRows = (json: unknown, account: AccountId): readonly FundingRow[] =>
  list(fundingMembers)
    .read(rowsOf(json))
    .map(({ height, eventIndex, timeMs, accountId, ...payment }) => ({
      ...{ height, eventIndex, timeMs },
      payment: { ...payment, accountId: accountId ?? account },
    }));

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
export function fillsCsv(rows: readonly FillRow[]): string {
  const cellsOf = (row: FillRow): readonly string[] => {
    const members = parseJson(fillMembers.text(writtenFill(row))) as Fields;
    return FILL_COLUMNS.map((name) => String(members[name] ?? ""));
  };
  return encodeCsv(FILL_COLUMNS, rows.map(cellsOf));
}

/** Columns are found by name, in any order; unknown ones are ignored. Throws WireError. */
export function readFillsCsv(text: string, account: AccountId): readonly FillRow[] {
  const [header, ...rows] = csvOf(text);
  if (header === undefined) throw new WireError("csv_malformed", "", "the text has no header");
  const names = header.cells;
  if (new Set(names).size !== names.length)
    throw new WireError("csv_malformed", "", "a column has the name of another");
  const records = rows.map(({ cells, line }) => {
    if (cells.length !== names.length)
      throw new WireError("csv_malformed", `line ${line}`, `has ${cells.length} cells, the header ${names.length}`);
    return Object.fromEntries(names.map((name, column) => [name, cells[column]]));
  });
  return readFillRows(records, account);
}

function csvOf(text: string): readonly CsvRow[] {
  try {
    return decodeCsv(text);
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    throw new WireError("csv_malformed", `line ${error.line}`, error.message);
  }
}
