// Compares the exchange's lists of open orders with the tracked ones, order by order: where a list differs from the states that we held,
// and what an agreed resync changes.

import type { OpenOrders } from "../../../domain/account.ts";
import { isConditional, type Order } from "../../../domain/order.ts";
import { type MarketId, type OrderId, type Size, size } from "../../../domain/units.ts";
import type { PlaceWord } from "../doubts.ts";
import type { Span } from "../evidence.ts";
import { endOrder, forgetOrder, setTerms, update } from "./changes.ts";
import { learnRowSize, type Meaning, meaningsOf } from "./dialect.ts";
import { attributeUnidentified, confirmForeign, trackResting } from "./ownership.ts";
import { ABSENT, awaitsId, type Orders, type PastRecord, recordOf, type TrackedRecord, termsOf } from "./records.ts";
import { mayRest } from "./states.ts";
import { identifyByList, judgeUnshown, showCancels, showModifies } from "./unshown.ts";

/** Returns a list's word on each order of the account that it can judge. Orders that were not tracked count from now on. */
export function compareList(orders: Orders, { openOrders, unreadable }: OpenOrders, span: Span): readonly PlaceWord[] {
  const words: PlaceWord[] = [];
  orders.areRowsUnclear ||= openOrders.some(({ unclearSize }) => unclearSize !== undefined);
  identifyByList(orders, openOrders, span);
  const listed = new Set<OrderId>(unreadable.flatMap(({ orderId }) => orderId ?? []));
  for (const order of openOrders) {
    listed.add(order.orderId);
    const known = recordOf(orders, order.orderId);
    if (known?.kind === "tracked") {
      showModifies(orders, known, order, span);
      words.push(wordOfTracked(orders, known, order, span));
      learnTerms(orders, known, order);
    } else if (known?.kind === "past") words.push(wordOfPast(known, order, span));
    else words.push(...wordOfUnknown(orders, order, span));
  }
  showCancels(orders, { openOrders, unreadable }, "account", span);
  judgeUnshown(orders, span);
  for (const record of orders.live) {
    const { orderId } = record.order;
    if (orderId === null || listed.has(orderId) || !mayRest(record.state)) continue;
    if (record.origin === "listed" || record.origin === "missed") miss(orders, record, span);
    else words.push(wordOfMissing(record, orderId, span));
  }
  return words;
}

/** Applies what both lists of a resync agreed on: orders that they lack are over, and the others are as listed. */
export function resynced(orders: Orders, marketId: MarketId | null, lists: OpenOrders): void {
  const listed = new Set<OrderId>(lists.unreadable.flatMap(({ orderId }) => orderId ?? []));
  for (const order of lists.openOrders) {
    listed.add(order.orderId);
    const known = recordOf(orders, order.orderId);
    if (marketId !== null && order.marketId !== marketId) continue;
    if (known === undefined)
      trackResting(orders, order, order.filledSize, isExecutedAt(orders, order) ? "ours" : "listed");
    if (known?.kind !== "tracked" || known.end !== null) continue;
    known.filled = order.filledSize;
    setTerms(orders, known, order);
    update(orders, known, {});
  }
  for (const record of [...orders.live])
    if (marketId === null || record.order.marketId === marketId) endUnlisted(orders, record, listed);
}

function endUnlisted(orders: Orders, record: TrackedRecord, listed: ReadonlySet<OrderId>): void {
  const { order, state, end, placeUnshown } = record;
  // Without an answer it may still land.
  const mayLand = state === "unknown" || (state === "inFlight" && placeUnshown === null);
  if (mayLand || (order.orderId !== null && listed.has(order.orderId))) return;
  if (state === "executed" || placeUnshown !== null) attributeUnidentified(orders, record);
  forgetOrder(orders, record, end?.why ?? "reasonUnknown", end?.reason ?? null);
}

/** Whether an executed place without an id may have made the order. */
const isExecutedAt = ({ live }: Orders, { marketId, side, price }: Order): boolean =>
  [...live.in(marketId)].some(
    ({ order, state, placeUnshown }) =>
      (state === "executed" || placeUnshown !== null) && order.side === side && order.price === price,
  );

const keyOf = (orderId: OrderId): string => `order:${orderId}`;

/** While a modify is unanswered, and once its cancel is, only the answer decides. */
const isChanging = ({ modifies, state, cancelsInFlight }: TrackedRecord): boolean =>
  modifies.size > 0 || state === "unknown" || cancelsInFlight > 0;

