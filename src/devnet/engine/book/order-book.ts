// The book of one market: two sides of price levels, each a queue in time order. It knows ticks and units, not money or accounts. Pointers
// give the best level, the next level and an order's place in its queue, so every step takes constant time.

import type { Side } from "../../../domain/units.ts";
import { PriceIndex } from "./price-index.ts";

/** The fields that the book needs of an order. `O` is the caller's own order type, so no look-up is needed. */
export interface Resting<O> {
  readonly side: Side;
  /** Price in ticks, 0 to 2^53 - 1. */
  ticks: number;
  /** Units that can still fill, 1 to 2^53 - 1. */
  remaining: number;
  /** Set only by the book; all null while the order does not rest. */
  level: Level<O> | null;
  ahead: O | null;
  behind: O | null;
}

export type Level<O> = {
  readonly ticks: number;
  units: number;
  orderCount: number;
  first: O;
  last: O;
  better: Level<O> | null;
  worse: Level<O> | null;
};

type BookHalf<O> = {
  readonly index: PriceIndex<Level<O>>;
  best: Level<O> | null;
  worst: Level<O> | null;
};

const emptyHalf = <O>(): BookHalf<O> => ({ index: new PriceIndex(), best: null, worst: null });

export class OrderBook<O extends Resting<O>> {
  readonly #bids = emptyHalf<O>();
  readonly #asks = emptyHalf<O>();
  /** Changes with every change of the book: values derived from the book are valid while it is the same. */
  version = 0;

  get bestBid(): Level<O> | null {
    return this.#bids.best;
  }

  get bestAsk(): Level<O> | null {
    return this.#asks.best;
  }

  /** Best level with which an order of `side` would trade. */
  bestAgainst(side: Side): Level<O> | null {
    return side === "buy" ? this.#asks.best : this.#bids.best;
  }

  /** True if the level's total stays exact after one more order. */
  hasRoom(side: Side, ticks: number, units: number): boolean {
    const level = (side === "buy" ? this.#bids : this.#asks).index.get(ticks);
    return level === undefined || Number.isSafeInteger(level.units + units);
  }

  /** Adds an order behind all others at its price. */
  add(order: O): void {
    this.version += 1;
    const half = order.side === "buy" ? this.#bids : this.#asks;
    const level = half.index.get(order.ticks);
    if (level === undefined) {
      openLevel(half, order);
      return;
    }
    order.level = level;
    order.ahead = level.last;
    level.last.behind = order;
    level.last = order;
    level.units += order.remaining;
    level.orderCount += 1;
  }

  /** Removes an order from any place in its queue. */
  remove(order: O): void {
    const level = order.level;
    if (level === null) return;
    this.version += 1;
    const { ahead, behind } = order;
    if (ahead === null && behind === null) {
      closeLevel(order.side === "buy" ? this.#bids : this.#asks, level);
    } else {
      if (ahead === null) level.first = behind as O;
      else ahead.behind = behind;
      if (behind === null) level.last = ahead as O;
      else behind.ahead = ahead;
      level.units -= order.remaining;
      level.orderCount -= 1;
    }
    order.level = null;
    order.ahead = null;
    order.behind = null;
  }

  /** Reduces an order, which keeps its place; an order with nothing left is removed. */
  reduce(order: O, units: number): void {
    if (units >= order.remaining) {
      this.remove(order);
      order.remaining = 0;
      return;
    }
    this.version += 1;
    order.remaining -= units;
    if (order.level !== null) order.level.units -= units;
  }
}

function openLevel<O extends Resting<O>>(half: BookHalf<O>, order: O): void {
  const { ticks, remaining } = order;
  const level: Level<O> = {
    ticks,
    units: remaining,
    orderCount: 1,
    first: order,
    last: order,
    better: null,
    worse: null,
  };
  order.level = level;
  const below = half.index.insert(ticks, level) ?? null;
  // Bids get better upward, asks downward: the neighbor below is the worse one for a bid and the better one for an ask.
  if (order.side === "buy") link(half, below === null ? half.worst : below.better, level, below);
  else link(half, below, level, below === null ? half.best : below.worse);
}

function link<O>(half: BookHalf<O>, better: Level<O> | null, level: Level<O>, worse: Level<O> | null): void {
  level.better = better;
  level.worse = worse;
  if (better === null) half.best = level;
  else better.worse = level;
  if (worse === null) half.worst = level;
  else worse.better = level;
}

function closeLevel<O>(half: BookHalf<O>, level: Level<O>): void {
  half.index.remove(level.ticks);
  if (level.better === null) half.best = level.worse;
  else level.better.worse = level.worse;
  if (level.worse === null) half.worst = level.better;
  else level.worse.better = level.better;
  // A removed level must not point to others: it would keep all later ones in memory.
  level.better = null;
  level.worse = null;
}
