// Indexed history on the REST host (S4.3): for an owner session or an API key, only of owned accounts.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import { encodeStats } from "../../../wire/rest/exchange.ts";
import {
  encodeFillRow,
  encodeFillsCsv,
  encodeFundingRow,
  encodeOrderRow,
  type FillRow,
  type FundingRow,
  type OrderRow,
} from "../../../wire/rest/history.ts";
import type { ChainReads } from "../../chain/reads.ts";
import { type Credentials, isReply } from "../http/credentials.ts";
import { accountIdIn, countIn, marketIdIn } from "../http/path-values.ts";
import { badRequest, csv, json, malformedAccount, type Reply, refusal, unknownAccount } from "../http/reply.ts";
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
    history.fills(account).filter((row) => fits(row.execution.marketId, row.timeMs, filter));
  const ordersOf = (account: AccountId, filter: Filter) =>
    history.orders(account).filter(({ order }) => fits(order.marketId, order.createdAtMs, filter));
  const fundingOf = (account: AccountId, filter: Filter) =>
    history.funding(account).filter((row) => fits(row.payment.marketId, row.timeMs, filter));
  const page = <T extends FillRow | OrderRow | FundingRow>(rows: readonly T[], { offset, limit }: Filter) =>
    rows.slice(offset, offset + limit);

  return [
    owned("/v1/accounts/{id}/trades", (id, filter) => json(page(fillsOf(id, filter), filter).map(encodeFillRow))),
    owned("/v1/accounts/{id}/trades/csv", (id, filter) => csv(encodeFillsCsv(fillsOf(id, filter)))),
    owned("/v1/accounts/{id}/orders", (id, filter) => json(page(ordersOf(id, filter), filter).map(encodeOrderRow))),
    owned("/v1/accounts/{id}/funding", (id, filter) => json(page(fundingOf(id, filter), filter).map(encodeFundingRow))),
    get("/v1/stats", (request) => {
      const caller = credentials.of(request);
      if (isReply(caller)) return caller;
      const markets = reads.markets().length;
      return json(encodeStats({ ...history.totals(), markets, blockHeight: reads.node().blockHeight }));
    }),
  ];
}

/** The account of the path where the caller owns it, else the refusal: 401 unknown caller, 404 no account, 403 another's. */
function ownedAccount(request: Request, { reads, credentials }: HistoryModules): AccountId | Reply {
  const caller = credentials.of(request);
  if (isReply(caller)) return caller;
  const id = accountIdIn(request.params.id);
  if (id === undefined) return malformedAccount;
  const owned = reads.ownerAccounts(caller.owner).some(({ accountId }) => accountId === id);
  if (owned) return id;
  return reads.account(id) === undefined
    ? unknownAccount
    : refusal(403, "FORBIDDEN", "this account belongs to somebody else");
}

/** Times are Unix milliseconds, both ends included. */
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
