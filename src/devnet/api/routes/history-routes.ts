// Indexed history on the REST host (S4.3): needs an owner session or an API key, and shows only the caller's accounts.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { Kind } from "../../../wire/description.ts";
import { stats } from "../../../wire/rest/exchange.ts";
import { fillRows, fillsCsv, fundingRows, orderRows } from "../../../wire/rest/history.ts";
import type { Kept } from "../../chain/pile.ts";
import type { ChainReads } from "../../chain/reads.ts";
import { type Credentials, isReply } from "../http/credentials.ts";
import { accountIdIn, countIn, marketIdIn } from "../http/path-values.ts";
import {
  badRequest,
  csv,
  historyDropped,
  malformedAccount,
  type Reply,
  refusal,
  said,
  unknownAccount,
} from "../http/reply.ts";
import { get, type Request, type Route } from "../http/router.ts";
import type { History } from "./history.ts";

export type HistoryModules = {
  readonly history: History;
  readonly reads: ChainReads;
  readonly credentials: Credentials;
};

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1000;

export function historyRoutes(modules: HistoryModules): readonly Route[] {
  const { history, reads, credentials } = modules;
  const owned = (path: string, answer: (account: AccountId, filter: Filter) => Reply) =>
    get(path, (request) => {
      const account = ownedAccount(request, modules);
      if (typeof account !== "bigint") return account;
      const filter = filterOf(request.query);
      return "status" in filter ? filter : answer(account, filter);
    });
  const fillsOf = (account: AccountId, filter: Filter) =>
    matching(history.fills(account), filter, ({ execution, timeMs }) => [execution.marketId, timeMs]);
  const ordersOf = (account: AccountId, filter: Filter) =>
    matching(history.orders(account), filter, ({ order }) => [order.marketId, order.createdAtMs]);
  const fundingOf = (account: AccountId, filter: Filter) =>
    matching(history.funding(account), filter, ({ payment, timeMs }) => [payment.marketId, timeMs]);

  return [
    owned("/v1/accounts/{id}/trades", (id, filter) => page(fillsOf(id, filter), filter, fillRows)),
    owned("/v1/accounts/{id}/trades/csv", (id, filter) => {
      const { rows, droppedMs } = fillsOf(id, filter);
      return droppedMs === null ? csv(fillsCsv(rows)) : historyDropped(droppedMs);
    }),
    owned("/v1/accounts/{id}/orders", (id, filter) => page(ordersOf(id, filter), filter, orderRows)),
    owned("/v1/accounts/{id}/funding", (id, filter) => page(fundingOf(id, filter), filter, fundingRows)),
    get("/v1/stats", (request) => {
      const caller = credentials.of(request);
      if (isReply(caller)) return caller;
      const markets = reads.markets().length;
      return said(stats, { ...history.totals(), markets, blockHeight: reads.node().blockHeight });
    }),
  ];
}

/** Rows that match the filter; keeps `droppedMs` if the filter may also match rows that are no longer kept. */
function matching<Row>(
  { rows, droppedMs }: Kept<Row>,
  filter: Filter,
  of: (row: Row) => readonly [MarketId, number],
): Kept<Row> {
  const isWhole = droppedMs === null || filter.startMs > droppedMs;
  return { rows: rows.filter((row) => fits(...of(row), filter)), droppedMs: isWhole ? null : droppedMs };
}

/** A page within the kept rows; a page that would reach dropped rows is refused, not shortened. */
function page<Row>(
  { rows, droppedMs }: Kept<Row>,
  { offset, limit }: Filter,
  kind: Pick<Kind<readonly Row[]>, "text">,
): Reply {
  if (droppedMs !== null && offset + limit > rows.length) return historyDropped(droppedMs);
  return said(kind, rows.slice(offset, offset + limit));
}

/**
 * The account of the path, closed or not, if the caller owns it, else a refusal: 401 unknown caller, 404 no account, 403 another's account.
 */
function ownedAccount(request: Request, { reads, credentials }: HistoryModules): AccountId | Reply {
  const caller = credentials.of(request);
  if (isReply(caller)) return caller;
  const id = accountIdIn(request.params.id);
  if (id === undefined) return malformedAccount;
  const owner = reads.ownerOf(id);
  if (owner === undefined) return unknownAccount;
  return owner === caller.owner ? id : refusal(403, "FORBIDDEN", "this account belongs to somebody else");
}

/** Times are Unix ms; both bounds are inclusive. */
type Filter = {
  readonly limit: number;
  readonly offset: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly marketId: MarketId | null;
};

function filterOf(query: URLSearchParams): Filter | Reply {
  const number = (name: string, unsent: number) => (query.has(name) ? countIn(query.get(name) ?? "") : unsent);
  const limit = number("limit", LIMIT_DEFAULT);
  const offset = number("offset", 0);
  const startMs = number("startTime", 0);
  const endMs = number("endTime", Number.MAX_SAFE_INTEGER);
  const marketId = query.has("marketId") ? marketIdIn(query.get("marketId") ?? "") : null;
  if (limit === undefined || limit < 1 || limit > LIMIT_MAX) {
    return badRequest("MALFORMED_LIMIT", `limit is a whole number from 1 to ${LIMIT_MAX}`);
  }
  if (offset === undefined) return badRequest("MALFORMED_OFFSET", "offset is a whole number from 0");
  if (startMs === undefined || endMs === undefined) {
    return badRequest("MALFORMED_TIME", "startTime and endTime are Unix milliseconds");
  }
  if (marketId === undefined) return badRequest("MALFORMED_MARKET_ID", "a market id is a whole number from 0 to 65535");
  return { limit, offset, startMs, endMs, marketId };
}

const fits = (marketId: MarketId, timeMs: number, filter: Filter): boolean =>
  timeMs >= filter.startMs && timeMs <= filter.endMs && (filter.marketId === null || filter.marketId === marketId);
