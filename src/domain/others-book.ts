// The book without our own orders, so that our prices do not follow our own quotes.

import { type Book, type Level, mid, settledBook } from "./book.ts";
import type { RestingPlace, TrackedOrder, VacatedPlace } from "./order.ts";
import { plainBook, plainOwn, showOthers } from "./shown-view.ts";
import { type Price, type Side, size } from "./units.ts";

/** What is known about where our orders rest, or rested a moment ago. */
export type OwnOrders = {
  readonly orders: readonly TrackedOrder[];
  readonly vacated: readonly VacatedPlace[];
  /** True: our orders are on paper, so the book has only others' orders. */
  readonly isPaper?: boolean;
};

/**
 * Removes the account's orders from the book. Frames arrive before or after the answers that move our orders, so each order is removed
 * once, at the place where the book shows it: where it rests, is being moved to, or rested a moment ago. A level of exactly our order's
 * size is that order; otherwise an order that surely rests is a part of a shared level. An order that is being placed, or is just gone, is
 * not removed from a shared level: at worst the book shows a little of our own size, and rarely less than others have. An empty level is
 * removed.
 */
export function othersBook(book: Book, own: OwnOrders): Book {
  if (own.isPaper) return book;
  return showOthers(book, othersIn(plainBook(book), plainOwn(book, own)));
}

function othersIn(book: Book, { orders, vacated }: Pick<OwnOrders, "orders" | "vacated">): Book {
  const last = lastOf.get(book);
  if (last?.orders === orders && last.vacated === vacated) return last.others;
  const { marketId, bids, asks } = settledBook(book);
  const own = { orders, vacated };
  const others = Object.freeze({
    marketId,
    bids: othersLevels(bids, own, "buy"),
    asks: othersLevels(asks, own, "sell"),
  });
  lastOf.set(book, { orders, vacated, others });
  return others;
}

/** Strategy, estimators and markouts need the same result for one book, so it is cached. */
const lastOf = new WeakMap<Book, Omit<OwnOrders, "isPaper"> & { readonly others: Book }>();

/** The mid of the others' book; undefined if a side is empty. */
export const othersMid = (book: Book, own: OwnOrders): Price | undefined => mid(othersBook(book, own));

/** A level, and what remains of it after removing our orders. */
type Remainder = { readonly level: Level; left: bigint; count: number };

function othersLevels(levels: readonly Level[], own: OwnOrders, side: Side): readonly Level[] {
  const known = ownOn(side, own);
  if (known.length === 0) return levels;
  const remainders = levels.map((level): Remainder => ({ level, left: level.size, count: level.orderCount }));
  for (const order of known) take(remainders, order);
  const kept: Level[] = [];
  for (const { level, left, count } of remainders) {
    if (left <= 0n || count <= 0) continue;
    kept.push(left === level.size ? level : Object.freeze({ ...level, size: size(left), orderCount: count }));
  }
  return kept;
}

/** Possible places of one order, the likeliest first. `rests`: it is surely in the book. */
type Own = { readonly places: readonly RestingPlace[]; readonly rests: boolean };

/** Orders with only one place come first: the others can only match what those leave unexplained. */
function ownOn(side: Side, { orders, vacated }: Omit<OwnOrders, "isPaper">): readonly Own[] {
  const settled: Own[] = [];
  const moving: Own[] = [];
  const left = Map.groupBy(vacated, (place) => (place.side === side ? place.orderId : undefined));
  left.delete(undefined);
  for (const order of orders) {
    if (order.side !== side || order.isConditional) continue;
    const { price, movingTo, orderId } = order;
    const places = [{ price, size: restingSize(order) }, ...movingTo, ...(left.get(orderId) ?? [])];
    left.delete(orderId);
    const rests = order.state === "working" || order.state === "canceling";
    (rests && places.length === 1 ? settled : moving).push({ places, rests });
  }
  for (const places of left.values()) moving.push({ places, rests: false });
  return [...settled, ...moving];
}

/** The size resting at the order's old place while modifies are unanswered; `remainingSize` includes the largest requested size. */
export function restingSize({ size: whole, remainingSize, pending }: TrackedOrder): RestingPlace["size"] {
  const more = pending !== null && pending.size > whole ? pending.size - whole : 0n;
  return size(remainingSize - more);
}

function take(remainders: readonly Remainder[], { places, rests }: Own): void {
  const find = (fits: (remainder: Remainder, own: bigint) => boolean): boolean => {
    for (const { price, size: own } of places) {
      const remainder = remainders.find(({ level }) => level.price === price);
      if (remainder === undefined || remainder.count <= 0 || !fits(remainder, own)) continue;
      remainder.left -= own;
      remainder.count -= 1;
      return true;
    }
    return false;
  };
  if (find(isWhole) || !rests || find(isShared)) return;
  // Our order is larger than the level: the book already has fills that we do not know yet.
  find(({ left }, own) => left < own);
}

const isWhole = ({ left, count }: Remainder, own: bigint): boolean => count === 1 && left === own;
const isShared = ({ left, count }: Remainder, own: bigint): boolean => count > 1 && left > own;
