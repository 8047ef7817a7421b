// The book without our own orders: what others offer. Prices read from a book that holds our own quotes chase themselves.

import { type Book, type Level, mid } from "./book.ts";
import type { TrackedOrder } from "./order.ts";
import { type Price, type Side, size } from "./units.ts";

/**
 * Takes the account's orders out of the book. One that rests counts where the exchange last said it was. Frames come before answers: one that
 * is being placed or moved counts where a level is exactly it, or quotes would follow it back and forth. One in doubt is not taken
 * out: at worst the book shows a little of ourselves, hardly ever less than others have.
 * A level that empties is gone.
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
