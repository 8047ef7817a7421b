// The exchange's list of open orders against the tracked ones, order by order: what a list says beyond the states that we held.

import type { OpenOrders } from "../../domain/account.ts";
import type { Order } from "../../domain/order.ts";
import { type OrderId, type Size, size } from "../../domain/units.ts";
import type { PlaceWord } from "./doubts.ts";
import type { Span } from "./evidence.ts";
import { endOrder, forgetOrder, reprice, reshape, type Tracking } from "./order-changes.ts";
import type { OrderEventOf } from "./order-event.ts";
import { adopt, claimReceived, confirmForeign, isConditional } from "./order-frames.ts";
import {
  ABSENT,
  isAnyUnnamed,
  isResting,
  type PastRecord,
  recordOf,
  type TrackedRecord,
  termsOf,
} from "./order-records.ts";

/** What a list says of each order of the account that it can judge. Orders that nobody knew count from now on. */
export function judgeList(
  tracking: Tracking,
  { openOrders, unreadable }: OpenOrders,
  span: Span,
): readonly PlaceWord[] {
  const { records } = tracking;
  const words: PlaceWord[] = [];
  const listed = new Set<OrderId>(unreadable.flatMap(({ orderId }) => orderId ?? []));
  for (const order of openOrders) {
    listed.add(order.orderId);
    const known = recordOf(records, order.orderId);
    if (known?.kind === "tracked") {
      words.push(wordOfTracked(known, order, span));
      learnTerms(tracking, known, order);
    } else if (known?.kind === "past") words.push(wordOfPast(known, order, span));
    else words.push(...wordOfUnknown(tracking, order, span));
  }
  for (const record of records.live) {
    const { orderId } = record.order;
    if (orderId === null || listed.has(orderId) || !isResting(record)) continue;
    if (record.origin === "listed" || record.origin === "missed") miss(tracking, record, span);
    else words.push(wordOfMissing(record, orderId, span));
  }
  return words;
}

/** The lists of both witnesses, twice: what they lack is over, and what they have is as they say. */
export function adopted(tracking: Tracking, { marketId, lists }: OrderEventOf<"adopted">): void {
  const { records } = tracking;
  const listed = new Set<OrderId>(lists.unreadable.flatMap(({ orderId }) => orderId ?? []));
  for (const order of lists.openOrders) {
    listed.add(order.orderId);
    const known = recordOf(records, order.orderId);
    if (marketId !== null && order.marketId !== marketId) continue;
    if (known === undefined) adopt(tracking, order, order.filledSize, "listed");
    if (known?.kind !== "tracked" || known.end !== null) continue;
    known.filled = order.filledSize;
    reprice(tracking, known, order);
    reshape(records, known, {});
  }
  for (const record of [...records.live]) {
    const { order, state, end } = record;
    // What nobody has answered or resolved may still land.
    const isOpen = state === "unknown" || state === "inFlight" || (order.orderId !== null && listed.has(order.orderId));
    if (isOpen || (marketId !== null && order.marketId !== marketId)) continue;
    if (state === "executed") claimReceived(tracking, record);
    forgetOrder(tracking, record, end?.why ?? "reasonUnknown", end?.reason ?? null);
  }
}

const keyOf = (orderId: OrderId): string => `order:${orderId}`;

/** While a modify of it is unanswered, and once its cancel is, only the answer tells. */
const isChanging = ({ modifies, state, cancelsInFlight }: TrackedRecord): boolean =>
  modifies.size > 0 || state === "unknown" || cancelsInFlight > 0;

