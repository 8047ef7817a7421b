// One market of another exchange, repeated in ours: its book rests as orders of one account, its trades are made by another. An order of
// ours stands among them as it would have stood there: behind what was at its price, filled by what trades there or beyond.

import type { Book, Level } from "../domain/book.ts";
import type { Trade } from "../domain/fill.ts";
import { leaving, type QueueModel } from "../domain/queue.ts";
import {
  type AccountId,
  type MarketId,
  type OrderId,
  opposite,
  type Price,
  type Side,
  type Size,
  sides,
  size,
} from "../domain/units.ts";
import { plainTerms } from "../wire/transaction/trading.ts";
import type { Transaction } from "../wire/transaction.ts";

/** Accounts of the exchange that repeats: what rests is one's, what takes is the other's, since nobody trades with themselves. */
export type Counterparties = { readonly maker: AccountId; readonly taker: AccountId };

export type MirrorModules = {
  /** Carries out what an account of the counterparties does, at once. False: it was refused. */
  readonly act: (accountId: AccountId, transaction: Transaction) => boolean;
};

/** An order of the maker's. `size` is whole, what is filled included. */
type Resting = { readonly orderId: OrderId; readonly side: Side; readonly price: Price; size: bigint; left: bigint };

/** Of our orders that the other exchange has too, in one of its trades. */
export type OwnPart = "taker" | "maker" | null;

/** `offered`: what is left of it for ours to take. */
type Shown = { size: bigint; taken: bigint; offered: bigint };

/** Levels a side. An order of ours beyond what the exchange shows stands before all that comes into sight there later. */
const LEVELS_MAX = 1000;

export class MirrorMarket {
  readonly #marketId: MarketId;
  readonly #counterparties: Counterparties;
  readonly #model: QueueModel;
  readonly #act: MirrorModules["act"];
  /** By side and price, in the order of their priority. */
  readonly #levels: Readonly<Record<Side, Map<Price, Resting[]>>> = { buy: new Map(), sell: new Map() };
  readonly #orders = new Map<OrderId, Resting>();
  /** What the other exchange shows, and how much of it ours have taken here: that is not offered twice. */
  readonly #shown: Record<Side, Map<Price, Shown>> = { buy: new Map(), sell: new Map() };
  /** What each side follows now; null: something happened since then that a book knows nothing of. */
  readonly #followed: Record<Side, readonly Level[] | null> = { buy: null, sell: null };
  /** True: what goes now goes because the book says so. */
  #isFollowing = false;

  constructor(
    marketId: MarketId,
    { model, ...counterparties }: Counterparties & { readonly model: QueueModel },
    { act }: MirrorModules,
  ) {
    this.#marketId = marketId;
    this.#counterparties = counterparties;
    this.#model = model;
    this.#act = act;
  }

