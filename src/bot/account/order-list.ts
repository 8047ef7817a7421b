// Compares the exchange's list of open orders with the tracked ones, order by order: where it differs from the states that we held, and
// which effects it shows of successes whose answers did not.

import type { OpenOrders } from "../../domain/account.ts";
import type { DialectWord } from "../../domain/dialect.ts";
import type { Order } from "../../domain/order.ts";
import { type OrderId, type Size, size } from "../../domain/units.ts";
import type { PlaceWord } from "./doubts.ts";
import type { Span } from "./evidence.ts";
import {
  cancelReturned,
  claim,
  endOrder,
  forgetOrder,
  learn,
  learnModifySize,
  misunderstood,
  reprice,
  reshape,
  settleModify,
  type Tracking,
} from "./order-changes.ts";
import type { OrderEventOf } from "./order-event.ts";
import { adopt, claimReceived, confirmForeign, isConditional } from "./order-frames.ts";
import {
  ABSENT,
  isAnyUnnamed,
  isResting,
  type OrderListName,
  type PastRecord,
  recordOf,
  type TrackedRecord,
  termsOf,
  type Unshown,
} from "./order-records.ts";

/** What a list says of each order of the account that it can judge. Orders that nobody knew count from now on. */
export function judgeList(
  tracking: Tracking,
  { openOrders, unreadable }: OpenOrders,
  span: Span,
): readonly PlaceWord[] {
  const { records } = tracking;
  const words: PlaceWord[] = [];
  tracking.areRowsUnclear ||= openOrders.some(({ unclearSize }) => unclearSize !== undefined);
  nameListed(tracking, openOrders, span);
  const listed = new Set<OrderId>(unreadable.flatMap(({ orderId }) => orderId ?? []));
  for (const order of openOrders) {
    listed.add(order.orderId);
    const known = recordOf(records, order.orderId);
    if (known?.kind === "tracked") {
      showModifies(tracking, known, order, span);
      words.push(wordOfTracked(tracking, known, order, span));
      learnTerms(tracking, known, order);
    } else if (known?.kind === "past") words.push(wordOfPast(known, order, span));
    else words.push(...wordOfUnknown(tracking, order, span));
  }
  showCancels(tracking, { openOrders, unreadable }, "account", span);
  judgeUnshown(tracking, span);
  for (const record of records.live) {
    const { orderId } = record.order;
    if (orderId === null || listed.has(orderId) || !isResting(record)) continue;
    if (record.origin === "listed" || record.origin === "missed") miss(tracking, record, span);
    else words.push(wordOfMissing(record, orderId, span));
  }
  return words;
}

/** When the list was requested, monotonic ms. */
const askedMsOf = ({ readLagMaxMs }: Tracking, { fromMs }: Span): number => fromMs + readLagMaxMs;

/**
 * A place that succeeded without its event made the one unclaimed order at its terms in a list requested after the answer. Names none where
 * two orders or two places fit.
 */
function nameListed(tracking: Tracking, openOrders: readonly Order[], span: Span): void {
  const { records } = tracking;
  const unnamed = [...records.live].filter(({ order, state }) => order.orderId === null && state !== "executed");
  if (unnamed.every(({ placeUnshown }) => placeUnshown === null)) return;
  const unclaimed = openOrders.filter((order) => {
    const known = recordOf(records, order.orderId);
    return (known === undefined || (known.kind === "received" && known.end === null)) && !isConditional(order);
  });
  const isMeant = ({ order }: TrackedRecord, listed: Order): boolean => {
    const received = records.received.get(listed.orderId);
    const isWhole = listed.size === order.size || listed.size + (received?.filled ?? 0n) === order.size;
    return listed.marketId === order.marketId && listed.side === order.side && listed.price === order.price && isWhole;
  };
  for (const record of unnamed) {
    if (record.placeUnshown === null || record.placeUnshown.sinceMs > askedMsOf(tracking, span)) continue;
    const [first, ...more] = unclaimed.filter((listed) => isMeant(record, listed));
    if (first === undefined || more.length > 0) continue;
    if (unnamed.some((other) => other !== record && isMeant(other, first))) continue;
    claim(tracking, record, first.orderId);
  }
}

