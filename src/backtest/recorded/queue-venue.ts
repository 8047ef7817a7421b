// A queue-model exchange as a bot sees it: reads return what its session showed at that moment, and the stream carries its events. It has
// no accounts and accepts no transactions.

import { type Channel, ReadError, type Venue, type VenueStream } from "../../bot/venue/port.ts";
import { marketOfEvent, type StreamEvent, type VenueEvent } from "../../domain/event.ts";
import type { MarketId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { QueueExchange, Shown } from "./queue-exchange.ts";
import type { Happened, Session } from "./session.ts";

export class QueueVenue {
  readonly venue: Venue;
  readonly #clock: Clock;
  readonly #exchange: QueueExchange;
  readonly #markets: readonly MarketId[];
  #listener: { readonly markets: ReadonlySet<MarketId>; readonly onEvent: (event: StreamEvent) => void } | null = null;
  #epoch = 0;

  constructor(session: Session, chainId: string, { exchange, clock }: { exchange: QueueExchange; clock: Clock }) {
    this.#clock = clock;
    this.#exchange = exchange;
    this.#markets = session.markets.map(({ market }) => market.marketId);
    const of = async (id: MarketId): Promise<Shown> => {
      const shown = exchange.shown(id);
      if (shown === undefined) throw noSuch(`market ${id}`);
      return shown;
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
        marketIds: async () => this.#markets,
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

  /** Takes an event at its time, in the exchange first. */
  happen(happened: Happened): void {
    this.#exchange.happen(happened);
    if (happened.kind === "published") this.#tell(happened.published);
    else if (happened.kind === "received") this.#tell(happened.event);
    else if (happened.kind === "trade" && happened.own !== "taker")
      this.#tell({ kind: "trade", trade: happened.trade, receivedMs: 0 });
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
    for (const id of this.#markets) {
      const book = this.#exchange.shown(id)?.book;
      if (book !== undefined && book.bids.length + book.asks.length > 0)
        this.#tell({ kind: "book", book, receivedMs: 0 });
    }
  }

  /** The stream's events, with the run's times. */
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

const noSuch = (what: string): ReadError =>
  new ReadError("httpStatus", `${what} is not in the recording`, { httpStatus: 404 });
