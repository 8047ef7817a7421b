// Matches resting orders to target quotes, on one side: keeps as many orders as it can, moves others, cancels the rest.

import type { TrackedOrder } from "../../domain/order.ts";
import type { Quote } from "../../domain/quotes.ts";
import { BPS, type OrderId, type Price, type Side, type Size } from "../../domain/units.ts";
import { FreeSlots } from "../../kernel/free-slots.ts";

/** The exchange has named it, so it can be canceled. */
export type NamedOrder = TrackedOrder & { readonly orderId: OrderId };

/** How far an order may be from its quote and still be kept: a requote costs a transaction and the place in the queue. */
export type Tolerance = {
  /** From the wanted price, in either direction. */
  readonly reach: Price;
  /** How much further behind the wanted price an order with a good place in the queue may be. */
  readonly placeReach: Price;
  /** How much smaller than wanted the rest of an order may be (partial fills reduce it), basis points of the wanted size. */
  readonly smallerBps: number;
  /** How much larger. */
  readonly largerBps: number;
};

type Move = { readonly order: NamedOrder; readonly target: Quote };

export type Match = {
  readonly moves: readonly Move[];
  /** To be canceled: no target wants them, or the answer to a modify was lost and their price is unknown. */
  readonly unwanted: readonly NamedOrder[];
  readonly unmatched: readonly Quote[];
  /** Targets without a resting order, including those with a transaction on its way. */
  readonly unmet: readonly Quote[];
  /** Orders that no target wants, including those with a cancel on its way. */
  readonly extra: readonly TrackedOrder[];
};

/**
 * `orders` and `targets` are of one side, nearest the other side first; `edge`: the nearest target of the other side, which no remaining
 * order may cross. An order with a transaction on its way is left alone, and its slot waits for the answer. Orders are matched by price,
 * whatever level they once had: so a new strategy, or a restarted bot, adopts what already rests.
 */
export function matchSide(
  targets: readonly Quote[],
  orders: readonly TrackedOrder[],
  edge: Price | undefined,
  tolerance: Tolerance,
): Match {
  const settled = orders.filter(isSettled).sort(nearestFirst);
  const kept = keptOrders(
    targets,
    settled.filter((order) => !meets(order.price, order.side, edge)),
    tolerance,
  );
  const unmet = targets.filter((_, at) => kept.targets[at] !== true);
  const open = awaiting(
    unmet,
    orders.filter((order) => !isSettled(order) && order.state !== "canceling"),
    tolerance,
  );
  const free = settled.filter((order) => !kept.orders.has(order));
  const { moves, orders: notWanted, targets: left } = movesBetween(open, free);
  // One order per slot: the next one is placed when the old one has answered or gone.
  const unmatched = left.length === 0 ? left : notHeld(left, orders, kept);
  const extra = [...notWanted, ...orders.filter(({ state }) => state === "canceling")];
  const unwanted = [...notWanted, ...orders.filter(isModifyLost)];
  return { moves, unwanted, unmatched, unmet, extra };
}

