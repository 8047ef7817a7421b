// The book without our own orders: what others offer. Prices read from a book that holds our own quotes chase themselves.

import type { Book, Level } from "../domain/book.ts";
import type { TrackedOrder } from "../domain/order.ts";
import { type Side, size } from "../domain/units.ts";

/**
 * Takes our resting orders out of the book. An order counts where the exchange last said it was; one whose answer is out is not
 * taken out, so at worst the book shows a little of ourselves, never less than others have. A level that empties is gone.
 */
export function othersBook(book: Book, orders: readonly TrackedOrder[]): Book {
  return {
    marketId: book.marketId,
    bids: othersLevels(book.bids, orders, "buy"),
    asks: othersLevels(book.asks, orders, "sell"),
  };
}

function othersLevels(levels: readonly Level[], orders: readonly TrackedOrder[], side: Side): readonly Level[] {
  const own = orders.filter((order) => order.side === side && isResting(order));
  if (own.length === 0) return levels;
  const kept: Level[] = [];
  for (const level of levels) {
    let left: bigint = level.size;
    let count = level.orderCount;
    for (const order of own) {
      if (order.price !== level.price) continue;
      left -= order.remainingSize;
      count -= 1;
    }
    if (left > 0n && count > 0)
      kept.push(left === level.size ? level : { ...level, size: size(left), orderCount: count });
  }
  return kept;
}

const isResting = (order: TrackedOrder): boolean => order.state === "working" || order.state === "canceling";
