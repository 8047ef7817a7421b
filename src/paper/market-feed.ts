// Shares one connection to the exchange between the trading bot and its shadows: the shadows get the bot's events, after it, and its reads
// of markets. Their books contain only others' orders. Nothing is sent this way.

import type { Venue, VenueReads } from "../bot/venue/port.ts";
import { ReadError } from "../bot/venue/port.ts";
import type { StreamEvent } from "../domain/event.ts";
import { type OwnOrders, othersBook } from "../domain/others-book.ts";
import type { MarketId } from "../domain/units.ts";
import type { Clock } from "../kernel/clock.ts";

/** How long an answer is shared; the trading bot reads market and oracle more often. */
const SHARED_MS = 1000;

type Listener = {
  readonly marketId: MarketId;
  readonly own: () => OwnOrders;
  readonly onEvent: (event: StreamEvent) => void;
};
type Answer = { readonly askedMs: number; readonly answer: Promise<unknown> };

export class MarketFeed {
  /** The exchange, for the trading bot. */
  readonly venue: Venue;
  readonly #reads: VenueReads;
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  readonly #answers = new Map<string, Answer>();
  /** Events that a new listener has missed: the connection, and the newest book of each market. */
  #opened: StreamEvent | null = null;
  readonly #books = new Map<MarketId, Extract<StreamEvent, { kind: "book" }>>();
  /** Received, not passed on yet. */
  #untold: (() => void)[] = [];

  constructor(real: Venue, clock: Clock) {
    this.#clock = clock;
    this.#reads = sharedReads(real.reads, (name, read) => this.#share(name, read));
    this.venue = {
      ...real,
      reads: this.#reads,
      stream: (channels, onEvent) =>
        real.stream(channels, (event) => {
          onEvent(event);
          this.#hear(event);
        }),
    };
  }

  /** The exchange as a shadow of one market sees it. `own`: the trading bot's current orders. */
  beside(marketId: MarketId, own: () => OwnOrders): Venue {
    return {
      reads: {
        ...sharedReads(this.#reads, (name, read) => this.#shared(name, read)),
        book: (market) => {
          const known = this.#books.get(market);
          if (known === undefined) return Promise.reject(new ReadError("unreachable", "there is no book yet"));
          return Promise.resolve(othersBook(known.book, own()));
        },
      },
      submit: () => Promise.resolve({ kind: "notSent", why: "a shadow sends nothing" }),
      stream: (_, onEvent) => {
        const listener = { marketId, own, onEvent };
        this.#listeners.add(listener);
        for (const missed of [this.#opened, this.#books.get(marketId) ?? null])
          if (missed !== null) this.#tell(listener, missed);
        // The trading bot subscribes again, and the shadow gets the same frames.
        return { close: () => this.#listeners.delete(listener), resubscribe: () => {} };
      },
      close: () => Promise.resolve(),
    };
  }

  #hear(event: StreamEvent): void {
    if (event.kind === "streamOpened") this.#opened = event;
    else if (event.kind === "streamClosed") {
      this.#opened = null;
      this.#books.clear();
    } else if (event.kind === "book") this.#books.set(event.book.marketId, event);
    for (const listener of this.#listeners) this.#tell(listener, event);
  }

  /** Runs after the trading bot has acted. The book has others' orders at the time of its arrival. */
  #tell(listener: Listener, event: StreamEvent): void {
    const told = ofMarket(event, listener);
    if (told === null) return;
    if (this.#untold.length === 0) this.#clock.after(0, () => this.#tellAll());
    this.#untold.push(() => {
      if (this.#listeners.has(listener)) listener.onEvent(told);
    });
  }

  #tellAll(): void {
    const untold = this.#untold;
    this.#untold = [];
    for (const tell of untold) tell();
  }

  #share<T>(name: string, read: () => Promise<T>): Promise<T> {
    const answer = read();
    this.#answers.set(name, { askedMs: this.#clock.monotonicMs(), answer });
    answer.catch(() => this.#answers.delete(name));
    return answer;
  }

  #shared<T>(name: string, read: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(name);
    const isNew = known !== undefined && this.#clock.monotonicMs() - known.askedMs <= SHARED_MS;
    return isNew ? (known.answer as Promise<T>) : read();
  }
}

/** Null if it is of another market, or of an account. */
function ofMarket(event: StreamEvent, { marketId, own }: Listener): StreamEvent | null {
  switch (event.kind) {
    case "streamOpened":
    case "streamClosed":
    case "pong":
      return event;
    case "book":
      return event.book.marketId === marketId ? { ...event, book: othersBook(event.book, own()) } : null;
    case "trade":
      return event.trade.marketId === marketId ? event : null;
    case "fundingUpdate":
    case "oracleUpdate":
      return event.marketId === marketId ? event : null;
    default:
      return null;
  }
}

type Wrap = <T>(name: string, read: () => Promise<T>) => Promise<T>;

/** The reads of the exchange and of markets, each through `wrap`. */
const sharedReads = (reads: VenueReads, wrap: Wrap): VenueReads => ({
  ...reads,
  node: () => wrap("node", reads.node),
  market: (id) => wrap(`market ${id}`, () => reads.market(id)),
  oracle: (id) => wrap(`oracle ${id}`, () => reads.oracle(id)),
  oracleHistory: (id) => wrap(`oracleHistory ${id}`, () => reads.oracleHistory(id)),
  funding: (id) => wrap(`funding ${id}`, () => reads.funding(id)),
  trades: (id) => wrap(`trades ${id}`, () => reads.trades(id)),
  feeTiers: () => wrap("feeTiers", reads.feeTiers),
  openOrderCap: () => wrap("openOrderCap", reads.openOrderCap),
});