function wordOfTracked(orders: Orders, record: TrackedRecord, row: Order, span: Span): PlaceWord {
  const meanings = meaningsOf(orders, record, row);
  const listed = meanings[0]?.order ?? row;
  const { order, filled, end, held } = record;
  const { marketId, side } = order;
  const place = { key: keyOf(listed.orderId), marketId };
  if (record.modifies.size > 0 || record.state === "unknown") return { ...place, differs: undefined };
  if (end !== null) {
    if (end.atMs >= span.fromMs) return { ...place, differs: null };
    return { ...place, differs: reappeared(listed, beyond(listed, order.remainingSize)) };
  }
  learnRowSize(orders, record, meanings, span);
  const now = termsOf(order.price, order.size, filled);
  const isHeld = ({ order: of }: Meaning): boolean =>
    held.wasHeld(termsOf(of.price, of.size, of.filledSize), now, span);
  if (meanings.some(isHeld)) return { ...place, differs: null };
  const [what, expected, found] =
    order.price === listed.price
      ? (["orderRemaining", order.remainingSize, listed.remainingSize] as const)
      : (["orderPrice", order.price, listed.price] as const);
  const adds = { side, contracts: beyond(listed, order.remainingSize) };
  return { ...place, differs: { what, expected: `${expected}`, found: `${found}`, adds } };
}

const beyond = ({ remainingSize }: Order, known: Size): Size =>
  size(remainingSize > known ? remainingSize - known : 0n);

/** A list revives no order that an event has ended: a listed one counts until a resync decides. */
const reappeared = ({ orderId, side }: Order, contracts: Size) =>
  ({ what: "orderReappeared", expected: "ended", found: `${orderId}`, adds: { side, contracts } }) as const;

function wordOfPast({ endedMs }: Pick<PastRecord, "endedMs">, listed: Order, { fromMs }: Span): PlaceWord {
  const place = { key: keyOf(listed.orderId), marketId: listed.marketId };
  const isOld = endedMs !== null && endedMs >= fromMs;
  return { ...place, differs: isOld ? null : reappeared(listed, listed.remainingSize) };
}

/**
 * The listed order may be an unanswered place of ours: that counts already, and only events show whether this is it. One whose market was
 * cleared after it no longer rests.
 */
function wordOfUnknown(orders: Orders, order: Order, span: Span): readonly PlaceWord[] {
  const { orderId, marketId, side, filledSize } = order;
  const received = orders.unidentified.get(orderId);
  if (received?.end != null) return [wordOfPast({ endedMs: received.end.atMs }, order, span)];
  const mayBeOurs = awaitsId(orders, marketId, side, span.fromMs) && !isConditional(order);
  if (!mayBeOurs)
    trackResting(orders, order, received && received.filled > filledSize ? received.filled : filledSize, "listed");
  return [];
}

/** A list from before its id was known lacks it. A reduce-only order may have filled when the position was another. */
function wordOfMissing(record: TrackedRecord, orderId: OrderId, span: Span): PlaceWord {
  const { order, filled, held } = record;
  const { marketId, side, reduceOnly, remainingSize, price, size: whole } = order;
  const place = { key: keyOf(orderId), marketId };
  if (isChanging(record)) return { ...place, differs: undefined };
  if (held.wasHeld(ABSENT, termsOf(price, whole, filled), span)) return { ...place, differs: null };
  const adds = { side, contracts: size(reduceOnly ? remainingSize : 0n) };
  return { ...place, differs: { what: "orderMissing", expected: "listed", found: "none", adds } };
}

/** Only one list named it, and no event: two later lists that lack it outweigh that. Its rest counts as filled until reads decide. */
function miss(orders: Orders, record: TrackedRecord, span: Span): void {
  const { order, filled, held, origin } = record;
  if (held.wasHeld(ABSENT, termsOf(order.price, order.size, filled), span)) return;
  if (origin === "listed") record.origin = "missed";
  else endOrder(orders, record, { why: "reasonUnknown", reason: null });
}

/** Frames lack some terms of a foreign order; a list has them all, and a second list is no race. */
function learnTerms(orders: Orders, record: TrackedRecord, listed: Order): void {
  const { order, origin, sentMs } = record;
  if (origin === "ours") return;
  const { reduceOnly, postOnly } = listed;
  const waits = isConditional(listed);
  if (order.reduceOnly !== reduceOnly || order.postOnly !== postOnly || order.isConditional !== waits)
    update(orders, record, { reduceOnly, postOnly, isConditional: waits });
  if ((origin === "listed" || origin === "missed") && orders.nowMs > sentMs) confirmForeign(orders, record);
}
