// The facts that reached the running process: the newest of each with its time, and which of them forbid new exposure now. The laws judge
// the bot by these, not by the bot's own state.

import type { HttpEnd, HttpRequest } from "../../bot/venue/remote/http.ts";
import type { Market } from "../../domain/market.ts";
import type { MarketId } from "../../domain/units.ts";
import { parseJson } from "../../kernel/json.ts";
import * as accounts from "../../wire/rest/accounts.ts";
import * as markets from "../../wire/rest/markets.ts";
import { decodeServerMessage } from "../../wire/stream/server-decode.ts";
import type { ReportedPrint } from "./second-opinion.ts";

export type Asked<T> = { readonly value: T; readonly askedMs: number };

export type KnownMarket = {
  market: Asked<Market> | null;
  /** Status from the newest read, and the newest validity from any source. */
  oracleStatus: Asked<string> | null;
  validUntilSec: number | null;
  /** When a frame of the book arrived, or a read of it was sent. */
  bookMs: number | null;
};

/** What the world knows about this moment. All times in ms. */
export type Moment = {
  readonly nowMs: number;
  readonly trueChainMs: number;
  readonly botWallMs: number;
  /** One block, plus the possible error of a pong's time. */
  readonly clockSlackMs: number;
  readonly isDiskFailing: boolean;
  /** The account's messages to the process do not show when its agents expire. */
  readonly areAgentEndsHidden: boolean;
};

const FACT_MS = 15_000;
const ACCOUNT_MS = 25_000;
/** Time between a decision and the network within one instant of the process. */
export const SLACK_MS = 60;
/** One USDC, less than the margin of any quote. */
const MARGIN_MIN = 1_000_000n;

export class Delivered {
  readonly #nowMs: () => number;
  readonly #onPrint: (marketId: MarketId, print: ReportedPrint) => void;
  readonly #asked = new Map<HttpRequest, number>();
  readonly #markets = new Map<MarketId, KnownMarket>();
  account: Asked<accounts.AccountItself> | null = null;
  isConnected = false;
  lastFrameMs: number | null = null;

  constructor(modules: {
    readonly nowMs: () => number;
    readonly onPrint: (marketId: MarketId, print: ReportedPrint) => void;
  }) {
    this.#nowMs = modules.nowMs;
    this.#onPrint = modules.onPrint;
  }

  /** A new run knows nothing. */
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
      // A frame that does not parse has no fact.
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
      // An answer that does not parse has no fact.
    }
  }

  /**
   * Why new exposure is forbidden in the market, or with null in any. A print has expired only if the chain's clock and the machine's both
   * say so.
   */
  *forbids(marketId: MarketId | null, moment: Moment): Generator<string> {
    const { nowMs, trueChainMs, botWallMs, clockSlackMs, isDiskFailing, areAgentEndsHidden } = moment;
    const age = (thenMs: number | null): number => (thenMs === null ? Number.POSITIVE_INFINITY : nowMs - thenMs);
    const isOld = (thenMs: number | null, ms = FACT_MS): boolean => age(thenMs) > ms + SLACK_MS;
    if (!this.isConnected) yield "no stream";
    if (isOld(this.lastFrameMs)) yield `no frame for ${age(this.lastFrameMs).toFixed(0)} ms`;
    if (isDiskFailing) yield "the disk fails";
    const { account } = this;
    if (isOld(account?.askedMs ?? null, ACCOUNT_MS)) yield "the account was not read lately";
    const isApproved = account?.value.agents.some(
      ({ expiresAtSec }) => areAgentEndsHidden || expiresAtSec === null || expiresAtSec * 1000 > trueChainMs,
    );
    if (isApproved !== true) yield "no agent key is approved";
    if ((account?.value.collateral ?? 0n) < MARGIN_MIN) yield "the collateral is gone";
    if (marketId === null) return;
    const { market, oracleStatus, validUntilSec, bookMs } = this.market(marketId);
    if (market?.value.status !== "Active") yield `market status ${market?.value.status ?? "unknown"}`;
    if (isOld(market?.askedMs ?? null)) yield "the market's status is old";
    if (oracleStatus?.value !== "Active") yield `oracle status ${oracleStatus?.value ?? "unknown"}`;
    if (isOld(oracleStatus?.askedMs ?? null)) yield "the oracle's status is old";
    if (Math.min(trueChainMs, botWallMs) > (validUntilSec ?? 0) * 1000 + clockSlackMs) yield "the print has expired";
    if (isOld(bookMs)) yield "the book is old";
  }

  #learn(path: string, json: unknown, askedMs: number): void {
    if (/^\/v1\/markets\/\d+$/.test(path)) {
      const value = markets.market.read(json);
      this.market(value.marketId).market = { value, askedMs };
    } else if (/^\/v1\/oracle\/\d+$/.test(path)) {
      const oracle = markets.oracle.read(json);
      const known = this.market(oracle.marketId);
      known.oracleStatus = { value: oracle.status, askedMs };
      known.validUntilSec = Math.max(known.validUntilSec ?? 0, oracle.validUntilSec);
      this.#onPrint(oracle.marketId, { ...oracle, publishedMs: oracle.lastUpdateTimestampMs });
    } else if (/^\/v1\/markets\/\d+\/orderbook$/.test(path)) {
      const known = this.market(Number(path.split("/")[3]));
      known.bookMs = Math.max(known.bookMs ?? 0, askedMs);
    } else if (/^\/v1\/accounts\/\d+$/.test(path)) this.#learnAccount({ value: accounts.account.read(json), askedMs });
  }

  /** Several reads may be in flight: the one sent first may arrive last. */
  #learnAccount(read: Asked<accounts.AccountItself>): void {
    if (read.askedMs >= (this.account?.askedMs ?? 0)) this.account = read;
  }
}
