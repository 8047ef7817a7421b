// The exchange's list of open orders against the tracked ones. What the list adds counts at once. An order that changed at or after the
// time of which the list proves to be is not refuted by it: its place is skipped, and an order that lists lack for longer than a
// transaction may take to land is checked with a cancel of its own.

import type { Account } from "../../../domain/account.ts";
import type { Order } from "../../../domain/order.ts";
import { type OrderId, size } from "../../../domain/units.ts";
import type { MismatchKind } from "../effects.ts";
import { endOrder, move, reshape, type Tracking } from "./order-changes.ts";
import type { Evidence, OrderEventOf } from "./order-event.ts";
import { adopt, claim, confirmForeign, isConditional } from "./order-frames.ts";
import { isResting, type OrderRecords, recordOf, type TrackedRecord } from "./order-records.ts";

/** An order that the exchange shows otherwise than we know it. */
export type OrderDifference = {
  readonly what: MismatchKind;
  readonly orderId: OrderId;
  readonly marketId: Order["marketId"];
  readonly expected: string;
  readonly found: string;
  /** Our own last change of the order, monotonic ms. */
  readonly changedMs: number;
  /** As the exchange lists it; null: it does not. */
  readonly listed: Order | null;
};

export type ListComparison = {
  readonly differences: readonly OrderDifference[];
  /** Orders that this list may be too old to judge, or whose absence from it our own cancels explain. */
  readonly skipped: readonly OrderId[];
  /** When the first of the listed orders ended that the list is too old to know of, monotonic ms; infinity: it lists none. */
  readonly beforeMs: number;
};

/** Of those that could not be read no more is known than that they are listed. */
export type ListedOrders = Pick<Account, "openOrders" | "unreadable">;

/** `asOfMs` is what the list proves; times are monotonic, ms. */
export type ListEvidence = Evidence & {
  /** When it was asked for. */
  readonly askedMs: number;
  /** An order that lists lack for longer is checked. */
  readonly landingBoundMs: number;
};

/** Orders of an account that are checked within a minute at most. */
const CHECKS_MAX = 4;
const CHECKS_MS = 60_000;

/** Compares the list of `tracking.evidence` with the tracked orders. Orders that we do not track are claimed or adopted at once. */
export function compareList(
  tracking: Tracking,
  { openOrders, unreadable }: ListedOrders,
  list: ListEvidence,
): ListComparison {
  const { records } = tracking;
  const differences: OrderDifference[] = [];
  const skipped: OrderId[] = [];
  const listed = new Set<OrderId>();
  let beforeMs = Number.POSITIVE_INFINITY;
  for (const order of openOrders) {
    listed.add(order.orderId);
    const record = records.tracked.get(order.orderId);
    if (record === undefined) {
      beforeMs = Math.min(beforeMs, foldUntracked(tracking, order, list));
      continue;
    }
    if (list.askedMs > record.changedMs) seen(tracking, record, order, list);
    record.lackedMs = null;
    // Of an order that was filled further than we know the list is not the older one.
    if (record.changedMs >= list.asOfMs && order.filledSize <= record.filled) skipped.push(order.orderId);
    else differences.push(...differencesOf(record, order));
  }
  for (const orderId of trackedAmong(tracking, unreadable)) {
    listed.add(orderId);
    skipped.push(orderId);
  }
  for (const record of [...records.live]) {
    const { orderId } = record.order;
    if (orderId === null || listed.has(orderId) || !isResting(record)) continue;
    // Once a newer list lacked it, it is over: the second look may be at any. A cancel tells what became of one of ours; of others none is
    // sent, and no list is taken to be older than a transaction may take to land.
    const newerThanMs =
      record.origin === "ours" ? list.asOfMs : Math.max(list.asOfMs, list.askedMs - list.landingBoundMs);
    const isNewer = record.changedMs < newerThanMs || record.missedMs === record.changedMs;
    if (isLeaving(records, record)) {
      skipped.push(orderId);
    } else if (!isNewer) {
      skipped.push(orderId);
      lacked(tracking, record, list);
    } else if (record.filled >= record.order.size) {
      // Filled whole while a modify that would have made more of it was on its way: that came too late.
      endOrder(tracking, record, { why: "filled" });
    } else {
      record.missedMs = record.changedMs;
      differences.push(missing(record, orderId));
    }
  }
  return { differences, skipped, beforeMs };
}

/** Tracked orders that the list has and does not describe: it does not lack them. */
function trackedAmong({ records }: Tracking, unreadable: Account["unreadable"]): readonly OrderId[] {
  return unreadable.flatMap(({ orderId }) => {
    const record = orderId === null ? undefined : records.tracked.get(orderId);
    if (orderId === null || record === undefined) return [];
    record.lackedMs = null;
    return [orderId];
  });
}

