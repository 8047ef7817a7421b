// Where the orders of one account are in the queues of their prices. Frames show each arrival, trade and departure in turn: later arrivals
// are behind an order, trades take from the front, and a cancel is known by its size. Where any of several orders may have left, each loses
// in proportion to its size.

import type { Book, Level } from "../../../domain/book.ts";
import type { Trade } from "../../../domain/fill.ts";
import type { TrackedOrder } from "../../../domain/order.ts";
import { restingSize } from "../../../domain/others-book.ts";
import { expectedOrders, leaving, type QueueModel } from "../../../domain/queue.ts";
import { type MarketId, type OrderId, type Price, type Side, type Size, size } from "../../../domain/units.ts";
import { accountTiming, marketTiming } from "../../timing.ts";
import type { ReportedOrder } from "./records.ts";

/** Orders of others that joined a queue together: `left` contracts in `count` orders; `whole`: the original size of a single order. */
type Piece = { left: bigint; staying: bigint; count: number; readonly whole: bigint };

/** Orders of others at the price of one order of ours: the first to trade first. */
export class Queue {
  readonly #model: QueueModel | null;
  #front: Piece[] = [];
  #back: Piece[] = [];
  /** Contracts of others that trades took since the last book. */
  #traded = 0n;
  /** Our order traded, so nothing is ahead of it. */
  #isFirst = false;
  /** Contracts of front and back together, and their number of orders. */
  #sum = 0n;
  #count = 0;
  #ahead = size(0n);

  constructor(before: Pick<Level, "size" | "orderCount"> | undefined, model: QueueModel | null) {
    this.#model = model;
    if (before !== undefined && before.size > 0n)
      this.#front.push(pieceOf(before.size, Math.max(1, before.orderCount)));
    this.#add();
  }

  get ahead(): Size {
    return this.#ahead;
  }

  traded(contracts: bigint): void {
    this.#traded += contracts;
  }

  tradedOurs(): void {
    this.#isFirst = true;
  }

