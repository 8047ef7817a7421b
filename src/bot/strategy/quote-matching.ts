// Which resting order stands for which target quote, on one side: keeps as many orders as it can, moves others, cancels the rest.

import type { TrackedOrder } from "../../domain/order.ts";
import type { Quote } from "../../domain/quotes.ts";
import { BPS, type OrderId, type Price, type Side, type Size } from "../../domain/units.ts";

/** The exchange has named it, so it can be canceled. */
export type NamedOrder = TrackedOrder & { readonly orderId: OrderId };

/** How far an order may be from its quote and still be kept: a requote costs a transaction and the place in the queue. */
export type Tolerance = {
  /** From the wanted price, either way. */
  readonly reach: Price;
  /** How much further behind the wanted price it may be where it has a good place in the queue. */
  readonly placeReach: Price;
  /** How much smaller than wanted the rest of an order may be (partial fills reduce it), basis points of the wanted size. */
  readonly smallerBps: number;
  /** How much larger. */
  readonly largerBps: number;
};

type Move = { readonly order: NamedOrder; readonly target: Quote };

export type Match = {
  readonly moves: readonly Move[];
  /** To be canceled: no target wants them, or the answer to a modify was lost and nobody knows at what price they rest. */
  readonly unwanted: readonly NamedOrder[];
  readonly unmatched: readonly Quote[];
  /** Targets for which no order rests yet, those with a transaction on its way among them. */
  readonly unmet: readonly Quote[];
  /** Orders that no target wants, those with a cancel on its way among them. */
  readonly extra: readonly TrackedOrder[];
};

/**
 * `orders` are of one side, `targets` of the same side, nearest the other side first; `edge` is the nearest target of the other side,
 * which no order that stays may be in the way of. An order with a transaction on its way is left alone, and its slot waits for
 * the answer. Orders are matched to a target by their price, whatever level they once stood for: so a new strategy, and a bot that
 * starts again, adopt what already rests.
 */
export function matchSide(
  targets: readonly Quote[],
  orders: readonly TrackedOrder[],
  edge: Price | undefined,
  tolerance: Tolerance,
): Match {
  const settled = orders.filter(isSettled).sort(nearestFirst);
  const matchedBy = keptOrders(
    targets,
    settled.filter((order) => !meets(order.price, order.side, edge)),
    tolerance,
  );
  const free = settled.filter((order) => !matchedBy.includes(order));
  const unmet = targets.filter((_, index) => matchedBy[index] === undefined);
  const open = awaiting(
    unmet,
    orders.filter((order) => !isSettled(order) && order.state !== "canceling"),
    tolerance,
  );
  const { moves, orders: notWanted, targets: left } = movesBetween(open, free);
  // One order per slot: the next one is placed when the old one has answered or gone.
  const unmatched = left.filter((target) =>
    orders.every((order) => order.level !== target.level || matchedBy.some((kept) => kept === order)),
  );
  const extra = [...notWanted, ...orders.filter(({ state }) => state === "canceling")];
  const unwanted = [...notWanted, ...orders.filter(isModifyLost)];
  return { moves, unwanted, unmatched, unmet, extra };
}

/** The exchange has acknowledged it and no transaction of it is on its way: it may be changed. */
const isSettled = (order: TrackedOrder): order is NamedOrder =>
  order.state === "working" && order.orderId !== null && order.pending === null;

/** The answer to a modify was lost. Until that is resolved, which can take a minute, it may rest at a price that was left for a reason. */
const isModifyLost = (order: TrackedOrder): order is NamedOrder => order.state === "unknown" && order.orderId !== null;

const nearestFirst = (a: TrackedOrder, b: TrackedOrder): number => {
  if (a.price === b.price) return 0;
  return a.price > b.price === (a.side === "buy") ? -1 : 1;
};

/**
 * The targets that no unanswered order or move may already meet. Each unanswered one stands for one target: that at its very
 * price, else that of its slot, else one nearby, else, since where a move goes is not always known, the last of its kind.
 */
function awaiting(
  targets: readonly Quote[],
  unanswered: readonly TrackedOrder[],
  tolerance: Tolerance,
): readonly Quote[] {
  let left = targets;
  let orders = unanswered;
  const take = (standsFor: (order: TrackedOrder, target: Quote) => boolean) => {
    orders = orders.filter((order) => {
      const met = left.find((target) => order.reduceOnly === target.reduceOnly && standsFor(order, target));
      left = met === undefined ? left : left.filter((target) => target !== met);
      return met === undefined;
    });
  };
  const goal = (order: TrackedOrder) => order.pending?.price ?? order.price;
  take((order, target) => goal(order) === target.price);
  take((order, target) => order.level === target.level);
  take((order, target) => isNear(goal(order), target.price, tolerance));
  left = left.toReversed();
  take(() => true);
  return left.toReversed();
}

