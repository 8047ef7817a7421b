// A feed of changed levels and trades as a session: whole books, as the exchange shows them, after each message that changed one of their
// best levels.

import type { Book, Level } from "../../domain/book.ts";
import { mid as midOf } from "../../domain/book.ts";
import type { VenueEvent } from "../../domain/event.ts";
import type { Market } from "../../domain/market.ts";
import { type MarketId, orderId, type Price, price, type Side, type Size, size } from "../../domain/units.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import { FeedError } from "./feed-lines.ts";
import { madeUpMarket } from "./made-up-market.ts";
import type { Recorded } from "./session.ts";

/** `size` 0: the level is gone. */
export type FeedLevel = { readonly side: Side; readonly price: Price; readonly size: Size };
/** The levels of one side from the best one to a price are gone; with null those of both sides. */
export type FeedClear = { readonly clears: Pick<FeedLevel, "side" | "price"> | null };
/**
 * `book`: what changed at once. `isWhole`: the changes are, or continue, a snapshot. `isRestart`: the publisher had reconnected. `takerSide`
 * null: the publisher does not know it.
 */
export type FeedMessage = {
  readonly symbol: string;
  /** Unix µs, never before the previous message. */
  readonly atMicros: number;
  /** File and line or row. */
  readonly where: string;
} & (
  | {
      readonly kind: "book";
      readonly isWhole: boolean;
      readonly isRestart?: boolean;
      readonly changes: readonly (FeedLevel | FeedClear)[];
    }
  | { readonly kind: "trade"; readonly price: Price; readonly size: Size; readonly takerSide: Side | null }
);
type BookMessage = Extract<FeedMessage, { kind: "book" }>;

/** What a reader of the feed should know. */
export type FeedWatch = {
  /** No message for longer than `GAP_MS`, or a new snapshot after a reconnect (`isReconnect`). */
  readonly gap: (gap: {
    readonly where: string;
    readonly fromMicros: number;
    readonly toMicros: number;
    readonly isReconnect: boolean;
  }) => void;
  /** A trade whose taker is not known: it is in no recording, since every side would be a guess. */
  readonly unknownSide: (trade: Extract<FeedMessage, { kind: "trade" }>) => void;
  /** A message before its market's first snapshot. */
  readonly early: (message: FeedMessage) => void;
};

/** Levels of each side in a recorded book. A change below them is kept until it rises among them. */
export const SHOWN_LEVELS = 20;
/** A longer silence is reported. */
const GAP_MS = 60_000;
const PONG_MS = 5000;
const MARKETS_MAX = 64;

/** Throws FeedError, and what `messages` throws. */
export function* feedSession(messages: Iterable<FeedMessage>, watch: FeedWatch): Generator<Recorded> {
  const session = new FeedSession(watch);
  for (const message of messages) yield* session.take(message);
  yield* session.end();
}

class FeedSession {
  readonly #watch: FeedWatch;
  readonly #markets = new Map<string, FeedMarket>();
  #startMicros: number | null = null;
  #lastMicros = 0;
  #pongMs = 0;
  #height = 0;
  /** 0: the stream is not open yet. */
  #epoch = 0;
  #taker = { name: "", id: 0n };
  #trades = 0n;

  constructor(watch: FeedWatch) {
    this.#watch = watch;
  }

  *take(message: FeedMessage): Generator<Recorded, void> {
    const { symbol, atMicros } = message;
    this.#startMicros ??= atMicros;
    const market = this.#markets.get(symbol) ?? newMarket(symbol, this.#markets);
    const isReconnect = message.kind === "book" && market.isRestartedBy(message);
    const silentMs = this.#lastMicros === 0 ? 0 : (atMicros - this.#lastMicros) / 1000;
    if (silentMs > GAP_MS || isReconnect) {
      const fromMicros = isReconnect ? market.lastMicros : this.#lastMicros;
      this.#watch.gap({ where: message.where, fromMicros, toMicros: atMicros, isReconnect });
    }
    [this.#lastMicros, market.lastMicros] = [atMicros, atMicros];
    yield* this.#pongs(silentMs);
    const isMoreOfSnapshot = message.kind === "book" && message.isWhole && !isReconnect;
    if (!isMoreOfSnapshot) yield* this.#showSnapshot(market);
    if (isReconnect) {
      yield this.#now({
        kind: "streamClosed",
        epoch: this.#epoch,
        reason: "the publisher reconnected",
        ...this.#received,
      });
      this.#epoch += 1;
      yield this.#now({ kind: "streamOpened", epoch: this.#epoch, ...this.#received });
    }
    const event = this.#eventOf(message, market);
    if (event !== null) yield this.#now(event);
    const print = market.printed(this.#wallMs, this.#received.receivedMs);
    if (print !== null) yield this.#now(print);
  }