/** Asked for after the order last changed: what the list says of it beyond what we know counts, however old it may be. */
function seen(tracking: Tracking, record: TrackedRecord, order: Order, { askedMs }: ListEvidence): void {
  confirmForeign(tracking, record);
  learnTerms(tracking, record, order);
  if (record.canceled?.why !== "vanished" || askedMs <= record.canceled.sinceMs) return;
  // A refusal is no word of the exchange that it is over: the list is believed, and the cancel tried again. Nothing has happened to the
  // order since the refusal: a list that proves to be newer than that may refute this one.
  const { changedMs } = record;
  record.mayBeOver = true;
  move(tracking, record, "reappeared");
  reshape(tracking.records, record, {}, changedMs);
}

/** The list lacks the order and may be too old to have it. Only a cancel tells, which needs no nonce; a few within a minute. */
function lacked(tracking: Tracking, record: TrackedRecord, { receivedMs, landingBoundMs }: ListEvidence): void {
  const { orderId, marketId } = record.order;
  record.lackedMs ??= receivedMs;
  const sinceMs = Math.max(record.lackedMs, record.changedMs);
  if (orderId === null || record.origin !== "ours") return;
  if (receivedMs - sinceMs <= landingBoundMs && !record.mayBeOver) return;
  tracking.checkedMs = tracking.checkedMs.filter((atMs) => receivedMs - atMs < CHECKS_MS);
  if (tracking.checkedMs.length >= CHECKS_MAX) return;
  tracking.checkedMs = [...tracking.checkedMs, receivedMs];
  tracking.effects.push({ kind: "orderDoubted", accountId: tracking.accountId, marketId, orderId });
}

/** The exchange is believed about an order that differed. */
export function believed(tracking: Tracking, { orderId, listed }: OrderEventOf<"believed">): void {
  const { records, evidence } = tracking;
  const record = records.tracked.get(orderId);
  if (record === undefined) return;
  if (listed === null) {
    endOrder(tracking, record, { why: "vanished" });
  } else if (record.state === "canceled") {
    move(tracking, record, "reappeared");
  } else {
    record.filled = size(listed.size - listed.remainingSize);
    reshape(records, record, { price: listed.price, size: listed.size }, evidence.receivedMs);
  }
}

/** Its absence is what our own cancels are for; their answers, or the stream, say the rest. */
const isLeaving = ({ cancelAlls }: OrderRecords, record: TrackedRecord): boolean =>
  record.cancelsInFlight > 0 || cancelAlls.size > 0;

/**
 * Folds an order that we do not track: one of ours whose answer was lost, one that we took for ended, or a foreign one. If a frame named
 * the order before, its terms come from that frame: somebody may have modified the order since. Returns when the order ended if the list
 * may be older than that, else infinity. A list is never older than a transaction may take to land.
 */
function foldUntracked(tracking: Tracking, order: Order, { asOfMs, askedMs, landingBoundMs }: ListEvidence): number {
  const { records, evidence, effects, accountId } = tracking;
  const { orderId, marketId } = order;
  const known = recordOf(records, orderId);
  const { placed = null, sinceMs = evidence.receivedMs } = known?.kind === "heard" ? known : {};
  if (known?.kind === "past" && known.endedMs !== null) {
    if (known.endedMs >= Math.max(asOfMs, askedMs - landingBoundMs)) return known.endedMs;
    const [expected, found] = ["ended", orderId.toString()];
    effects.push({ kind: "mismatch", accountId, marketId, what: "orderReappeared", expected, found });
  } else if (known?.kind !== "past" && claim(tracking, { ...order, ...placed }, sinceMs) !== "nobody") {
    return Number.POSITIVE_INFINITY;
  }
  adopt(tracking, order, known !== undefined && known.filled > order.filledSize ? known.filled : order.filledSize);
  return Number.POSITIVE_INFINITY;
}

function differencesOf(record: TrackedRecord, listed: Order): readonly OrderDifference[] {
  const { order, changedMs } = record;
  const { orderId } = listed;
  if (record.modifies.size > 0) return [];
  const place = { orderId, marketId: order.marketId, changedMs, listed };
  if (record.state === "canceled") {
    return [{ ...place, what: "orderReappeared", expected: "canceled", found: "listed" }];
  }
  if (order.price !== listed.price) {
    return [{ ...place, what: "orderPrice", expected: `${order.price}`, found: `${listed.price}` }];
  }
  if (order.remainingSize !== listed.remainingSize) {
    return [{ ...place, what: "orderRemaining", expected: `${order.remainingSize}`, found: `${listed.remainingSize}` }];
  }
  return [];
}

/** Frames lack some terms of an order; a list has them all. */
function learnTerms({ records }: Tracking, record: TrackedRecord, listed: Order): void {
  const { order, changedMs, isIdInferred } = record;
  const { reduceOnly, postOnly } = listed;
  if (!order.isForeign && !isIdInferred) return;
  const waits = isConditional(listed);
  if (order.reduceOnly === reduceOnly && order.postOnly === postOnly && order.isConditional === waits) return;
  reshape(records, record, { reduceOnly, postOnly, isConditional: waits }, changedMs);
}

const missing = ({ order, changedMs }: TrackedRecord, orderId: OrderId): OrderDifference => ({
  what: "orderMissing",
  orderId,
  marketId: order.marketId,
  expected: "listed",
  found: "none",
  changedMs,
  listed: null,
});