/** For each target the order that stays for it: a matching of the most pairs (augmenting paths, a dozen of each at most). */
function keptOrders(
  targets: readonly Quote[],
  settled: readonly NamedOrder[],
  tolerance: Tolerance,
): readonly (NamedOrder | undefined)[] {
  const matchedBy: (NamedOrder | undefined)[] = targets.map(() => undefined);
  const match = (index: number, tried: NamedOrder[]): boolean => {
    const target = targets[index];
    if (target === undefined) return false;
    for (const order of settled) {
      if (tried.includes(order) || !isPlaced(order, target.price, tolerance) || !fits(order, target, tolerance))
        continue;
      tried.push(order);
      const holder = matchedBy.indexOf(order);
      if (holder >= 0 && !match(holder, tried)) continue;
      matchedBy[index] = order;
      return true;
    }
    return false;
  };
  for (const index of targets.keys()) match(index, []);
  return matchedBy;
}

/** Near enough to the wanted price; or behind it, where moving would give up a good place for little. One too near the other side moves. */
function isPlaced(order: TrackedOrder, wanted: Price, tolerance: Tolerance): boolean {
  if (isNear(order.price, wanted, tolerance)) return true;
  const behind = order.side === "buy" ? wanted - order.price : order.price - wanted;
  return behind > 0n && behind <= tolerance.reach + tolerance.placeReach && hasGoodPlace(order);
}

/** Before it stands a tenth of its own size at most. */
const hasGoodPlace = ({ queueAhead, remainingSize }: TrackedOrder): boolean =>
  queueAhead !== null && queueAhead * 10n <= remainingSize;

/** All but the price, which the caller compares. */
function fits(order: TrackedOrder, target: Quote, tolerance: Tolerance): boolean {
  return (
    target.intent === "rest" &&
    order.reduceOnly === target.reduceOnly &&
    isEnough(order.remainingSize, target.size, tolerance)
  );
}

/** Whether an order of `side` at this price would trade with one of the other side at `edge`. */
export const meets = (at: Price, side: Side, edge: Price | undefined): boolean =>
  edge !== undefined && (side === "buy" ? at >= edge : at <= edge);

/** The prices that count as `wanted`. */
const reachOf = (wanted: Price, { reach }: Tolerance): { readonly low: bigint; readonly high: bigint } => ({
  low: wanted - reach,
  high: wanted + reach,
});

export function isNear(at: Price, wanted: Price, tolerance: Tolerance): boolean {
  const { low, high } = reachOf(wanted, tolerance);
  return at >= low && at <= high;
}

export function isEnough(remaining: Size, wanted: Size, { smallerBps, largerBps }: Tolerance): boolean {
  if (remaining === wanted) return true;
  if (remaining > wanted) return (remaining - wanted) * BPS <= wanted * BigInt(largerBps);
  return (wanted - remaining) * BPS <= wanted * BigInt(smallerBps);
}

/** The pairs of orders and targets, and what remains of both. */
type Pairing = {
  readonly moves: readonly Move[];
  readonly orders: readonly NamedOrder[];
  readonly targets: readonly Quote[];
};

/**
 * One modify stands for a cancel and a place. First those that stay at their price, since a smaller size keeps the place in the
 * queue (S4.6); then by rank of price. Whether an order reduces only, and whether it posts only, cannot be modified.
 */
function movesBetween(open: readonly Quote[], free: readonly NamedOrder[]): Pairing {
  const moves: Move[] = [];
  const orders = [...free];
  const pair = (targets: readonly Quote[], admits: (order: NamedOrder, target: Quote) => boolean): readonly Quote[] =>
    targets.filter((target) => {
      const found = orders.findIndex(
        (order) =>
          order.postOnly && target.intent === "rest" && order.reduceOnly === target.reduceOnly && admits(order, target),
      );
      const [order] = found === -1 ? [] : orders.splice(found, 1);
      if (order !== undefined) moves.push({ order, target });
      return order === undefined;
    });
  const elsewhere = pair(open, (order, target) => order.price === target.price);
  const targets = pair(elsewhere, () => true);
  return { moves, orders, targets };
}