/** Targets whose level holds only orders that stay. */
function notHeld(targets: readonly Quote[], orders: readonly TrackedOrder[], kept: Kept): readonly Quote[] {
  const held = new Set(orders.filter((order) => !kept.orders.has(order)).map(({ level }) => level));
  return targets.filter(({ level }) => !held.has(level));
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

/** Distance from the other side: smaller is nearer. */
const depthOf = (at: Price, side: Side): bigint => (side === "buy" ? -at : at);

const depthsOf = (placed: readonly Pick<Quote, "price" | "side">[]): readonly bigint[] =>
  placed.map(({ price, side }) => depthOf(price, side));

/** Returns the first index at `depth` or further, in a list from nearest to furthest. */
function firstFrom(depths: readonly bigint[], depth: bigint): number {
  let [low, high] = [0, depths.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((depths[middle] as bigint) < depth) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the targets that no unanswered order or move may already meet. Each unanswered one counts for one target: the one at its exact
 * price, else that of its slot, else one nearby, else, since a move's destination is not always known, the last of its kind.
 */
function awaiting(
  targets: readonly Quote[],
  unanswered: readonly TrackedOrder[],
  tolerance: Tolerance,
): readonly Quote[] {
  if (unanswered.length === 0 || targets.length === 0) return targets;
  const met = new Set<Quote>();
  for (const reduceOnly of [false, true]) {
    const ofKind = unanswered.filter((order) => order.reduceOnly === reduceOnly);
    if (ofKind.length > 0)
      meet(
        ofKind,
        targets.filter((target) => target.reduceOnly === reduceOnly),
        tolerance,
        met,
      );
  }
  return targets.filter((target) => !met.has(target));
}

/** Adds to `met` the targets, nearest first and of one kind, that orders of this kind may meet. */
function meet(
  unanswered: readonly TrackedOrder[],
  targets: readonly Quote[],
  { reach }: Tolerance,
  met: Set<Quote>,
): void {
  const free = new FreeSlots(targets.length);
  const depths = depthsOf(targets);
  let orders = unanswered;
  const pass = (find: (order: TrackedOrder) => number | undefined): boolean => {
    orders = orders.filter((order) => {
      const at = find(order);
      if (at === undefined || !free.isFree(at)) return true;
      free.take(at);
      met.add(targets[at] as Quote);
      return false;
    });
    return orders.length > 0;
  };
  const within = (order: TrackedOrder, around: bigint): number | undefined => {
    const goal = depthOf(order.pending?.price ?? order.price, order.side);
    const at = free.from(firstFrom(depths, goal - around));
    return at < depths.length && (depths[at] as bigint) <= goal + around ? at : undefined;
  };
  if (!pass((order) => within(order, 0n))) return;
  const levels = new Map<number | null, number>(targets.map(({ level }, at) => [level, at]));
  if (!pass(({ level }) => levels.get(level)) || !pass((order) => within(order, reach))) return;
  let last = targets.length - 1;
  pass(() => {
    while (last >= 0 && !free.isFree(last)) last -= 1;
    return last < 0 ? undefined : last;
  });
}

/** Whether each target has an order that stays, and those orders. */
type Kept = { readonly targets: boolean[]; readonly orders: Set<TrackedOrder> };

/** Orders examined for one target. Usually some dozen are near a quote; with this many, one needless move matters little. */
const LOOKS_MAX = 256;

/**
 * A maximum matching, by augmenting paths: a target takes a free order, or one whose own target can take another. Orders seen by a failed
 * search never help later, so all failed searches together see each order once.
 */
function keptOrders(targets: readonly Quote[], settled: readonly NamedOrder[], tolerance: Tolerance): Kept {
  // Most turns change nothing.
  if (targets.length === settled.length && targets.every((target, at) => stays(settled[at], target, tolerance)))
    return { targets: targets.map(() => true), orders: new Set(settled) };
  const kept: Kept = { targets: targets.map(() => false), orders: new Set() };
  if (settled.length === 0) return kept;
  const { reach, placeReach } = tolerance;
  const depths = depthsOf(settled);
  const [free, held] = [new FreeSlots(settled.length), new FreeSlots(settled.length)];
  /** Index of the target that each order stays for. */
  const holders: (number | undefined)[] = [];
  const seen = new Set<number>();
  let looks = 0;
  const match = (index: number): boolean => {
    const target = targets[index] as Quote;
    const depth = depthOf(target.price, target.side);
    const from = firstFrom(depths, depth - reach);
    const most = depth + reach + placeReach;
    const isNear = (at: number): boolean => at < depths.length && (depths[at] as bigint) <= most && looks < LOOKS_MAX;
    for (let at = free.from(from); isNear(at); at = free.from(at + 1)) {
      looks += 1;
      if (!stays(settled[at], target, tolerance)) continue;
      free.take(at);
      holders[at] = index;
      return true;
    }
    for (let at = held.from(from); isNear(at); at = held.from(at + 1)) {
      looks += 1;
      const holder = holders[at];
      if (holder === undefined || seen.has(at) || !stays(settled[at], target, tolerance)) continue;
      seen.add(at);
      if (!match(holder)) continue;
      holders[at] = index;
      return true;
    }
    return false;
  };
  for (const [index, { intent }] of targets.entries()) {
    if (intent !== "rest") continue;
    looks = 0;
    const isVain = !match(index) && looks < LOOKS_MAX;
    if (isVain) for (const at of seen) held.take(at);
    if (seen.size > 0) seen.clear();
  }
  for (const [at, holder] of holders.entries()) {
    if (holder === undefined) continue;
    kept.targets[holder] = true;
    kept.orders.add(settled[at] as NamedOrder);
  }
  return kept;
}

/** Whether the order may stay for the target. */
const stays = (
  order: NamedOrder | undefined,
  { price, size, reduceOnly, intent }: Quote,
  tolerance: Tolerance,
): boolean =>
  order !== undefined &&
  intent === "rest" &&
  order.reduceOnly === reduceOnly &&
  isPlaced(order, price, tolerance) &&
  isEnough(order.remainingSize, size, tolerance);

/** Near enough to the wanted price; or behind it, where moving gives up a good place for little. One too near the other side moves. */
function isPlaced(order: TrackedOrder, wanted: Price, tolerance: Tolerance): boolean {
  if (isNear(order.price, wanted, tolerance)) return true;
  const behind = order.side === "buy" ? wanted - order.price : order.price - wanted;
  return behind > 0n && behind <= tolerance.reach + tolerance.placeReach && hasGoodPlace(order);
}

/** At most a tenth of its own size is ahead of it. */
const hasGoodPlace = ({ queueAhead, remainingSize }: TrackedOrder): boolean =>
  queueAhead !== null && queueAhead * 10n <= remainingSize;

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
 * A modify replaces a cancel and a place. First the orders that stay at their price, since a smaller size keeps the place in the queue
 * (S4.6); then by rank of price. Reduce-only and post-only cannot be modified.
 */
function movesBetween(open: readonly Quote[], free: readonly NamedOrder[]): Pairing {
  const moves: Move[] = [];
  if (open.length === 0 || free.length === 0) return { moves, orders: free, targets: open };
  const kinds = [false, true].map((reduceOnly) => {
    const orders = free.filter((order) => order.postOnly && order.reduceOnly === reduceOnly);
    return {
      orders,
      depths: depthsOf(orders),
      left: new FreeSlots(orders.length),
    };
  });
  const pair = (targets: readonly Quote[], isAtPrice: boolean): readonly Quote[] =>
    targets.filter((target) => {
      const kind = kinds[target.reduceOnly ? 1 : 0];
      if (kind === undefined || target.intent !== "rest") return true;
      const { orders, depths, left } = kind;
      const depth = depthOf(target.price, target.side);
      const at = left.from(isAtPrice ? firstFrom(depths, depth) : 0);
      const order = orders[at];
      if (order === undefined || (isAtPrice && depths[at] !== depth)) return true;
      left.take(at);
      moves.push({ order, target });
      return false;
    });
  const elsewhere = pair(open, true);
  const targets = pair(elsewhere, false);
  const moved = new Set(moves.map(({ order }) => order));
  return { moves, orders: free.filter((order) => !moved.has(order)), targets };
}
