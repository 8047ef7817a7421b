// The book without our own orders: what others offer. Prices read from a book that holds our own quotes chase themselves.

import { type Book, type Level, mid, settledBook } from "./book.ts";
import type { RestingPlace, TrackedOrder, VacatedPlace } from "./order.ts";
import { plainBook, plainOwn, showOthers } from "./shown-view.ts";
import { type Price, type Side, size } from "./units.ts";

/** What is known of where our orders rest, and rested a moment ago. */
export type OwnOrders = {
  readonly orders: readonly TrackedOrder[];
  readonly vacated: readonly VacatedPlace[];
  /** True: they rest in no book, which is of others alone. */
  readonly isPaper?: boolean;
};

/**
 * Takes the account's orders out of the book. Frames of the book come before or after the answers that move our orders, so each order
 * is taken out once, where the book shows it: where it rests, is being moved to, or rested a moment ago. A level that is exactly the
 * order is that order; one that rests for sure is else a part of a level that it shares. An order that is being placed, or has just
 * gone, is taken out of no shared level: at worst the book shows a little of our own size, rarely less than others have.
 * A level that becomes empty is removed.
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

/** Strategy, estimators and markouts ask the same of one book, and nothing of it changes: it is worked out once. */
const lastOf = new WeakMap<Book, Omit<OwnOrders, "isPaper"> & { readonly others: Book }>();

/** The mid of the others' book; undefined where it lacks a side. */
export const othersMid = (book: Book, own: OwnOrders): Price | undefined => mid(othersBook(book, own));

/** A level, and what is left of it once our orders are taken out. */
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

/** Places of one order, the likeliest first. `rests`: it is in the book. */
type Own = { readonly places: readonly RestingPlace[]; readonly rests: boolean };

/** Those that have one place first: they leave the others what they do not explain. */
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

/** What rests where the order was before its unanswered modifies: `remainingSize` counts the largest that they ask for. */
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
  // Fills that the book knows and we do not.
  find(({ left }, own) => left < own);
}

const isWhole = ({ left, count }: Remainder, own: bigint): boolean => count === 1 && left === own;
const isShared = ({ left, count }: Remainder, own: bigint): boolean => count > 1 && left > own;