  /** The other exchange's book as it is now. A crossed one is no book, and is left out. */
  follow(book: Book): void {
    const [bid, ask] = [book.bids[0], book.asks[0]];
    if (bid !== undefined && ask !== undefined && bid.price >= ask.price) return;
    const shown = { buy: book.bids, sell: book.asks };
    const changed = sides.filter((side) => !isSame(this.#followed[side], shown[side]));
    for (const side of changed) {
      this.#show(side, shown[side]);
      this.#followed[side] = shown[side];
    }
    this.#isFollowing = true;
    // What has gone goes first: an order that comes meets nothing that is no longer there.
    for (const side of changed) for (const price of [...this.#levels[side].keys()]) this.#shrink(side, price);
    for (const side of changed) for (const [price, { offered }] of this.#shown[side]) this.#grow(side, price, offered);
    this.#isFollowing = false;
  }

  /**
   * A trade of the other exchange, made here too: it takes what stands first at its price or at a better one. `own`: ours was a part of it
   * there. As the taker ours takes here itself; as the maker it gave what the others' book never showed.
   */
  repeat({ price, size, takerSide: side }: Trade, own: OwnPart = null): void {
    if (own !== "taker") this.#place(this.#counterparties.taker, { side, price, size, timeInForce: "IOC" });
    if (own === "maker") return;
    const shown = this.#shown[opposite(side)].get(price);
    if (shown === undefined) return;
    this.#followed[opposite(side)] = null;
    // Ours took the first of them, and so did this trade.
    shown.size = max(0n, shown.size - size);
    shown.taken = max(0n, shown.taken - size);
  }

  /** An order of the maker's is in the book. */
  placed(order: { readonly orderId: OrderId; readonly side: Side; readonly price: Price; readonly size: Size }): void {
    const { orderId, side, price } = order;
    const resting: Resting = { orderId, side, price, size: order.size, left: order.size };
    this.#orders.set(orderId, resting);
    const level = this.#levels[side].get(price);
    if (level === undefined) this.#levels[side].set(price, [resting]);
    else level.push(resting);
  }

  /** So much of one of the maker's orders has been filled; `isOurs`: by an order that the other exchange does not have. */
  filled(orderId: OrderId, amount: Size, isOurs: boolean): void {
    const resting = this.#orders.get(orderId);
    if (resting === undefined) return;
    this.#followed[resting.side] = null;
    const shown = this.#shown[resting.side].get(resting.price);
    if (isOurs && shown !== undefined) shown.taken += amount;
    resting.left -= amount;
    if (resting.left <= 0n) this.#forget(resting);
  }

  /** One of the maker's orders has gone. */
  gone(orderId: OrderId): void {
    const resting = this.#orders.get(orderId);
    if (resting === undefined) return;
    if (!this.#isFollowing) this.#followed[resting.side] = null;
    this.#forget(resting);
  }

  /** What the other exchange shows, without what ours took of it: it comes back as others take it there, too. */
  #show(side: Side, levels: readonly Level[]): void {
    const before = this.#shown[side];
    const shown = new Map<Price, Shown>();
    for (const { price, size } of levels.length > LEVELS_MAX ? levels.slice(0, LEVELS_MAX) : levels) {
      const { size: was, taken } = before.get(price) ?? { size, taken: 0n };
      const left = was > size ? max(0n, taken - (was - size)) : taken;
      shown.set(price, { size, taken: left, offered: max(0n, size - left) });
    }
    this.#shown[side] = shown;
  }

  #shrink(side: Side, price: Price): void {
    const excess = this.#restingAt(side, price) - (this.#shown[side].get(price)?.offered ?? 0n);
    if (excess <= 0n) return;
    for (const { piece: order, amount } of leaving(this.#levels[side].get(price) ?? [], excess, this.#model)) {
      const { orderId } = order;
      if (amount === order.left) {
        this.#act(this.#counterparties.maker, { type: "CancelOrder", orderId });
        this.gone(orderId);
      } else {
        const newSize = size(order.size - amount);
        this.#act(this.#counterparties.maker, { type: "ModifyOrder", orderId, newPrice: null, newSize });
        order.size -= amount;
        order.left -= amount;
      }
    }
  }

  #grow(side: Side, price: Price, wanted: bigint): void {
    const missing = wanted - this.#restingAt(side, price);
    if (missing <= 0n) return;
    // A market that is paused takes no orders: the next book is followed again.
    if (!this.#place(this.#counterparties.maker, { side, price, size: size(missing), timeInForce: "GTC" }))
      this.#followed[side] = null;
  }

  #place(
    accountId: AccountId,
    order: { readonly side: Side; readonly price: Price; readonly size: Size; readonly timeInForce: "GTC" | "IOC" },
  ): boolean {
    const of = { accountId, marketId: this.#marketId, orderType: "Limit", reduceOnly: false, postOnly: false } as const;
    return this.#act(accountId, { type: "PlaceOrder", ...plainTerms, ...of, ...order });
  }

  #restingAt(side: Side, price: Price): bigint {
    let sum = 0n;
    for (const { left } of this.#levels[side].get(price) ?? []) sum += left;
    return sum;
  }

  #forget(resting: Resting): void {
    const { orderId, side, price } = resting;
    this.#orders.delete(orderId);
    const left = (this.#levels[side].get(price) ?? []).filter((each) => each !== resting);
    if (left.length === 0) this.#levels[side].delete(price);
    else this.#levels[side].set(price, left);
  }
}

const isSame = (followed: readonly Level[] | null, levels: readonly Level[]): boolean =>
  followed === levels ||
  (followed?.length === levels.length &&
    levels.every((level, at) => {
      const before = followed[at];
      return before === level || (before?.price === level.price && before.size === level.size);
    }));

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
