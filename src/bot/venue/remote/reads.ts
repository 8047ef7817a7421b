// The reads of an exchange over HTTP. A read that fails, is refused or does not parse gives a ReadError, never a value.

import type { OracleHistory } from "../../../domain/market.ts";
import { parseJson } from "../../../kernel/json.ts";
import { createListReads, type ListModules } from "../../../wire/lists.ts";
import { decodeRead, isMissing, ReadError, readLimits } from "../../../wire/read-answer.ts";
import { accountReads, exchangeReads, type Read } from "../../../wire/reads.ts";
import type { VenueReads } from "../port.ts";
import { failureText, type HttpEnd, type HttpLane } from "./http.ts";

type Answered = Extract<HttpEnd, { readonly kind: "answered" }>;

/** Asks once. Rejects with ReadError, also where `decode` throws. */
export type Get = <T>(path: string, decode: (answer: Answered) => T) => Promise<T>;

/** `basePath` precedes every path of the interface; empty for none. */
export function createGet(lane: HttpLane, basePath: string): Get {
  return async (path, decode) => {
    const end = await lane.send({ method: "GET", path: basePath + path, body: null });
    if (end.kind !== "answered") {
      const code = end.why === "timeout" ? "timeout" : end.why === "connection" ? "unreachable" : "malformed";
      throw new ReadError(code, `GET ${path}: ${failureText(end)}`, { cause: end.cause });
    }
    return decodeRead(path, end, decode);
  };
}

/** Most polled answers repeat the last one of their path. Then they are the same object, and nobody parses or compares them. */
function remembering(get: Get): <T>(read: Read<T>) => Promise<T> {
  const last = new Map<string, { readonly body: string; readonly value: unknown }>();
  return <T>({ path, decode, kind }: Read<T>) =>
    get(path, (answer) => {
      const said = kind && answer.as?.(kind);
      if (said !== undefined) return said;
      const { body } = answer;
      const before = last.get(path);
      if (before?.body === body) return before.value as T; // A path has one decoder among these reads.
      const value = decode(parseJson(body, readLimits));
      last.set(path, { body, value });
      return value;
    });
}

/** More than a year of days: the newest points of a history are kept. */
const POINTS_MAX = 400;

const newestOf = (history: OracleHistory): OracleHistory => ({
  ...history,
  prices: history.prices.slice(-POINTS_MAX),
});

/** The reads of S4.1 and S4.2 that a bot needs. */
export function createReads(
  get: Get,
  { given, isMissingEmpty }: Pick<ListModules, "given" | "isMissingEmpty">,
): VenueReads {
  const of = remembering(get);
  const lists = createListReads({ get: of, isMissing, given, isMissingEmpty });
  return {
    node: () => of(exchangeReads.node()),
    marketIds: () => of(exchangeReads.marketIds()),
    market: (market) => of(exchangeReads.market(market)),
    oracle: (market) => of(exchangeReads.oracle(market)),
    oracleHistory(market) {
      const { path, decode } = exchangeReads.oracleHistory(market);
      return of({ path, decode: (answer) => newestOf(decode(answer)) });
    },
    book: (market) => of(exchangeReads.book(market)),
    funding: (market) => of(exchangeReads.funding(market)),
    trades: lists.trades,
    feeTiers: () => of(exchangeReads.feeTiers()),
    openOrderCap: () => of(exchangeReads.openOrderCap()),
    account: lists.account,
    ownedAccounts: (owner) => of(accountReads.ownedIds(owner)),
    orders: lists.orders,
    positions: lists.positions,
    rateLimit: (account) => of(accountReads.rateLimit(account)),
  };
}
