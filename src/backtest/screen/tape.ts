// A market without us, as columns of numbers: each change of a book, trade, print, settlement and read, in order. Made once for a seed or a
// recording, and played to many settings.

import type { Book, Level } from "../../domain/book.ts";
import type { VenueEvent } from "../../domain/event.ts";
import type { Trade } from "../../domain/fill.ts";
import type { FeeTier, Funding, Market, Oracle, OracleHistory } from "../../domain/market.ts";
import { type MarketId, orderId, type Price, price, type Side, size } from "../../domain/units.ts";

/** The public events of a market. */
export type TapeEvent = Extract<
  VenueEvent,
  {
    readonly kind:
      | "book"
      | "trade"
      | "oracleUpdate"
      | "fundingUpdate"
      | "marketRead"
      | "oracleRead"
      | "fundingRead"
      | "oracleHistoryRead";
  }
>;

/** A market at the start of the tape. */
export type TapeMarket = {
  readonly market: Market;
  readonly oracle: Oracle;
  readonly funding: Funding;
  readonly history: OracleHistory;
};

export type TapeHead = {
  /** When it begins, Unix ms. */
  readonly startMs: number;
  readonly feeTiers: readonly FeeTier[];
  readonly openOrderCap: number;
  readonly markets: readonly TapeMarket[];
};

/** Columns; a row is one instant in one market. `from`: where its data begins in the columns of its kind. */
export type Tape = TapeHead & {
  readonly lastsMs: number;
  /** Since the start, ms. */
  readonly atMs: Uint32Array;
  readonly kind: Uint8Array;
  /** Index into `markets`. */
  readonly market: Uint16Array;
  readonly from: Uint32Array;
  /** Ticks, below zero on the bid side; size 0: the level is removed. */
  readonly levelTicks: Int32Array;
  readonly levelSizes: Float64Array;
  readonly levelCounts: Uint16Array;
  /** Ticks, below zero where the taker sold. */
  readonly tradeTicks: Int32Array;
  readonly tradeSizes: Float64Array;
  readonly takers: BigUint64Array;
  /** Six numbers per read: see `moving`. */
  readonly marks: Float64Array;
  /** Rare facts, without the time of arrival. */
  readonly facts: readonly Fact[];
};

const kinds = { book: 0, trade: 1, marks: 2, fact: 3 } as const;

type Fact = DistributiveOmit<Exclude<TapeEvent, { readonly kind: "book" | "trade" }>, "receivedMs" | "askedMs">;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Fields of a market's read that change all the time. */
const moving = ["markPrice", "bestBid", "bestAsk", "openInterestLong", "openInterestShort", "fundingRate"] as const;

type ShownLevels = readonly [bids: Map<Price, Level>, asks: Map<Price, Level>];

/** 2^32 ms. */
const LASTS_MS_MAX = 2 ** 32 - 1;
const TICKS_MAX = 2n ** 31n - 1n;

/** Throws RangeError where a price is no multiple of its tick, a number exceeds its column, or time is beyond 49 days. */
export class TapeWriter {
  readonly #head: TapeHead;
  readonly #places: ReadonlyMap<MarketId, number>;
  readonly #ticks: readonly Price[];
  /** By market, bids and asks: what was last written for each price. */
  readonly #shown: readonly ShownLevels[];
  readonly #reads: Market[];
  readonly #row = { atMs: [] as number[], kind: [] as number[], market: [] as number[], from: [] as number[] };
  readonly #levels = { ticks: [] as number[], sizes: [] as number[], counts: [] as number[] };
  readonly #trades = { ticks: [] as number[], sizes: [] as number[], takers: [] as bigint[] };
  readonly #marks: number[] = [];
  readonly #facts: Fact[] = [];

  constructor(head: TapeHead) {
    this.#head = head;
    this.#places = new Map(head.markets.map(({ market }, at) => [market.marketId, at]));
    this.#ticks = head.markets.map(({ market }) => market.tickSize);
    this.#shown = head.markets.map(() => [new Map(), new Map()] as const);
    this.#reads = head.markets.map(({ market }) => market);
  }

  /** `atMs`: since the start, never less than before. Events of other markets are left out. */
  take(atMs: number, event: TapeEvent): void {
    if (atMs > LASTS_MS_MAX) throw new RangeError("a tape is at most 49 days long");
    switch (event.kind) {
      case "book":
        this.#book(atMs, event.book);
        break;
      case "trade":
        this.#trade(atMs, event.trade);
        break;
      case "marketRead":
        this.#read(atMs, event.market);
        break;
      default: {
        const { receivedMs: _, ...fact } = event;
        this.#fact(atMs, marketIdOf(event), fact);
      }
    }
  }

