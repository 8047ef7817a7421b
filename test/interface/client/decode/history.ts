// Reads the rows of indexed history (S4.3), as JSON and as CSV; unknown columns are passed over.

import type { Liquidity } from "../../../../src/domain/fill.ts";
import { type AccountId, accountId, size, usdc } from "../../../../src/domain/units.ts";
import { WireError } from "../../../../src/wire/errors.ts";
import { readExecution } from "../../../../src/wire/execution.ts";
import type { FillRow, FundingRow, OrderRow, Place } from "../../../../src/wire/rest/history.ts";
import { readOrder } from "../../../../src/wire/rest/order.ts";
import { type Fields, objectOf } from "../../../../src/wire/strict.ts";
import { integer, listOf, maybe, natural, oneOf, timeMs, whole } from "../../../../src/wire/tolerant.ts";
import { CsvError, csvRecords } from "./csv.ts";

/** GET /v1/accounts/{id}/trades. Throws WireError. */
export const decodeFillRows = (json: unknown): readonly FillRow[] => listOf(json, readFillRow);

/** GET /v1/accounts/{id}/orders of the REST host, asked for `account`. Throws WireError. */
export const decodeOrderRows = (json: unknown, account: AccountId): readonly OrderRow[] =>
  listOf(json, (item) => ({ ...readPlace(objectOf(item, "")), order: readOrder(item, account) }));

/** GET /v1/accounts/{id}/funding. Throws WireError. */
export const decodeFundingRows = (json: unknown): readonly FundingRow[] => listOf(json, readFundingRow);

const roles: readonly Liquidity[] = ["maker", "taker"];

function readFillRow(item: unknown): FillRow {
  const fields = objectOf(item, "");
  return {
    ...readPlace(fields),
    accountId: accountId(natural(fields, ["account_id", "accountId"])),
    liquidity: oneOf(fields, ["fee_role", "feeRole"], roles),
    execution: readExecution(fields),
  };
}

function readFundingRow(item: unknown): FundingRow {
  const fields = objectOf(item, "");
  return {
    ...readPlace(fields),
    payment: {
      accountId: accountId(natural(fields, ["account_id", "accountId"])),
      marketId: integer(fields, ["market_id", "marketId"]),
      inventory: size(whole(fields, "size")),
      amount: usdc(whole(fields, ["amount", "payment"])),
      fundingRate: whole(fields, ["funding_rate", "fundingRate"]),
    },
  };
}

/** A row that does not say where it stands comes before all that do. */
function readPlace(fields: Fields): Place {
  return {
    height: maybe(fields, ["block_height", "blockHeight"], integer) ?? 0,
    eventIndex: maybe(fields, ["event_index", "eventIndex"], integer) ?? 0,
    timeMs: maybe(fields, "timestamp", timeMs) ?? 0,
  };
}

/** Columns are found by their names, wherever they stand; those that nobody knows are passed over. Throws WireError. */
export function decodeFillsCsv(text: string): readonly FillRow[] {
  try {
    return decodeFillRows(csvRecords(text));
  } catch (thrown) {
    if (thrown instanceof CsvError) throw new WireError("csv_malformed", "", thrown.message, thrown);
    throw thrown;
  }
}
