// Indexed history (S4.3): reads of the REST host, with the client's credential and of its owner's accounts alone. The index may be
// behind the validator.

import type { Get } from "../../../src/bot/venue/remote/reads.ts";
import type { AccountId, MarketId } from "../../../src/domain/units.ts";
import type { ExchangeStats } from "../../../src/wire/rest/exchange.ts";
import type { FillRow, FundingRow, OrderRow } from "../../../src/wire/rest/history.ts";
import { decodeStats } from "./decode/exchange.ts";
import { decodeFillRows, decodeFillsCsv, decodeFundingRows, decodeOrderRows } from "./decode/history.ts";

/** What is left out does not filter. */
export type HistoryFilter = {
  readonly limit?: number;
  readonly offset?: number;
  /** Unix milliseconds, both ends included: the interface shows neither unit nor ends. */
  readonly startTimeMs?: number;
  readonly endTimeMs?: number;
  readonly marketId?: MarketId;
};

export type HistoryReads = {
  readonly fills: (account: AccountId, filter?: HistoryFilter) => Promise<readonly FillRow[]>;
  /** All that match: the page of the filter does not count. */
  readonly fillsCsv: (account: AccountId, filter?: HistoryFilter) => Promise<readonly FillRow[]>;
  /** Every order with its last status: the same path on the validator is the open ones alone (S4.2). */
  readonly orders: (account: AccountId, filter?: HistoryFilter) => Promise<readonly OrderRow[]>;
  readonly funding: (account: AccountId, filter?: HistoryFilter) => Promise<readonly FundingRow[]>;
  /** Totals that are not told are null. */
  readonly stats: () => Promise<{ readonly [K in keyof ExchangeStats]: ExchangeStats[K] | null }>;
};

export function createHistoryReads({ json, text }: Get): HistoryReads {
  const path = (account: AccountId, rows: string, filter: HistoryFilter = {}) =>
    `/v1/accounts/${account}/${rows}${queryOf(filter)}`;
  return {
    fills: (account, filter) => json(path(account, "trades", filter), decodeFillRows),
    fillsCsv: (account, filter) => text(path(account, "trades/csv", filter), decodeFillsCsv),
    orders: (account, filter) => json(path(account, "orders", filter), (rows) => decodeOrderRows(rows, account)),
    funding: (account, filter) => json(path(account, "funding", filter), decodeFundingRows),
    stats: () => json("/v1/stats", decodeStats),
  };
}

function queryOf({ limit, offset, startTimeMs, endTimeMs, marketId }: HistoryFilter): string {
  const asked = Object.entries({ limit, offset, startTime: startTimeMs, endTime: endTimeMs, marketId });
  const query = new URLSearchParams();
  for (const [name, value] of asked) if (value !== undefined) query.set(name, `${value}`);
  return query.size === 0 ? "" : `?${query}`;
}
