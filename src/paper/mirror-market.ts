// One market of another exchange, repeated in ours: one account places its book as orders, another makes its trades. Our orders rest among
// them as they would there: behind the earlier size at their price, filled by trades there or beyond.

import type { Book, Level } from "../domain/book.ts";
import type { Trade } from "../domain/fill.ts";
import { expectedOrders, leaving, type QueueModel } from "../domain/queue.ts";
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
import { createPrng } from "../kernel/prng.ts";
import { plainTerms } from "../wire/transaction/trading.ts";
import type { Transaction } from "../wire/transaction.ts";

/** Accounts that repeat the other exchange: one rests, the other takes, because an account cannot trade with itself. */
export type Counterparties = { readonly maker: AccountId; readonly taker: AccountId };

export type MirrorModules = {
  /** Executes an action of a counterparty account at once. Returns false if it was refused. */
  readonly act: (accountId: AccountId, transaction: Transaction) => boolean;
};

/** An order of the maker's. `size`: the total, including the filled part. */
type Resting = {
  readonly orderId: OrderId;
  readonly side: Side;
  readonly price: Price;
  size: bigint;
  left: bigint;
  /** Its size if it has not left; see `QueuePiece`. */
  staying: bigint;
  /** Number of the other exchange's orders that it represents. */
  count: number;
};

/** Our part in a trade, for orders of ours that the other exchange has too. */
export type OwnPart = "taker" | "maker" | null;

/** `offered`: the part that ours may still take; `count`: its number of orders. */
type Shown = { size: bigint; taken: bigint; offered: bigint; count: number };

/** Levels per side. Our order beyond the visible levels is ahead of all that appear there later. */
const LEVELS_MAX = 1000;

export class MirrorMarket {
  readonly #marketId: MarketId;
  readonly #counterparties: Counterparties;
  /** The current one. */
  model: QueueModel;
  readonly #act: MirrorModules["act"];
  /** Draws one order among those that may have left: the same market gives the same draws. */
  readonly #draw: () => number;
  /** By side and price, in the order of their priority. */
  readonly #levels: Readonly<Record<Side, Map<Price, Resting[]>>> = { buy: new Map(), sell: new Map() };
  readonly #orders = new Map<OrderId, Resting>();
  /** The other exchange's levels, and how much of each our orders took here, which is not offered again. */
  readonly #shown: Record<Side, Map<Price, Shown>> = { buy: new Map(), sell: new Map() };
  /** The levels that each side follows; null: something happened since then that the book does not include. */
  readonly #followed: Record<Side, readonly Level[] | null> = { buy: null, sell: null };
  /** True while orders are removed because the book says so. */
  #isFollowing = false;
  /** Number of orders represented by the one that is being placed. */
  #placing = 1;

  constructor(
    marketId: MarketId,
    { model, ...counterparties }: Counterparties & { readonly model: QueueModel },
    { act }: MirrorModules,
  ) {
    this.#marketId = marketId;
    this.#counterparties = counterparties;
    this.model = model;
    this.#act = act;
    this.#draw = createPrng(BigInt(marketId)).float;
  }

