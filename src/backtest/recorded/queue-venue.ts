// The exchange of a recorded session as a bot sees it: reads say what was known at that moment, the stream tells what came, and time is that
// of the run. Nothing can be sent to it.

import { type Channel, type Venue, VenueError, type VenueStream } from "../../bot/venue/port.ts";
import type { Book } from "../../domain/book.ts";
import { marketOfEvent, type StreamEvent, type VenueEvent } from "../../domain/event.ts";
import type { Trade } from "../../domain/fill.ts";
import type { Funding, Market, Oracle, OracleHistory } from "../../domain/market.ts";
import type { MarketId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Happened, Session } from "./session.ts";

type Facts = {
  market: Market;
  oracle: Oracle;
  funding: Funding;
  readonly history: OracleHistory;
  book: Book;
  /** The newest first. */
  trades: readonly Trade[];
};

/** As many as an exchange lists. */
const TRADES_KEPT = 100;

export class RecordedVenue {
  readonly venue: Venue;
  readonly #clock: Clock;
  readonly #markets: ReadonlyMap<MarketId, Facts>;
  #listener: { readonly markets: ReadonlySet<MarketId>; readonly onEvent: (event: StreamEvent) => void } | null = null;
  #epoch = 0;

  constructor(session: Session, chainId: string, clock: Clock) {
    this.#clock = clock;
    this.#markets = new Map(
      session.markets.map(({ market, ...facts }) => {
        const { marketId } = market;
        return [marketId, { market, ...facts, book: { marketId, bids: [], asks: [] }, trades: [] }];
      }),
    );
    const of = async (id: MarketId): Promise<Facts> => {
      const facts = this.#markets.get(id);
      if (facts === undefined) throw noSuch(`market ${id}`);
      return facts;
    };
    const nobody = async (): Promise<never> => {
      throw noSuch("the account");
    };
    this.venue = {
      reads: {
        node: async () => ({
          protocolVersion: 1,
          binaryVersion: 1,
          buildSha: "recorded",
          blockHeight: 0,
          blockTimestampSec: Math.floor(clock.wallMs() / 1000),
          stateRoot: "",
          chainId,
        }),
        marketIds: async () => [...this.#markets.keys()],
        market: async (id) => (await of(id)).market,
        oracle: async (id) => (await of(id)).oracle,
        oracleHistory: async (id) => (await of(id)).history,
        book: async (id) => (await of(id)).book,
        funding: async (id) => (await of(id)).funding,
        trades: async (id) => (await of(id)).trades,
        feeTiers: async () => session.feeTiers,
        openOrderCap: async () => session.openOrderCap,
        account: nobody,
        ownedAccounts: nobody,
        orders: nobody,
        positions: nobody,
        rateLimit: nobody,
      },
      submit: async () => ({ kind: "notSent", why: "a recording takes no orders" }),
      stream: (channels, onEvent) => this.#open(channels, onEvent),
      close: async () => {},
    };
  }

  /** It happens now. */
  happen(happened: Happened): void {
    switch (happened.kind) {
      case "published":
        this.#note(happened.published);
        this.#tell(happened.published);
        break;
      case "trade": {
        // What a bot of the session took is gone from the book that follows; nobody took it from this one.
        if (happened.own === "taker") break;
        const facts = this.#markets.get(happened.trade.marketId);
        if (facts !== undefined) facts.trades = [happened.trade, ...facts.trades].slice(0, TRADES_KEPT);
        this.#tell({ kind: "trade", trade: happened.trade, receivedMs: 0 });
        break;
      }
      case "received":
        this.#note(happened.event);
        this.#tell(happened.event);
        break;
      default:
        break;
    }
  }

  #note(event: VenueEvent): void {
    const id = marketOfEvent(event);
    const facts = id === null ? undefined : this.#markets.get(id);
    if (facts === undefined) return;
    if (event.kind === "book" || event.kind === "bookRead") facts.book = event.book;
    if (event.kind === "marketRead") facts.market = event.market;
    if (event.kind === "oracleRead") facts.oracle = event.oracle;
    if (event.kind === "fundingRead") facts.funding = event.funding;
  }

  #open(channels: readonly Channel[], onEvent: (event: StreamEvent) => void): VenueStream {
    const markets = new Set(channels.flatMap((channel) => ("marketId" in channel ? [channel.marketId] : [])));
    const listener = { markets, onEvent };
    this.#clock.after(0, () => {
      this.#listener = listener;
      this.#begin();
    });
    return {
      close: () => {
        if (this.#listener === listener) this.#listener = null;
      },
      // A book that fell silent in the session stays silent.
      resubscribe: () => {},
    };
  }

  #begin(): void {
    this.#epoch += 1;
    this.#tell({ kind: "streamOpened", epoch: this.#epoch, receivedMs: 0 });
    for (const { book } of this.#markets.values())
      if (book.bids.length + book.asks.length > 0) this.#tell({ kind: "book", book, receivedMs: 0 });
  }

  /** What the stream carries. Times are those of the run. */
  #tell(event: VenueEvent): void {
    if (this.#listener === null) return;
    const receivedMs = this.#clock.monotonicMs();
    const id = marketOfEvent(event);
    if (id !== null && !this.#listener.markets.has(id)) return;
    switch (event.kind) {
      case "streamOpened":
        if (event.epoch === this.#epoch) this.#listener.onEvent({ ...event, receivedMs });
        else this.#begin();
        break;
      case "streamClosed":
        this.#listener.onEvent({ ...event, epoch: this.#epoch, receivedMs });
        break;
      case "pong":
        this.#listener.onEvent({ ...event, receivedMs, sentMs: receivedMs - (event.receivedMs - event.sentMs) });
        break;
      case "book":
      case "trade":
      case "oracleUpdate":
      case "fundingUpdate":
        this.#listener.onEvent({ ...event, receivedMs });
        break;
      default:
        break;
    }
  }
}

const noSuch = (what: string): VenueError =>
  new VenueError("httpStatus", `${what} is not in the recording`, { httpStatus: 404 });