  /** The book shows `others` contracts of others, in `count` orders. */
  shown(others: bigint, count: number): void {
    // Most frames change another price.
    if (others === this.#sum && count === this.#count && this.#traded === 0n && !this.#isFirst) return;
    const hasTraded = this.#traded > 0n;
    this.#takeTraded();
    const rest = others - sumOf(this.#front) - sumOf(this.#back);
    const known = this.#known();
    if (rest > 0n) {
      if (count > known || !this.#requeue(rest)) this.#back.push(pieceOf(rest, Math.max(1, count - known)));
    } else if (rest < 0n) this.#leave(-rest, known - count);
    if (hasTraded || rest < 0n) this.#settle(count);
    this.#add();
  }

  #add(): void {
    this.#ahead = size(sumOf(this.#front));
    this.#sum = this.#ahead + sumOf(this.#back);
    this.#count = countOf(this.#front) + countOf(this.#back);
  }

  #known(): number {
    const isFitted = this.#model !== null && typeof this.#model !== "string";
    return isFitted ? expectedOrders([...this.#front, ...this.#back]) : countOf(this.#front) + countOf(this.#back);
  }

  #takeTraded(): void {
    if (this.#isFirst) this.#front = [];
    for (const { piece, amount } of leaving(this.#front, this.#traded, "optimistic")) {
      piece.left -= amount;
      piece.staying -= amount;
    }
    this.#traded = 0n;
    this.#isFirst = false;
    this.#drop();
  }

  /** A partly filled order that was restored in size goes behind all others (S4.6). False: there is none. */
  #requeue(more: bigint): boolean {
    for (const queue of [this.#front, this.#back]) {
      const at = queue.findIndex(({ left, whole, count }) => count === 1 && left < whole && left + more === whole);
      const [piece] = at < 0 ? [] : queue.splice(at, 1);
      if (piece === undefined) continue;
      this.#back.push(pieceOf(piece.whole, 1));
      return true;
    }
    return false;
  }

  #leave(excess: bigint, gone: number): void {
    if (this.#model !== null) {
      for (const { piece, amount } of leaving([...this.#front, ...this.#back], excess, this.#model, { gone }))
        piece.left -= amount;
    } else this.#leaveLikely(excess, gone);
    this.#drop();
  }

  #leaveLikely(excess: bigint, gone: number): void {
    const all = [...this.#front, ...this.#back];
    const one = gone === 1 ? all.find(({ left, count }) => count === 1 && left === excess) : undefined;
    if (one !== undefined) {
      one.left = 0n;
      return;
    }
    const fitting = gone === 1 ? all.filter(({ left, count }) => count > 1 && left > excess) : [];
    const from = fitting.length > 0 ? fitting : all;
    let [open, total] = [excess, sumOf(from)];
    for (const piece of from) {
      const amount = total === 0n ? 0n : (open * piece.left) / total;
      total -= piece.left;
      piece.left -= amount;
      open -= amount;
      if (fitting.length === 1) piece.count -= 1;
    }
  }

  /** Lowers the counts to the book's number of orders: those that traded or left had arrived with others. */
  #settle(count: number): void {
    let more = this.#known() - count;
    for (const piece of [...this.#front, ...this.#back]) {
      if (more <= 0) return;
      const less = Math.min(more, piece.count - 1);
      piece.count -= less;
      if (less > 0 && piece.count === 1) piece.staying = piece.left;
      more -= less;
    }
  }

  #drop(): void {
    this.#front = this.#front.filter(({ left }) => left > 0n);
    this.#back = this.#back.filter(({ left }) => left > 0n);
  }
}

const pieceOf = (left: bigint, count: number): Piece => ({ left, staying: left, count, whole: left });

function sumOf(pieces: readonly Piece[]): bigint {
  let sum = 0n;
  for (const { left } of pieces) sum += left;
  return sum;
}

function countOf(pieces: readonly Piece[]): number {
  let sum = 0;
  for (const { count } of pieces) sum += count;
  return sum;
}

type Place = Pick<ReportedOrder, "side" | "price"> & {
  size: Size;
  readonly queue: Queue;
  /** When a tracked order was last seen here, and since when it is elsewhere without a frame; monotonic ms, null: it is not. */
  seenMs: number;
  leftMs: number | null;
  /** The last book in which it was looked up. */
  frame: number;
};

/** The account's orders in a market, and whether one no longer rests. */
type KnownOrders = {
  readonly inMarket: (marketId: MarketId) => readonly TrackedOrder[];
  readonly isOver: (orderId: OrderId) => boolean;
};

export class QueuePlaces {
  readonly #model: QueueModel | null;
  #frame = 0;
  readonly #places = new Map<MarketId, Map<OrderId, Place>>();

  /** `model`: that of a paper account, whose orders are in no book; null: the likeliest departures. */
  constructor(model: QueueModel | null) {
    this.#model = model;
  }

  /** An order of ours arrived. It is behind everything in the last book. */
  placed(order: ReportedOrder, book: Book | undefined, nowMs: number): void {
    if (this.#at(order) === undefined) this.#join(order, book && levelAt(book, order.side, order.price), nowMs);
  }

  /** An order keeps its place unless its price changed or it grew (S4.6). */
  modified(order: ReportedOrder, book: Book | undefined, nowMs: number): void {
    const place = this.#at(order);
    if (place?.price === order.price && order.size <= place.size) place.size = order.size;
    else this.#join(order, book && levelAt(book, order.side, order.price), nowMs);
  }

  gone(marketId: MarketId, orderId: OrderId): void {
    const places = this.#places.get(marketId);
    places?.delete(orderId);
    if (places?.size === 0) this.#places.delete(marketId);
  }

  traded({ marketId, price, size: contracts, takerSide, makerOrderId }: Trade): void {
    for (const [orderId, { queue, ...place }] of this.#places.get(marketId) ?? []) {
      if (place.price !== price || place.side === takerSide) continue;
      if (orderId === makerOrderId) queue.tradedOurs();
      else queue.traded(contracts);
    }
  }

  /** Takes the book after everything that was reported since the last one. */
  shown(book: Book, known: KnownOrders, nowMs: number): void {
    const { marketId } = book;
    const places = this.#places.get(marketId);
    this.#frame += 1;
    let met = 0;
    for (const order of known.inMarket(marketId)) {
      const place = this.#at(order);
      if (place !== undefined) {
        met += 1;
        place.seenMs = nowMs;
        this.#show(place, book, restingSize(order));
      }
      this.#adopt(order, place, book, nowMs);
    }
    // Frames also show orders that no answer has named yet, and some that have gone.
    if (places === undefined || places.size <= met) return;
    for (const [orderId, place] of places) {
      if (place.frame === this.#frame) continue;
      if (known.isOver(orderId) || nowMs - place.seenMs > accountTiming.receivedKeptMs) this.gone(marketId, orderId);
      else this.#show(place, book, place.size);
    }
  }

  /** Returns contracts ahead of the order; null: its place is unknown. */
  ahead(order: TrackedOrder): Size | null {
    const place = this.#at(order);
    return place === undefined || place.price !== order.price ? null : place.queue.ahead;
  }

  #show(place: Place, book: Book, own: Size): void {
    place.frame = this.#frame;
    const { size: others, orderCount } = this.#othersAt(book, place, own);
    place.queue.shown(others, orderCount);
  }

  #at({ marketId, orderId }: Pick<TrackedOrder, "marketId" | "orderId">): Place | undefined {
    return orderId === null ? undefined : this.#places.get(marketId)?.get(orderId);
  }

  #join(
    { marketId, orderId, side, price, size }: ReportedOrder,
    before: Pick<Level, "size" | "orderCount"> | undefined,
    nowMs: number,
  ): void {
    const queue = new Queue(before, this.#model);
    const place: Place = { side, price, size, queue, seenMs: nowMs, leftMs: null, frame: this.#frame };
    const places = this.#places.get(marketId);
    if (places === undefined) this.#places.set(marketId, new Map([[orderId, place]]));
    else places.set(orderId, place);
  }

  /** An order without its own frame, as after a restart or a gap, is assumed to be behind all others. */
  #adopt(order: TrackedOrder, place: Place | undefined, book: Book, nowMs: number): void {
    const { orderId, price, isConditional, state, sinceMs } = order;
    if (place?.price === price) {
      place.leftMs = null;
      return;
    }
    if (orderId === null || isConditional || state === "unknown") return;
    if (place !== undefined) place.leftMs ??= nowMs;
    if (nowMs - (place?.leftMs ?? sinceMs) < marketTiming.bookLagMs) return;
    this.#join({ ...order, orderId }, this.#othersAt(book, order, restingSize(order)), nowMs);
  }

  /** Returns the contracts that the book shows at the order's price, without its own. */
  #othersAt(
    book: Book,
    { side, price }: Pick<ReportedOrder, "side" | "price">,
    own: Size,
  ): Pick<Level, "size" | "orderCount"> {
    const level = levelAt(book, side, price);
    if (level === undefined) return { size: size(0n), orderCount: 0 };
    if (this.#model !== null) return level;
    return { size: size(level.size > own ? level.size - own : 0n), orderCount: level.orderCount - 1 };
  }
}

/** Levels are few, and ours are near the touch. */
export function levelAt({ bids, asks }: Book, side: Side, price: Price): Level | undefined {
  for (const level of side === "buy" ? bids : asks) if (level.price === price) return level;
  return undefined;
}
