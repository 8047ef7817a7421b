// The reads of an exchange over HTTP: one path and one decoder each. What fails, is refused or does not parse is a VenueError, never a
// value.

import { messageOf } from "../../../kernel/errors.ts";
import { type JsonLimits, parseJson } from "../../../kernel/json.ts";
import { strangeAnswer } from "../../../wire/answer.ts";
import { isSenseless, WireError } from "../../../wire/errors.ts";
import { decodeAccount, decodeOpenOrders, decodePositions } from "../../../wire/rest/account.ts";
import { decodeBook } from "../../../wire/rest/book.ts";
import { decodeOpenOrderCap } from "../../../wire/rest/exchange.ts";
import { decodeFeeTiers } from "../../../wire/rest/fee-tiers.ts";
import { decodeFunding } from "../../../wire/rest/funding.ts";
import { decodeMarket, decodeMarketIds } from "../../../wire/rest/market.ts";
import { decodeNodeStatus } from "../../../wire/rest/node.ts";
import { decodeOracle, decodeOracleHistory } from "../../../wire/rest/oracle.ts";
import { decodeRateLimit } from "../../../wire/rest/rate-limit.ts";
import { decodeTrades } from "../../../wire/rest/trades.ts";
import { VenueError, type VenueReads } from "../port.ts";
import { failureText, type Headers, type HttpLane } from "./http.ts";

/** An account with thousands of orders fits; `lengthMax` is also the limit of the lane. */
export const readLimits: JsonLimits = { lengthMax: 4_194_304, depthMax: 16 };

export type Get = {
  readonly json: <T>(path: string, decode: (json: unknown) => T) => Promise<T>;
  readonly text: <T>(path: string, decode: (body: string) => T) => Promise<T>;
};

/** `basePath` stands before every path of the interface; empty for none. */
export function createGet(lane: HttpLane, basePath: string, headers: Headers = {}): Get {
  async function text<T>(path: string, decode: (body: string) => T): Promise<T> {
    const end = await lane.send({ method: "GET", path: basePath + path, body: null, headers });
    if (end.kind !== "answered") {
      const code = end.why === "timeout" ? "timeout" : end.why === "connection" ? "unreachable" : "malformed";
      throw new VenueError(code, `GET ${path}: ${failureText(end)}`, { cause: end.cause });
    }
    const { httpStatus, body } = end;
    if (httpStatus !== 200) {
      const why = strangeAnswer(httpStatus, body);
      throw new VenueError("httpStatus", `GET ${path}: ${why}`, { httpStatus, reason: codeIn(body) });
    }
    try {
      return decode(body);
    } catch (cause) {
      const code = isSenseless(cause) ? "senseless" : "malformed";
      const why = /^\s*[[{]/.test(body) ? messageOf(cause) : strangeAnswer(httpStatus, body);
      throw new VenueError(code, `GET ${path}: ${why}`, { httpStatus, cause });
    }
  }
  return { text, json: (path, decode) => text(path, (body) => decode(parseJson(body, readLimits))) };
}

/** Most polled answers repeat the last one of their path. Then they are the same object, and nobody parses or compares them. */
function remembering(text: Get["text"]): Get["json"] {
  const last = new Map<string, { readonly body: string; readonly value: unknown }>();
  return <T>(path: string, decode: (json: unknown) => T) =>
    text(path, (body) => {
      const before = last.get(path);
      if (before?.body === body) return before.value as T; // A path has one decoder among these reads.
      const value = decode(parseJson(body, readLimits));
      last.set(path, { body, value });
      return value;
    });
}

/** The code that came with a refusal, which is the devnet's addition; null: none. */
function codeIn(body: string): string | null {
  try {
    const { code } = parseJson(body, readLimits) as Readonly<Record<string, unknown>>;
    return typeof code === "string" ? code : null;
  } catch {
    return null;
  }
}

/** The reads of S4.1 and S4.2 that a bot needs. */
export function createReads({ text }: Pick<Get, "text">): VenueReads {
  const json = remembering(text);
  return {
    node: () => json("/v1/node/info", decodeNodeStatus),
    marketIds: () => json("/v1/markets", decodeMarketIds),
    market: (market) => json(`/v1/markets/${market}`, about("marketId", market, decodeMarket)),
    oracle: (market) => json(`/v1/oracle/${market}`, about("marketId", market, decodeOracle)),
    oracleHistory: (market) => json(`/v1/oracle/${market}/history`, about("marketId", market, decodeOracleHistory)),
    book: (market) => json(`/v1/markets/${market}/orderbook`, about("marketId", market, decodeBook)),
    funding: (market) => json(`/v1/markets/${market}/funding`, about("marketId", market, decodeFunding)),
    trades: (market) => json(`/v1/markets/${market}/trades`, (trades) => decodeTrades(trades, market)),
    feeTiers: () => json("/v1/fee-tiers", decodeFeeTiers),
    openOrderCap: () => json("/v1/treasury-config", decodeOpenOrderCap),
    account: (account) => json(`/v1/accounts/${account}`, about("accountId", account, decodeAccount)),
    orders: (account) => json(`/v1/accounts/${account}/orders`, (orders) => decodeOpenOrders(orders, account)),
    positions: (account) => json(`/v1/accounts/${account}/positions`, (held) => decodePositions(held, account)),
    rateLimit: (account) => json(`/v1/accounts/${account}/rate-limit`, decodeRateLimit),
  };
}

/** An answer about another market or account than the one asked for answers nothing. */
const about =
  <Key extends string, Id, T extends Readonly<Record<Key, Id>>>(key: Key, asked: Id, decode: (json: unknown) => T) =>
  (json: unknown): T => {
    const answer = decode(json);
    if (answer[key] !== asked) throw new WireError("field_conflict", key, `must be ${asked}, which was asked for`);
    return answer;
  };
