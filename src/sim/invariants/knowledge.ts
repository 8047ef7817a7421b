// What has reached the running process: the newest of each fact, with the time it was asked or came. The laws judge the bot by it,
// whatever the bot itself made of it.

import type { HttpEnd, HttpRequest } from "../../bot/venue/remote/http.ts";
import type { Account } from "../../domain/account.ts";
import type { Market } from "../../domain/market.ts";
import type { MarketId } from "../../domain/units.ts";
import { parseJson } from "../../kernel/json.ts";
import { decodeAccount } from "../../wire/rest/account.ts";
import { decodeMarket } from "../../wire/rest/market.ts";
import { decodeOracle } from "../../wire/rest/oracle.ts";
import { decodeServerMessage } from "../../wire/stream/server-decode.ts";
import type { ToldPrint } from "./second-opinion.ts";

export type Asked<T> = { readonly value: T; readonly askedMs: number };

export type KnownMarket = {
  market: Asked<Market> | null;
  /** Status of the newest read, and the newest validity from any source. */
  oracleStatus: Asked<string> | null;
  validUntilSec: number | null;
  /** When a frame of the book came, or a read of it was asked. */
  bookMs: number | null;
};

export class Knowledge {
  readonly #nowMs: () => number;
  readonly #onPrint: (marketId: MarketId, print: ToldPrint) => void;
  readonly #asked = new Map<HttpRequest, number>();
  readonly #markets = new Map<MarketId, KnownMarket>();
  account: Asked<Account> | null = null;
  isConnected = false;
  lastFrameMs: number | null = null;

  constructor(modules: {
    readonly nowMs: () => number;
    readonly onPrint: (marketId: MarketId, print: ToldPrint) => void;
  }) {
    this.#nowMs = modules.nowMs;
    this.#onPrint = modules.onPrint;
  }

  /** A new life knows nothing. */
  forget(): void {
    this.#asked.clear();
    this.#markets.clear();
    this.account = null;
    this.isConnected = false;
    this.lastFrameMs = null;
  }

  market(marketId: MarketId): KnownMarket {
    const known = this.#markets.get(marketId) ?? {
      market: null,
      oracleStatus: null,
      validUntilSec: null,
      bookMs: null,
    };
    this.#markets.set(marketId, known);
    return known;
  }

  opened(): void {
    this.isConnected = true;
    this.lastFrameMs = this.#nowMs();
  }

  closed(): void {
    this.isConnected = false;
  }

  frame(text: string): void {
    this.lastFrameMs = this.#nowMs();
    const isBook = text.startsWith('{"type":"orderbookSnapshot"');
    if (!isBook && !text.startsWith('{"type":"oraclePriceUpdate"')) return;
    try {
      const message = decodeServerMessage(text, this.#nowMs());
      if (message.kind === "book") this.market(message.book.marketId).bookMs = this.#nowMs();
      if (message.kind === "oracleUpdate") {
        const { marketId, price, validUntilSec } = message;
        this.market(marketId).validUntilSec = validUntilSec;
        this.#onPrint(marketId, { price, validUntilSec, publishedMs: null });
      }
    } catch {
      // A frame that does not parse carries no fact.
    }
  }

  asked(request: HttpRequest): void {
    this.#asked.set(request, this.#nowMs());
  }

  answered(request: HttpRequest, end: HttpEnd): void {
    const askedMs = this.#asked.get(request);
    this.#asked.delete(request);
    if (end.kind !== "answered" || end.httpStatus !== 200 || request.method !== "GET" || askedMs === undefined) return;
    try {
      this.#learn(request.path, parseJson(end.body), askedMs);
    } catch {
      // An answer that does not parse carries no fact.
    }
  }

  #learn(path: string, json: unknown, askedMs: number): void {
    if (/^\/v1\/markets\/\d+$/.test(path)) {
      const value = decodeMarket(json);
      this.market(value.marketId).market = { value, askedMs };
    } else if (/^\/v1\/oracle\/\d+$/.test(path)) {
      const oracle = decodeOracle(json);
      const known = this.market(oracle.marketId);
      known.oracleStatus = { value: oracle.status, askedMs };
      known.validUntilSec = Math.max(known.validUntilSec ?? 0, oracle.validUntilSec);
      this.#onPrint(oracle.marketId, { ...oracle, publishedMs: oracle.lastUpdateTimestampMs });
    } else if (/^\/v1\/markets\/\d+\/orderbook$/.test(path)) {
      const known = this.market(Number(path.split("/")[3]));
      known.bookMs = Math.max(known.bookMs ?? 0, askedMs);
    } else if (/^\/v1\/accounts\/\d+$/.test(path)) this.#learnAccount({ value: decodeAccount(json), askedMs });
  }

  /** Several may be under way at once: the one that was asked for first may come last. */
  #learnAccount(read: Asked<Account>): void {
    if (read.askedMs >= (this.account?.askedMs ?? 0)) this.account = read;
  }
}
