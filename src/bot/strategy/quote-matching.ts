// Which resting order serves which wish, for one side: the most orders kept as they are, others moved, the rest canceled.

import type { TrackedOrder } from "../../domain/order.ts";
import type { Quote } from "../../domain/quotes.ts";
import { BPS, type OrderId, type Price, type Side, type Size } from "../../domain/units.ts";

/** The exchange has named it, and nothing of it is on its way: it may be changed. */
export type SettledOrder = TrackedOrder & { readonly orderId: OrderId };

/** How far an order may be from its quote and still be kept: a requote costs a transaction and the place in the queue. */
export type Tolerance = {
  /** Basis points of the wanted price. */
  readonly priceBps: number;
  /** How much smaller than wanted the rest of an order may be (fills nibble at it), basis points of the wanted size. */
  readonly smallerBps: number;
  /** How much larger. */
  readonly largerBps: number;
};

type Move = { readonly order: SettledOrder; readonly wish: Quote };

export type Match = {
  readonly moves: readonly Move[];
  readonly unwanted: readonly SettledOrder[];
  readonly unserved: readonly Quote[];
};

/**
 * `orders` are of one side, `wishes` of the same side, nearest the other side first; `edge` is the nearest wish of the other side,
 * which no order that stays may be in the way of. An order with a transaction on its way is left alone, and its slot waits for
 * the answer. Orders are taken for a wish by their price, whatever level they once stood for: so a new strategy, and a bot that
 * starts again, adopt what already rests.
 */
export function matchSide(
  wishes: readonly Quote[],
  orders: readonly TrackedOrder[],
  edge: Price | undefined,
  tolerance: Tolerance,
): Match {
  const settled = orders.filter(isSettled).sort(nearestFirst);
  const servedBy = keptOrders(
    wishes,
    settled.filter((order) => !meets(order.price, order.side, edge)),
    tolerance,
  );
  const free = settled.filter((order) => !servedBy.includes(order));
  const open = awaiting(
    wishes.filter((_, index) => servedBy[index] === undefined),
    orders.filter((order) => !isSettled(order) && order.state !== "canceling"),
    tolerance,
  );
  const { moves, orders: unwanted, wishes: left } = movesBetween(open, free);
  // One order a slot: the next one is placed when the old one has answered or gone.
  const unserved = left.filter((wish) =>
    orders.every((order) => order.level !== wish.level || servedBy.some((kept) => kept === order)),
  );
  return { moves, unwanted, unserved };
}

const isSettled = (order: TrackedOrder): order is SettledOrder =>
  order.state === "working" && order.orderId !== null && order.pending === null;

const nearestFirst = (a: TrackedOrder, b: TrackedOrder): number => {
  if (a.price === b.price) return 0;
  return a.price > b.price === (a.side === "buy") ? -1 : 1;
};

/**
 * The wishes that no unanswered order or move may already have granted. Each unanswered one stands for one wish: that at its very
 * price, else that of its slot, else one nearby, else, since where a move goes is not always known, the last of its kind.
 */
function awaiting(
  wishes: readonly Quote[],
  unanswered: readonly TrackedOrder[],
  tolerance: Tolerance,
): readonly Quote[] {
  let left = wishes;
  let orders = unanswered;
  const grant = (standsFor: (order: TrackedOrder, wish: Quote) => boolean) => {
    orders = orders.filter((order) => {
      const granted = left.find((wish) => order.reduceOnly === wish.reduceOnly && standsFor(order, wish));
      left = granted === undefined ? left : left.filter((wish) => wish !== granted);
      return granted === undefined;
    });
  };
  const goal = (order: TrackedOrder) => order.pending?.price ?? order.price;
  grant((order, wish) => goal(order) === wish.price);
  grant((order, wish) => order.level === wish.level);
  grant((order, wish) => isNear(goal(order), wish.price, tolerance));
  left = left.toReversed();
  grant(() => true);
  return left.toReversed();
}

/** For each wish the order that stays for it: a matching of the most pairs (augmenting paths, a dozen of each at most). */
function keptOrders(
  wishes: readonly Quote[],
  settled: readonly SettledOrder[],
  tolerance: Tolerance,
): readonly (SettledOrder | undefined)[] {
  const servedBy: (SettledOrder | undefined)[] = wishes.map(() => undefined);
  const serve = (index: number, tried: SettledOrder[]): boolean => {
    const wish = wishes[index];
    if (wish === undefined) return false;
    const { low, high } = reachOf(wish.price, tolerance);
    for (const order of settled) {
      if (order.price < low || order.price > high || tried.includes(order) || !fits(order, wish, tolerance)) continue;
      tried.push(order);
      const holder = servedBy.indexOf(order);
      if (holder >= 0 && !serve(holder, tried)) continue;
      servedBy[index] = order;
      return true;
    }
    return false;
  };
  for (const index of wishes.keys()) serve(index, []);
  return servedBy;
}

/** Beside being near in price. */
function fits(order: TrackedOrder, wish: Quote, tolerance: Tolerance): boolean {
  return (
    wish.intent === "rest" &&
    order.reduceOnly === wish.reduceOnly &&
    isEnough(order.remainingSize, wish.size, tolerance)
  );
}

/** Whether an order of `side` at this price would trade with one of the other side at `edge`. */
export const meets = (at: Price, side: Side, edge: Price | undefined): boolean =>
  edge !== undefined && (side === "buy" ? at >= edge : at <= edge);

/** The prices that count as `wanted`. */
function reachOf(wanted: Price, { priceBps }: Tolerance): { readonly low: bigint; readonly high: bigint } {
  const reach = (wanted * BigInt(priceBps)) / BPS;
  return { low: wanted - reach, high: wanted + reach };
}

export function isNear(at: Price, wanted: Price, tolerance: Tolerance): boolean {
  const { low, high } = reachOf(wanted, tolerance);
  return at >= low && at <= high;
}

export function isEnough(remaining: Size, wanted: Size, { smallerBps, largerBps }: Tolerance): boolean {
  if (remaining === wanted) return true;
  if (remaining > wanted) return (remaining - wanted) * BPS <= wanted * BigInt(largerBps);
  return (wanted - remaining) * BPS <= wanted * BigInt(smallerBps);
}

/** What pairing made of wishes and orders: the pairs, and what is left of both. */
type Pairing = {
  readonly moves: readonly Move[];
  readonly orders: readonly SettledOrder[];
  readonly wishes: readonly Quote[];
};

/**
 * One modify stands for a cancel and a place. First those that stay at their price, since a smaller size keeps the place in the
 * queue (S4.6); then by rank of price. Whether an order reduces only, and whether it posts only, cannot be modified.
 */
function movesBetween(open: readonly Quote[], free: readonly SettledOrder[]): Pairing {
  const moves: Move[] = [];
  const orders = [...free];
  const pair = (wishes: readonly Quote[], admits: (order: SettledOrder, wish: Quote) => boolean): readonly Quote[] =>
    wishes.filter((wish) => {
      const found = orders.findIndex(
        (order) =>
          order.postOnly && wish.intent === "rest" && order.reduceOnly === wish.reduceOnly && admits(order, wish),
      );
      const [order] = found === -1 ? [] : orders.splice(found, 1);
      if (order !== undefined) moves.push({ order, wish });
      return order === undefined;
    });
  const elsewhere = pair(open, (order, wish) => order.price === wish.price);
  const wishes = pair(elsewhere, () => true);
  return { moves, orders, wishes };
}