/**
 * A modify is done where a list requested after its success shows the order at its terms, which the order did not have before. Compares
 * what remains, and learns whether sizes of modifies and rows mean the whole or what remains.
 */
function showModifies(tracking: Tracking, record: TrackedRecord, listed: Order, span: Span): void {
  const { order, filled, held, modifies } = record;
  if (modifies.size === 0) return;
  const now = termsOf(order.price, order.size, filled);
  const found = meaningsOf(tracking, record, listed).filter(
    ({ order: of }) => !held.wasHeld(termsOf(of.price, of.size, of.filledSize), now, span),
  );
  for (const [nonce, modify] of modifies) {
    const { unshown, price, size: whole, isSizeOpen } = modify;
    if (unshown === null || unshown.sinceMs > askedMsOf(tracking, span) || listed.price !== price) continue;
    const isMeant = ({ order: { remainingSize } }: Meaning): boolean =>
      remainingSize === whole - filled || (isSizeOpen && remainingSize === whole);
    const meant = found.find(isMeant);
    if (meant === undefined) continue;
    const { remainingSize } = meant.order;
    if (isSizeOpen && found.length === 1) learnModifySize(tracking, whole, filled, remainingSize);
    settleModify(tracking, record, nonce);
    reprice(tracking, record, { price, size: size(remainingSize + filled) });
    return;
  }
}

/** A cancel without its event is done once both lists, requested `readLagMaxMs` after the answer, lack the order. */
export function showCancels(
  tracking: Tracking,
  { openOrders, unreadable }: OpenOrders,
  list: OrderListName,
  span: Span,
): void {
  const { records } = tracking;
  const due = [...records.live].filter(
    ({ cancelUnshown }) => cancelUnshown !== null && cancelUnshown.sinceMs <= span.fromMs,
  );
  if (due.length === 0) return;
  const listed = new Set<OrderId | null>([...openOrders, ...unreadable].map(({ orderId }) => orderId));
  for (const record of due) {
    const { cancelUnshown, order } = record;
    if (cancelUnshown === null) continue;
    if (listed.has(order.orderId)) {
      record.cancelUnshown = null;
      cancelReturned(tracking, record);
      misunderstood(tracking, record, "cancel", cancelUnshown);
      continue;
    }
    const missedBy = new Set([...cancelUnshown.missedBy, list]);
    record.cancelUnshown = { ...cancelUnshown, missedBy };
    if (missedBy.size < 2) continue;
    endOrder(tracking, record, { why: "canceled", reason: null });
    learn(tracking, "cancel", "list");
  }
}

/** Successes without a visible effect in an account list requested `readLagMaxMs` later are overdue. */
function judgeUnshown(tracking: Tracking, span: Span): void {
  for (const record of tracking.records.live) {
    const { placeUnshown } = record;
    if (isLate(placeUnshown, span)) {
      record.placeUnshown = { ...placeUnshown, isOverdue: true };
      misunderstood(tracking, record, "place", placeUnshown);
    }
    for (const [nonce, modify] of record.modifies) {
      const { unshown } = modify;
      if (!isLate(unshown, span)) continue;
      record.modifies.set(nonce, { ...modify, unshown: { ...unshown, isOverdue: true } });
      misunderstood(tracking, record, "modify", unshown);
    }
  }
}

const isLate = (unshown: Unshown | null, { fromMs }: Span): unshown is Unshown =>
  unshown !== null && !unshown.isOverdue && unshown.sinceMs <= fromMs;

/** The lists of both witnesses, twice: what they lack is over, and what they have is as they say. */
export function adopted(tracking: Tracking, { marketId, lists }: OrderEventOf<"adopted">): void {
  const { records } = tracking;
  const listed = new Set<OrderId>(lists.unreadable.flatMap(({ orderId }) => orderId ?? []));
  for (const order of lists.openOrders) {
    listed.add(order.orderId);
    const known = recordOf(records, order.orderId);
    if (marketId !== null && order.marketId !== marketId) continue;
    if (known === undefined)
      adopt(tracking, order, order.filledSize, isExecutedAt(tracking, order) ? "ours" : "listed");
    if (known?.kind !== "tracked" || known.end !== null) continue;
    known.filled = order.filledSize;
    reprice(tracking, known, order);
    reshape(records, known, {});
  }
  for (const record of [...records.live])
    if (marketId === null || record.order.marketId === marketId) endUnlisted(tracking, record, listed);
}