  end(lastsMs: number): Tape {
    const { atMs, kind, market, from } = this.#row;
    return {
      ...this.#head,
      lastsMs,
      atMs: Uint32Array.from(atMs),
      kind: Uint8Array.from(kind),
      market: Uint16Array.from(market),
      from: Uint32Array.from(from),
      levelTicks: Int32Array.from(this.#levels.ticks),
      levelSizes: Float64Array.from(this.#levels.sizes),
      levelCounts: Uint16Array.from(this.#levels.counts),
      tradeTicks: Int32Array.from(this.#trades.ticks),
      tradeSizes: Float64Array.from(this.#trades.sizes),
      takers: BigUint64Array.from(this.#trades.takers),
      marks: Float64Array.from(this.#marks),
      facts: this.#facts,
    };
  }

  #add(atMs: number, kind: number, place: number, from: number): void {
    this.#row.atMs.push(Math.round(atMs));
    this.#row.kind.push(kind);
    this.#row.market.push(place);
    this.#row.from.push(from);
  }

  #book(atMs: number, book: Book): void {
    const place = this.#places.get(book.marketId);
    if (place === undefined) return;
    const from = this.#levels.ticks.length;
    this.#side(place, "buy", book.bids);
    this.#side(place, "sell", book.asks);
    if (this.#levels.ticks.length > from) this.#add(atMs, kinds.book, place, from);
  }

  #side(place: number, side: Side, levels: readonly Level[]): void {
    const shown = (this.#shown[place] as ShownLevels)[side === "buy" ? 0 : 1];
    const now = new Set<Price>();
    for (const level of levels) {
      now.add(level.price);
      const before = shown.get(level.price);
      if (before?.size === level.size && before.orderCount === level.orderCount) continue;
      shown.set(level.price, level);
      this.#level(place, side, level.price, Number(level.size), level.orderCount);
    }
    for (const at of shown.keys()) {
      if (now.has(at)) continue;
      shown.delete(at);
      this.#level(place, side, at, 0, 0);
    }
  }

  #level(place: number, side: Side, at: Price, contracts: number, orderCount: number): void {
    this.#levels.ticks.push(this.#ticksOf(place, at, side === "buy"));
    this.#levels.sizes.push(contracts);
    this.#levels.counts.push(Math.min(orderCount, 65_535));
  }

  #trade(atMs: number, { marketId, price: at, size: contracts, takerSide, takerOrderId }: Trade): void {
    const place = this.#places.get(marketId);
    if (place === undefined) return;
    this.#add(atMs, kinds.trade, place, this.#trades.ticks.length);
    this.#trades.ticks.push(this.#ticksOf(place, at, takerSide === "sell"));
    this.#trades.sizes.push(Number(contracts));
    this.#trades.takers.push(takerOrderId);
  }

  /** Skips a read that repeats the last one. */
  #read(atMs: number, market: Market): void {
    const place = this.#places.get(market.marketId);
    if (place === undefined) return;
    const before = this.#reads[place] as Market;
    this.#reads[place] = market;
    const changed = (Object.keys(market) as (keyof Market)[]).filter((key) => !isAlike(market[key], before[key]));
    if (changed.length === 0) return;
    if (!changed.every((key) => (moving as readonly string[]).includes(key))) {
      this.#fact(atMs, market.marketId, { kind: "marketRead", market });
      return;
    }
    this.#add(atMs, kinds.marks, place, this.#marks.length);
    for (const key of moving) this.#marks.push(market[key] === null ? Number.NaN : Number(market[key]));
  }

  #fact(atMs: number, marketId: MarketId, fact: Fact): void {
    const place = this.#places.get(marketId);
    if (place === undefined) return;
    this.#add(atMs, kinds.fact, place, this.#facts.length);
    this.#facts.push(fact);
  }

  /** `isBelow`: shown by the sign. */
  #ticksOf(place: number, at: Price, isBelow: boolean): number {
    const tick = this.#ticks[place] as Price;
    const ticks = at / tick;
    if (ticks * tick !== at || ticks > TICKS_MAX || ticks <= 0n)
      throw new RangeError(`the price ${at} fits no tick of ${tick}`);
    return isBelow ? -Number(ticks) : Number(ticks);
  }
}

const isAlike = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === "object" && JSON.stringify(one, plain) === JSON.stringify(other, plain));
const plain = (_: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}` : value);

export function marketIdOf(event: TapeEvent): MarketId {
  switch (event.kind) {
    case "book":
      return event.book.marketId;
    case "trade":
      return event.trade.marketId;
    case "marketRead":
      return event.market.marketId;
    case "oracleRead":
      return event.oracle.marketId;
    case "fundingRead":
      return event.funding.marketId;
    case "oracleHistoryRead":
      return event.history.marketId;
    default:
      return event.marketId;
  }
}

/** `events`: of one instant, in order. `atMs`: since the tape's start. */
export type Instantly = (atMs: number, events: readonly TapeEvent[]) => void;

/** Plays the tape from its start. Books are whole, best level first, and frozen. */
export function play(tape: Tape, instant: Instantly): void {
  const { atMs, kind, market, from } = tape;
  const player = new Player(tape);
  for (let at = 0; at < atMs.length; ) {
    const nowMs = atMs[at] as number;
    const events: TapeEvent[] = [];
    for (; at < atMs.length && atMs[at] === nowMs; at += 1) {
      const next = kind[at] === kinds.book ? player.nextBook(at) : 0;
      events.push(player.event(kind[at] as number, market[at] as number, from[at] as number, next, nowMs));
    }
    instant(nowMs, events);
  }
}

type TapeBook = { readonly buy: TapeSide; readonly sell: TapeSide };

class Player {
  readonly #tape: Tape;
  readonly #sides: readonly TapeBook[];
  readonly #reads: Market[];

  constructor(tape: Tape) {
    this.#tape = tape;
    this.#sides = tape.markets.map(({ market: { tickSize } }) => ({
      buy: new TapeSide(tickSize, true),
      sell: new TapeSide(tickSize, false),
    }));
    this.#reads = tape.markets.map(({ market }) => market);
  }

  /** Where the levels of the book in this row end. */
  nextBook(row: number): number {
    const { kind, from, levelTicks } = this.#tape;
    for (let next = row + 1; next < kind.length; next += 1) if (kind[next] === kinds.book) return from[next] as number;
    return levelTicks.length;
  }

  event(kind: number, place: number, from: number, to: number, receivedMs: number): TapeEvent {
    switch (kind) {
      case kinds.book:
        return { kind: "book", book: this.#book(place, from, to), receivedMs };
      case kinds.trade:
        return { kind: "trade", trade: this.#trade(place, from, receivedMs), receivedMs };
      case kinds.marks:
        return { kind: "marketRead", market: this.#read(place, from), askedMs: receivedMs, receivedMs };
      default: {
        const fact = this.#tape.facts[from] as Fact;
        if (fact.kind === "marketRead") this.#reads[place] = fact.market;
        return { ...fact, askedMs: receivedMs, receivedMs } as TapeEvent;
      }
    }
  }

  #book(place: number, from: number, to: number): Book {
    const { levelTicks, levelSizes, levelCounts, markets } = this.#tape;
    const { buy, sell } = this.#sides[place] as TapeBook;
    for (let at = from; at < to; at += 1) {
      const ticks = levelTicks[at] as number;
      const side = ticks < 0 ? buy : sell;
      side.set(Math.abs(ticks), levelSizes[at] as number, levelCounts[at] as number);
    }
    const { marketId } = (markets[place] as TapeMarket).market;
    return Object.freeze({ marketId, bids: buy.levels(), asks: sell.levels() });
  }

  #trade(place: number, at: number, timestampMs: number): Trade {
    const { tradeTicks, tradeSizes, takers, markets, startMs } = this.#tape;
    const { marketId, tickSize } = (markets[place] as TapeMarket).market;
    const ticks = tradeTicks[at] as number;
    return {
      marketId,
      price: price(BigInt(Math.abs(ticks)) * tickSize),
      size: size(BigInt(tradeSizes[at] as number)),
      takerSide: ticks < 0 ? "sell" : "buy",
      takerOrderId: orderId(takers[at] as bigint),
      makerOrderId: orderId(0n),
      txHash: `${at}`,
      timestampMs: startMs + timestampMs,
    };
  }

  #read(place: number, from: number): Market {
    const moved = moving.map((key, nth) => {
      const value = this.#tape.marks[from + nth] as number;
      return [key, Number.isNaN(value) ? null : BigInt(value)];
    });
    const market = Object.freeze({ ...(this.#reads[place] as Market), ...Object.fromEntries(moved) });
    this.#reads[place] = market;
    return market;
  }
}

/** One side of a book, best price first. */
class TapeSide {
  readonly #tick: Price;
  readonly #isBid: boolean;
  readonly #ticks: number[] = [];
  readonly #levels: Level[] = [];

  constructor(tick: Price, isBid: boolean) {
    this.#tick = tick;
    this.#isBid = isBid;
  }

  set(ticks: number, contracts: number, orderCount: number): void {
    const at = this.#place(ticks);
    const isKnown = this.#ticks[at] === ticks;
    if (contracts === 0) {
      if (!isKnown) return;
      this.#ticks.splice(at, 1);
      this.#levels.splice(at, 1);
      return;
    }
    const level = Object.freeze({
      price: price(BigInt(ticks) * this.#tick),
      size: size(BigInt(contracts)),
      orderCount,
    });
    if (isKnown) this.#levels[at] = level;
    else {
      this.#ticks.splice(at, 0, ticks);
      this.#levels.splice(at, 0, level);
    }
  }

  levels(): readonly Level[] {
    return this.#levels.slice();
  }

  /** Where a price is, or would be. */
  #place(ticks: number): number {
    let low = 0;
    let high = this.#ticks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#ticks[middle] as number;
      if (this.#isBid ? other > ticks : other < ticks) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