function wordOfTracked(record: TrackedRecord, listed: Order, span: Span): PlaceWord {
  const { order, filled, end, held } = record;
  const { marketId, side } = order;
  const place = { key: keyOf(listed.orderId), marketId };
  if (record.modifies.size > 0 || record.state === "unknown") return { ...place, differs: undefined };
  if (end !== null) {
    if (end.atMs >= span.fromMs) return { ...place, differs: null };
    return { ...place, differs: reappeared(listed, beyond(listed, order.remainingSize)) };
  }
  const found = termsOf(listed.price, listed.size, listed.filledSize);
  if (held.wasHeld(found, termsOf(order.price, order.size, filled), span)) return { ...place, differs: null };
  const more = beyond(listed, order.remainingSize);
  if (order.price !== listed.price) {
    const words = { what: "orderPrice", expected: `${order.price}`, found: `${listed.price}` } as const;
    return { ...place, differs: { ...words, adds: { side, contracts: more } } };
  }
  const words = {
    what: "orderRemaining",
    expected: `${order.remainingSize}`,
    found: `${listed.remainingSize}`,
  } as const;
  return { ...place, differs: { ...words, adds: { side, contracts: more } } };
}

const beyond = ({ remainingSize }: Order, known: Size): Size =>
  size(remainingSize > known ? remainingSize - known : 0n);

/** An order that an event has ended is not revived: what is listed of it counts, and a resync tells. */
const reappeared = ({ orderId, side }: Order, contracts: Size) =>
  ({ what: "orderReappeared", expected: "ended", found: `${orderId}`, adds: { side, contracts } }) as const;

function wordOfPast({ endedMs }: Pick<PastRecord, "endedMs">, listed: Order, { fromMs }: Span): PlaceWord {
  const place = { key: keyOf(listed.orderId), marketId: listed.marketId };
  const isOld = endedMs !== null && endedMs >= fromMs;
  return { ...place, differs: isOld ? null : reappeared(listed, listed.remainingSize) };
}

/**
 * An order of ours whose answer is not here may be the one that is listed: it counts already, and only events tell whether this is it. One
 * whose market was cleared after it no longer rests.
 */
function wordOfUnknown(tracking: Tracking, order: Order, span: Span): readonly PlaceWord[] {
  const { orderId, marketId, side, filledSize } = order;
  const received = tracking.records.received.get(orderId);
  if (received?.end != null) return [wordOfPast({ endedMs: received.end.atMs }, order, span)];
  const mayBeOurs = isAnyUnnamed(tracking.records, marketId, side, span.fromMs) && !isConditional(order);
  if (!mayBeOurs)
    adopt(
      tracking,
      order,
      received !== undefined && received.filled > filledSize ? received.filled : filledSize,
      "listed",
    );
  return [];
}

/** A list of before it was named lacks it. One that only reduces may have filled when the position was another. */
function wordOfMissing(record: TrackedRecord, orderId: OrderId, span: Span): PlaceWord {
  const { order, filled, held } = record;
  const { marketId, side, reduceOnly, remainingSize, price, size: whole } = order;
  const place = { key: keyOf(orderId), marketId };
  if (isChanging(record)) return { ...place, differs: undefined };
  if (held.wasHeld(ABSENT, termsOf(price, whole, filled), span)) return { ...place, differs: null };
  const adds = { side, contracts: size(reduceOnly ? remainingSize : 0n) };
  return { ...place, differs: { what: "orderMissing", expected: "listed", found: "none", adds } };
}

/** One list alone named it, and no event: two later lists that lack it outweigh that. What is left of it counts as filled until reads tell. */
function miss(tracking: Tracking, record: TrackedRecord, span: Span): void {
  const { order, filled, held, origin } = record;
  if (held.wasHeld(ABSENT, termsOf(order.price, order.size, filled), span)) return;
  if (origin === "listed") record.origin = "missed";
  else endOrder(tracking, record, { why: "reasonUnknown", reason: null });
}

/** Frames lack some terms of an order that is not ours; a list has them all, and a second look at it is no race. */
function learnTerms(tracking: Tracking, record: TrackedRecord, listed: Order): void {
  const { order, origin, sentMs } = record;
  if (origin === "ours") return;
  const { reduceOnly, postOnly } = listed;
  const waits = isConditional(listed);
  if (order.reduceOnly !== reduceOnly || order.postOnly !== postOnly || order.isConditional !== waits)
    reshape(tracking.records, record, { reduceOnly, postOnly, isConditional: waits });
  if ((origin === "listed" || origin === "missed") && tracking.nowMs > sentMs) confirmForeign(tracking, record);
}