function endUnlisted(tracking: Tracking, record: TrackedRecord, listed: ReadonlySet<OrderId>): void {
  const { order, state, end, placeUnshown } = record;
  // Without an answer it may still land.
  const mayLand = state === "unknown" || (state === "inFlight" && placeUnshown === null);
  if (mayLand || (order.orderId !== null && listed.has(order.orderId))) return;
  if (state === "executed" || placeUnshown !== null) claimReceived(tracking, record);
  forgetOrder(tracking, record, end?.why ?? "reasonUnknown", end?.reason ?? null);
}

/** Whether an executed place without an id may have made the order. */
const isExecutedAt = ({ records }: Tracking, { marketId, side, price }: Order): boolean =>
  [...records.live.in(marketId)].some(
    ({ order, state, placeUnshown }) =>
      (state === "executed" || placeUnshown !== null) && order.side === side && order.price === price,
  );

const keyOf = (orderId: OrderId): string => `order:${orderId}`;

/** While a modify of it is unanswered, and once its cancel is, only the answer tells. */
const isChanging = ({ modifies, state, cancelsInFlight }: TrackedRecord): boolean =>
  modifies.size > 0 || state === "unknown" || cancelsInFlight > 0;

type RowSize = DialectWord<"rowSize">;
type Meaning = { readonly word: RowSize; readonly order: Order };

/**
 * The possible meanings of a row, the one with the largest remainder first. A row with one size means the whole or what remains, until the
 * dialect is known.
 */
function meaningsOf({ dialect }: Tracking, { order, filled }: TrackedRecord, listed: Order): readonly Meaning[] {
  const { size: shown, filledSize, unclearSize } = listed;
  if (unclearSize === undefined) return [{ word: "total", order: listed }];
  const meaning = (word: RowSize, whole: bigint, done: bigint): Meaning => ({
    word,
    order: { ...listed, size: size(whole), filledSize: size(done), remainingSize: size(whole - done) },
  });
  const knownFilled = filled < shown ? filled : shown;
  const knownWhole = order.size > shown ? order.size : shown;
  const remaining =
    unclearSize === "alone"
      ? meaning("remaining", knownWhole, knownWhole - shown)
      : meaning("remaining", shown + filledSize, filledSize);
  const total = unclearSize === "alone" ? meaning("total", shown, knownFilled) : meaning("total", shown, filledSize);
  return [remaining, total].filter(({ word }) => dialect.rowSize === null || dialect.rowSize === word);
}

/** Learns the dialect from a row of a partly filled order where only one meaning matches what is held now. */
function learnRowSize(tracking: Tracking, { order, filled, held }: TrackedRecord, all: readonly Meaning[], span: Span) {
  if (all.length < 2 || filled === 0n || !held.isSteady(span)) return;
  const now = termsOf(order.price, order.size, filled);
  const [first, ...more] = all.filter(({ order: of }) => termsOf(of.price, of.size, of.filledSize) === now);
  if (first !== undefined && more.length === 0) learn(tracking, "rowSize", first.word);
}

function wordOfTracked(tracking: Tracking, record: TrackedRecord, row: Order, span: Span): PlaceWord {
  const meanings = meaningsOf(tracking, record, row);
  const listed = meanings[0]?.order ?? row;
  const { order, filled, end, held } = record;
  const { marketId, side } = order;
  const place = { key: keyOf(listed.orderId), marketId };
  if (record.modifies.size > 0 || record.state === "unknown") return { ...place, differs: undefined };
  if (end !== null) {
    if (end.atMs >= span.fromMs) return { ...place, differs: null };
    return { ...place, differs: reappeared(listed, beyond(listed, order.remainingSize)) };
  }
  learnRowSize(tracking, record, meanings, span);
  const now = termsOf(order.price, order.size, filled);
  const isHeld = ({ order: of }: Meaning): boolean =>
    held.wasHeld(termsOf(of.price, of.size, of.filledSize), now, span);
  if (meanings.some(isHeld)) return { ...place, differs: null };
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

/** A list revives no order that an event has ended: what it lists counts until a resync decides. */
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