  /** Follows the other exchange's current book. A crossed book is ignored. */
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
    // Removals come first, so that new orders cannot meet orders that no longer exist.
    for (const side of changed) for (const price of [...this.#levels[side].keys()]) this.#shrink(side, price);
    for (const side of changed) for (const [price, shown] of this.#shown[side]) this.#grow(side, price, shown);
    this.#isFollowing = false;
  }

  /**
   * Repeats a trade of the other exchange: it takes the first orders at its price or better. `own`: our part in it there. If we were the
   * taker, our order takes here itself; if the maker, it gave size that the others' book never showed.
   */
  repeat({ price, size, takerSide: side }: Trade, own: OwnPart = null): void {
    if (own !== "taker") this.#place(this.#counterparties.taker, { side, price, size, timeInForce: "IOC" });
    if (own === "maker") return;
    const shown = this.#shown[opposite(side)].get(price);
    if (shown === undefined) return;
    this.#followed[opposite(side)] = null;
    // Our orders took the first part of the level, and this trade took the same there.
    shown.size = max(0n, shown.size - size);
    shown.taken = max(0n, shown.taken - size);
  }

  /** An order of the maker was placed. */
  placed(order: { readonly orderId: OrderId; readonly side: Side; readonly price: Price; readonly size: Size }): void {
    const { orderId, side, price } = order;
    const resting: Resting = {
      orderId,
      side,
      price,
      size: order.size,
      left: order.size,
      staying: order.size,
      count: this.#placing,
    };
    this.#orders.set(orderId, resting);
    const level = this.#levels[side].get(price);
    if (level === undefined) this.#levels[side].set(price, [resting]);
    else level.push(resting);
  }

  /** `amount` of a maker order was filled; `isOurs`: by an order that the other exchange does not have. */
  filled(orderId: OrderId, amount: Size, isOurs: boolean): void {
    const resting = this.#orders.get(orderId);
    if (resting === undefined) return;
    this.#followed[resting.side] = null;
    const shown = this.#shown[resting.side].get(resting.price);
    if (isOurs && shown !== undefined) shown.taken += amount;
    resting.left -= amount;
    resting.staying -= amount;
    if (resting.left <= 0n) this.#forget(resting);
  }

  /** A maker order has gone. */
  gone(orderId: OrderId): void {
    const resting = this.#orders.get(orderId);
    if (resting === undefined) return;
    if (!this.#isFollowing) this.#followed[resting.side] = null;
    this.#forget(resting);
  }

  /** The other exchange's levels minus what our orders took: that part is offered again once others take it there too. */
  #show(side: Side, levels: readonly Level[]): void {
    const before = this.#shown[side];
    const shown = new Map<Price, Shown>();
    for (const { price, size, orderCount: count } of levels.length > LEVELS_MAX
      ? levels.slice(0, LEVELS_MAX)
      : levels) {
      const { size: was, taken } = before.get(price) ?? { size, taken: 0n };
      const left = was > size ? max(0n, taken - (was - size)) : taken;
      shown.set(price, { size, taken: left, offered: max(0n, size - left), count });
    }
    this.#shown[side] = shown;
  }

  #shrink(side: Side, price: Price): void {
    const { offered = 0n, count = 0 } = this.#shown[side].get(price) ?? {};
    const excess = this.#restingAt(side, price) - offered;
    if (excess <= 0n) return;
    const queue = this.#levels[side].get(price) ?? [];
    for (const { piece: order, amount } of leaving(queue, excess, this.model, {
      gone: expectedOrders(queue) - count,
      draw: this.#draw,
    })) {
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

  #grow(side: Side, price: Price, { offered, count }: Shown): void {
    const missing = offered - this.#restingAt(side, price);
    const queue = this.#levels[side].get(price) ?? [];
    settle(queue, count);
    if (missing <= 0n) return;
    if (typeof this.model !== "string" && count <= expectedOrders(queue) && this.#requeue(queue, missing)) return;
    this.#placing = Math.max(1, count - expectedOrders(queue));
    // A paused market takes no orders: the next book is followed again.
    if (!this.#place(this.#counterparties.maker, { side, price, size: size(missing), timeInForce: "GTC" }))
      this.#followed[side] = null;
  }

  /** An order that was partly filled and restored goes behind all others. False: there is none. */
  #requeue(queue: readonly Resting[], missing: bigint): boolean {
    const order = queue.find(
      ({ staying, size: whole, count }) => count === 1 && staying < whole && staying + missing === whole,
    );
    if (order === undefined) return false;
    const { orderId, side, price, size: whole } = order;
    this.#act(this.#counterparties.maker, { type: "CancelOrder", orderId });
    this.gone(orderId);
    this.#placing = 1;
    return this.#place(this.#counterparties.maker, { side, price, size: size(whole), timeInForce: "GTC" });
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

/** The orders that traded or left are the first of those that one represents. */
function settle(queue: readonly Resting[], count: number): void {
  let more = expectedOrders(queue) - count;
  for (const resting of queue) {
    if (more <= 0) return;
    const less = Math.min(more, resting.count - 1);
    resting.count -= less;
    if (less > 0 && resting.count === 1) resting.staying = resting.left;
    more -= less;
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
