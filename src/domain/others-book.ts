// The book without our own orders: what others offer. Prices read from a book that holds our own quotes chase themselves.

import { type Book, type Level, mid } from "./book.ts";
import type { TrackedOrder } from "./order.ts";
import { type Price, type Side, size } from "./units.ts";

/**
 * Takes the account's orders out of the book. A resting order is taken out where the exchange last reported it. Frames come before
 * answers: an order that is being placed or moved is taken out where a level equals it exactly, or quotes would follow it back and
 * forth. An unresolved order stays in: at worst the book shows a little of our own size, rarely less than others have.
 * A level that becomes empty is removed.
 */
export function othersBook(book: Book, orders: readonly TrackedOrder[]): Book {
  return {
    marketId: book.marketId,
    bids: othersLevels(book.bids, orders, "buy"),
    asks: othersLevels(book.asks, orders, "sell"),
  };
}

/** The mid of the others' book; undefined where it lacks a side. */
export const othersMid = (book: Book, orders: readonly TrackedOrder[]): Price | undefined =>
  mid(othersBook(book, orders));

function othersLevels(levels: readonly Level[], orders: readonly TrackedOrder[], side: Side): readonly Level[] {
  const own: { readonly order: TrackedOrder; readonly at: Price }[] = [];
  for (const order of orders) {
    const at = order.side === side ? placeOf(order, levels) : undefined;
    if (at !== undefined) own.push({ order, at });
  }
  if (own.length === 0) return levels;
  const kept: Level[] = [];
  for (const level of levels) {
    let left: bigint = level.size;
    let count = level.orderCount;
    for (const { order, at } of own) {
      if (at !== level.price) continue;
      left -= order.remainingSize;
      count -= 1;
    }
    if (left > 0n && count > 0)
      kept.push(left === level.size ? level : { ...level, size: size(left), orderCount: count });
  }
  return kept;
}

/** The price of the level that the order is part of; undefined: it is in no level that can be identified. */
function placeOf(order: TrackedOrder, levels: readonly Level[]): Price | undefined {
  const { price, pending, state } = order;
  if (state === "unknown" || order.isConditional) return undefined;
  if (state === "inFlight") return isAlone(order, price, levels) ? price : undefined;
  if (pending === null || pending.price === price || isAlone(order, price, levels)) return price;
  return isAlone(order, pending.price, levels) ? pending.price : price;
}

const isAlone = ({ remainingSize }: TrackedOrder, at: Price, levels: readonly Level[]): boolean =>
  levels.some(({ price, size: whole, orderCount }) => price === at && orderCount === 1 && whole === remainingSize);