  *end(): Generator<Recorded, void> {
    if (this.#startMicros === null) throw new FeedError("feed", "there is no message in it");
    for (const market of this.#markets.values()) yield* this.#showSnapshot(market);
    if (this.#epoch === 0) throw new FeedError("feed", "it has no snapshot, so no book is known");
  }

  get #received(): { readonly receivedMs: number } {
    return { receivedMs: (this.#lastMicros - (this.#startMicros ?? 0)) / 1000 };
  }

  get #wallMs(): number {
    return Math.floor(this.#lastMicros / 1000);
  }

  #now(event: VenueEvent): Recorded {
    return { instant: { monotonicMs: this.#received.receivedMs, wallMs: this.#wallMs }, event };
  }

  /** What a bot takes the exchange's time from; in a gap it hears nothing. */
  *#pongs(silentMs: number): Generator<Recorded, void> {
    const { receivedMs } = this.#received;
    if (silentMs > GAP_MS) this.#pongMs = receivedMs;
    for (; this.#pongMs <= receivedMs; this.#pongMs += PONG_MS) {
      const [monotonicMs, wallMs] = [this.#pongMs, Math.floor((this.#startMicros ?? 0) / 1000 + this.#pongMs)];
      this.#height += 1;
      const times = { blockTimeMs: wallMs, sentMs: monotonicMs, receivedMs: monotonicMs };
      yield { instant: { monotonicMs, wallMs }, event: { kind: "pong", height: this.#height, ...times } };
    }
  }

  /** A snapshot is shown once it is whole: when something else follows. */
  *#showSnapshot(market: FeedMarket): Generator<Recorded, void> {
    if (!market.isWaiting) return;
    for (const event of market.opened(this.#wallMs, this.#received.receivedMs)) yield this.#now(event);
    if (this.#epoch === 0) {
      this.#epoch = 1;
      yield this.#now({ kind: "streamOpened", epoch: 1, ...this.#received });
    }
    yield this.#now({ kind: "book", book: market.shown(), ...this.#received });
  }

  /** Null: nothing that a bot would see. */
  #eventOf(message: FeedMessage, market: FeedMarket): VenueEvent | null {
    if (!market.isOpen && (message.kind === "trade" || !message.isWhole)) {
      this.#watch.early(message);
      return null;
    }
    if (message.kind === "book")
      return market.take(message) ? { kind: "book", book: market.shown(), ...this.#received } : null;
    const { takerSide, symbol, atMicros, price: at, size: contracts } = message;
    if (takerSide === null) {
      this.#watch.unknownSide(message);
      return null;
    }
    // One order that takes several makers has several trades at one time.
    const name = `${symbol} ${atMicros} ${takerSide}`;
    if (name !== this.#taker.name) this.#taker = { name, id: this.#taker.id + 1n };
    this.#trades += 1n;
    const trade = {
      marketId: market.marketId,
      price: at,
      size: contracts,
      takerSide,
      takerOrderId: orderId(this.#taker.id),
      makerOrderId: orderId(MAKER_IDS + this.#trades),
      txHash: `trade ${this.#trades}`,
      timestampMs: this.#wallMs,
    };
    return { kind: "trade", trade, ...this.#received };
  }
}

/** Makers' made-up ids begin here, takers' at 1. */
const MAKER_IDS = 2n ** 62n;

function newMarket(symbol: string, markets: Map<string, FeedMarket>): FeedMarket {
  if (markets.size === MARKETS_MAX)
    throw new FeedError("feed", `more than ${MARKETS_MAX} symbols; import fewer at a time`);
  const market = new FeedMarket(markets.size + 1, symbol);
  markets.set(symbol, market);
  return market;
}

class FeedMarket {
  readonly marketId: MarketId;
  /** A snapshot has begun. */
  isOpen = false;
  /** A snapshot is not shown yet. */
  isWaiting = false;
  lastMicros = 0;
  readonly #symbol: string;
  readonly #levels: Readonly<Record<Side, Level[]>> = { buy: [], sell: [] };
  #market: Market | null = null;
  #validUntilMs = 0;

  constructor(marketId: MarketId, symbol: string) {
    this.marketId = marketId;
    this.#symbol = symbol;
  }

  /** A snapshot may come in several messages; one that repeats a level is another snapshot. */
  isRestartedBy(message: BookMessage): boolean {
    return this.isOpen && (message.isRestart === true || (message.isWhole && !this.#isContinuedBy(message)));
  }

  /** True if the shown book changed, and is no part of a snapshot. */
  take(message: BookMessage): boolean {
    const { changes, isWhole } = message;
    if (isWhole && !this.#isContinuedBy(message)) this.#clear(null);
    let isShown = false;
    for (const change of changes) {
      const isChanged = "clears" in change ? this.#clear(change.clears) : this.#set(change);
      isShown ||= isChanged;
    }
    if (!isWhole) return isShown;
    [this.isOpen, this.isWaiting] = [true, true];
    return false;
  }

  #isContinuedBy({ changes }: BookMessage): boolean {
    return (
      this.isWaiting && changes.every((change) => "clears" in change || !this.#find(change.side, change.price).isThere)
    );
  }

  /** True if a level went. */
  #clear(upTo: FeedClear["clears"]): boolean {
    const { buy, sell } = this.#levels;
    if (upTo === null) return buy.splice(0).length + sell.splice(0).length > 0;
    const { at, isThere } = this.#find(upTo.side, upTo.price);
    return this.#levels[upTo.side].splice(0, at + (isThere ? 1 : 0)).length > 0;
  }

  shown(): Book {
    const { buy, sell } = this.#levels;
    return { marketId: this.marketId, bids: buy.slice(0, SHOWN_LEVELS), asks: sell.slice(0, SHOWN_LEVELS) };
  }

  /** The snapshot is whole. Returns what a bot reads before the market's first book; nothing if it is not its first. */
  opened(wallMs: number, receivedMs: number): readonly VenueEvent[] {
    this.isWaiting = false;
    if (this.#market !== null) return [];
    const { market, events } = madeUpMarket({
      name: this.#symbol,
      book: this.shown(),
      tickSize: tickOf([...this.#levels.buy, ...this.#levels.sell]),
      wallMs,
      receivedMs,
    });
    this.#market = market;
    this.#validUntilMs = market.oracleValidUntilSec * 1000;
    return events;
  }

  /** The made-up oracle prints the mid at the beginning of each later day; null: not now. */
  printed(wallMs: number, receivedMs: number): VenueEvent | null {
    if (this.#market === null || wallMs < this.#validUntilMs) return null;
    const previousPrice = this.#market.oraclePrice;
    const mid = midOf(this.shown()) ?? previousPrice;
    const printed = price((mid / this.#market.tickSize) * this.#market.tickSize);
    this.#validUntilMs = (Math.floor(wallMs / DAY_MS) + 1) * DAY_MS;
    this.#market = { ...this.#market, oraclePrice: printed };
    const validUntilSec = this.#validUntilMs / 1000;
    return { kind: "oracleUpdate", marketId: this.marketId, price: printed, previousPrice, validUntilSec, receivedMs };
  }

  /** Where a price is among its side's levels, or would be. */
  #find(side: Side, at: Price): { readonly at: number; readonly isThere: boolean } {
    const levels = this.#levels[side];
    let [low, high] = [0, levels.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const there = (levels[middle] as Level).price;
      if (side === "buy" ? there > at : there < at) low = middle + 1;
      else high = middle;
    }
    return { at: low, isThere: levels[low]?.price === at };
  }

  /** True if a shown level changed. */
  #set({ side, price: of, size: contracts }: FeedLevel): boolean {
    const levels = this.#levels[side];
    const { at, isThere } = this.#find(side, of);
    if (contracts === 0n) {
      if (!isThere) return false;
      levels.splice(at, 1);
    } else {
      if (isThere && levels[at]?.size === contracts) return false;
      const level = Object.freeze({ price: of, size: size(contracts), orderCount: 1 });
      if (isThere) levels[at] = level;
      else levels.splice(at, 0, level);
    }
    return at < SHOWN_LEVELS;
  }
}

/** The largest step that all prices are multiples of: the publisher does not tell the market's tick. */
function tickOf(levels: readonly Level[]): Price {
  let step = 0n;
  for (const { price: at } of levels) {
    let [a, b]: [bigint, bigint] = [at, step];
    while (b !== 0n) [a, b] = [b, a % b];
    step = a;
  }
  return price(step === 0n ? 1n : step);
}
