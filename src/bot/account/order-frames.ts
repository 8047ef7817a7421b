// What the exchange says of orders on its own initiative (S6.2): frames may come before the answer that names the order. An order that
// none of our transactions made is foreign.

import type { Order } from "../../domain/order.ts";
import { type MarketId, type OrderId, type Side, type Size, size } from "../../domain/units.ts";
import { accountTiming } from "../timing.ts";
import type { Span } from "./evidence.ts";
import {
  claim,
  endOrder,
  fillOrder,
  foreignOrder,
  hear,
  move,
  reprice,
  settleModify,
  suspect,
  type Tracking,
  track,
} from "./order-changes.ts";
import type { OrderEventOf, ReceivedOrder } from "./order-event.ts";
import {
  claimId,
  isAnyUnnamed,
  isOurs,
  type ReceivedRecord,
  recordOf,
  type TrackedRecord,
  termsOf,
} from "./order-records.ts";

/** A frame and the answer of the transaction that placed the order race; whoever comes first, the order is known once. */
export function placed(tracking: Tracking, { order: received }: OrderEventOf<"placed">): void {
  const { records } = tracking;
  const known = recordOf(records, received.orderId);
  if (known?.kind === "tracked") {
    if (known.heldEnd !== null) replaced(tracking, known, received, -1);
    else if (wasModifiedJustNow(tracking, known)) revive(tracking, known, received);
  }
  if (known !== undefined && known.kind !== "received") return;
  const { orderId, marketId, side, price, size: whole } = received;
  // Our own that is unanswered counts already, and its answer tells whether this is it. None of ours waits for a trigger, and no frame revives
  // what an event has ended.
  const mayBeOurs = isAnyUnnamed(records, marketId, side) && !isConditional({ triggerPrice: null, ...received });
  if (mayBeOurs || known?.end != null) {
    hear(tracking, orderId, { marketId, side }).placed = { price, size: whole };
    nameUnshown(tracking, marketId);
  } else adopt(tracking, received, known?.filled ?? size(0n), "received");
}

/**
 * Names places that succeeded without their event: each made the one order at its terms, or with its fills, in the frames received since.
 * Names none where another place or another order fits too.
 */
export function nameUnshown(tracking: Tracking, marketId: MarketId): void {
  const { records } = tracking;
  const unnamed = [...records.live.in(marketId)].filter(
    ({ order, state }) => order.orderId === null && state !== "executed",
  );
  if (unnamed.every(({ placeUnshown }) => placeUnshown === null)) return;
  const received: [OrderId, ReceivedRecord][] = [];
  for (const orderId of records.received.keys()) {
    const one = records.received.get(orderId);
    if (one !== undefined && one.marketId === marketId && !one.isJudged) received.push([orderId, one]);
  }
  const isMeant = ({ order, sentMs }: TrackedRecord, { side, placed: terms, sinceMs }: ReceivedRecord): boolean =>
    side === order.side &&
    sinceMs >= sentMs &&
    (terms === null || (terms.price === order.price && terms.size === order.size));
  for (const record of unnamed) {
    if (record.placeUnshown === null) continue;
    const meant = received.filter(([, one]) => isMeant(record, one));
    const [first] = meant;
    if (first === undefined || meant.length > 1) continue;
    const [orderId, named] = first;
    if (unnamed.some((other) => other !== record && isMeant(other, named))) continue;
    claim(tracking, record, orderId);
    if (record.timeInForce !== "GTC") endOrder(tracking, record, { why: "expired", reason: null });
  }
}

/** True where only a frame ended the order, a moment after a modify of it was answered. */
const wasModifiedJustNow = ({ nowMs }: Tracking, { end, modifiedMs, origin }: TrackedRecord): boolean =>
  end?.isByFrame === true &&
  origin === "ours" &&
  modifiedMs !== null &&
  nowMs - modifiedMs < accountTiming.framesApartMs;

/** The answer showed a modify, its frames a cancel and a place of the same id: from now on such pairs of frames are expected. */
function revive(tracking: Tracking, record: TrackedRecord, terms: Pick<ReceivedOrder, "price" | "size">): void {
  tracking.areModifiesReplaced = true;
  record.end = null;
  move(tracking, record, "revived");
  reprice(tracking, record, terms);
}

/**
 * The exchange showed a modify as a cancel and a place of the same id, with these terms: in its answer (`by` 1) or in frames (-1), in
 * either order.
 */
export function replaced(
  tracking: Tracking,
  record: TrackedRecord,
  terms: Pick<ReceivedOrder, "price" | "size">,
  by: 1 | -1,
): void {
  record.heldEnd = null;
  record.replacements += by;
  for (const [nonce, modify] of record.modifies) {
    if (by === 1 || modify.price !== terms.price) continue;
    settleModify(tracking, record, nonce);
    return;
  }
  reprice(tracking, record, terms);
}

/**
 * Any reason means that the order no longer rests (NS-20), unless the cancel may be the first half of a modify. A cancel of an unknown id
 * is kept until the id is named.
 */
export function canceled(
  tracking: Tracking,
  {
    orderId,
    marketId,
    reason,
  }: Pick<OrderEventOf<"canceled">, "orderId" | "marketId"> & { readonly reason: string | null },
): void {
  const known = recordOf(tracking.records, orderId);
  if (known?.kind === "past") return;
  if (known?.kind === "tracked") {
    if (known.replacements > 0) known.replacements -= 1;
    else if (known.modifies.size > 0 && known.cancelsInFlight === 0 && known.origin === "ours")
      known.heldEnd ??= { why: "canceled", reason, atMs: tracking.nowMs };
    else endOrder(tracking, known, { why: "canceled", reason, isByFrame: true });
  } else hear(tracking, orderId, { marketId, side: null }).end ??= { why: "canceled", reason, atMs: tracking.nowMs };
}

/**
 * The frame of our own modify says what its answer says, and may come after that of a newer one. Any other change is somebody else's, or
 * the exchange's own.
 */
export function changed(tracking: Tracking, { order }: OrderEventOf<"changed">): void {
  const { records } = tracking;
  const known = records.tracked.get(order.orderId);
  if (known === undefined) return;
  const { price, size: whole } = known.order;
  for (const [nonce, modify] of known.modifies) {
    if (modify.price !== order.price || modify.size !== order.size) continue;
    settleModify(tracking, known, nonce);
    return;
  }
  const terms = termsOf(order.price, order.size, known.filled);
  if (known.held.wasHeld(terms, termsOf(price, whole, known.filled), ANY_TIME)) return;
  reprice(tracking, known, order);
  suspect(tracking, "unknownOrder");
}

/** A frame may be late by any time in which its connection counts as alive. */
const ANY_TIME: Span = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

/** Fills race ahead of answers, and come after cancels: those of an id that nobody has named yet are added up until somebody does. */
export function filled(tracking: Tracking, { fill }: OrderEventOf<"filled">): void {
  const known = recordOf(tracking.records, fill.orderId);
  if (known?.kind === "past") return;
  if (known?.kind === "tracked") {
    fillOrder(tracking, known, fill.size);
    return;
  }
  const { marketId, side } = fill;
  const received = hear(tracking, fill.orderId, { marketId, side });
  received.filled = size(received.filled + fill.size);
  nameUnshown(tracking, marketId);
}

/** An order that no transaction of ours placed counts from its first word. Frames do not say that it waits for a trigger; its price, 0, does. */
export function adopt(
  tracking: Tracking,
  received: ReceivedOrder &
    Partial<Pick<Order, "reduceOnly" | "postOnly" | "timeInForce" | "triggerPrice">> & {
      readonly level?: number | null;
    },
  filledBefore: Size,
  as: TrackedRecord["origin"],
): TrackedRecord {
  const { records } = tracking;
  const { orderId, marketId, side, price } = received;
  const isLate = (as === "received" || as === "listed") && isPlain(received) && claimAsLate(tracking, received);
  const origin = isLate || isOurs(records, orderId) ? "ours" : as;
  if (origin !== "ours") suspect(tracking, "unknownOrder");
  return track(
    tracking,
    {
      nonce: null,
      orderId,
      marketId,
      side,
      price,
      size: received.size,
      reduceOnly: received.reduceOnly ?? false,
      postOnly: received.postOnly ?? false,
      isConditional: isConditional({ triggerPrice: null, ...received }),
      state: "working",
      level: received.level ?? null,
    },
    { timeInForce: received.timeInForce ?? "GTC", filled: filledBefore, origin },
  );
}

/** What was received in the market of a lost place since it was sent, and no answer named, is ours. */
export function claimReceived({ records, effects, accountId }: Tracking, { order, sentMs }: TrackedRecord): void {
  const { marketId, price, size: whole } = order;
  for (const orderId of records.received.keys()) {
    const received = records.received.get(orderId);
    if (received === undefined || received.marketId !== marketId || received.sinceMs < sentMs || received.isJudged)
      continue;
    const side = received.side ?? order.side;
    received.isOurs = true;
    received.isJudged = true;
    effects.push({ kind: "identified", accountId, orderId, marketId, side, price, size: whole });
  }
}

/** The place may have landed, and what its answer would have named is not known: ids that nobody has named until now are another's. */
export function disownReceived(tracking: Tracking, record: TrackedRecord): void {
  const { live } = tracking.records;
  live.delete(record);
  judgeReceived(tracking, { isSettling: () => false });
  live.add(record);
}

/**
 * Reports orders and fills that no transaction of ours, no liquidation and no settlement can explain. While one of ours has no name, none
 * is. The exchange's own orders trade at once, and their frames come before those that explain them.
 */
export function judgeReceived(
  tracking: Tracking,
  { isSettling }: Pick<OrderEventOf<"timePassed">, "isSettling">,
): void {
  const { records, late, nowMs } = tracking;
  for (const marketId of late.expire(nowMs)) records.touched.add(marketId);
  for (const record of records.live)
    if (record.origin === "received" && nowMs - record.sentMs >= accountTiming.foreignAfterMs)
      confirmForeign(tracking, record);
  for (const orderId of records.received.keys()) {
    const received = records.received.get(orderId);
    if (received === undefined) continue;
    const { marketId, side, sinceMs } = received;
    if (nowMs - sinceMs > accountTiming.receivedKeptMs) {
      if (received.isOurs) claimId(records, orderId, received.end?.atMs ?? nowMs);
      else records.received.delete(orderId);
    }
    if (side === null || received.isJudged || nowMs - sinceMs < accountTiming.foreignAfterMs) continue;
    if (isAnyUnnamed(records, marketId, side)) continue;
    received.isJudged = true;
    judgeOne(tracking, orderId, { ...received, side }, isSettling(marketId));
  }
}

function judgeOne(
  tracking: Tracking,
  orderId: OrderId,
  { marketId, side, placed: terms, filled: size, end, sinceMs }: ReceivedRecord & { readonly side: Side },
  isSettling: boolean,
): void {
  const { accountId, effects } = tracking;
  if (terms !== null && end === null) adopt(tracking, { orderId, marketId, side, ...terms }, size, "received");
  else if (size > 0n && claimAsLate(tracking, { orderId, marketId, side, size })) return;
  else if (!isLiquidating(tracking, sinceMs) && !isSettling)
    effects.push({ kind: "foreign", accountId, marketId, orderId, what: size > 0n ? "fill" : "order" });
}

/** Whether an order waits for a trigger price. */
export const isConditional = ({ price, triggerPrice }: Pick<Order, "price" | "triggerPrice">): boolean =>
  triggerPrice !== null || price === 0n;

/** Neither a stop nor something that only reduces: those protect a position of the owner's. */
export const isPlain = (order: Pick<Order, "price"> & Partial<Pick<Order, "reduceOnly" | "triggerPrice">>): boolean =>
  order.reduceOnly !== true && !isConditional({ triggerPrice: null, ...order });

/** No answer of ours names the order: somebody else placed it. */
export function confirmForeign(tracking: Tracking, record: TrackedRecord): void {
  const { records, accountId, effects } = tracking;
  const { orderId, marketId, side, isConditional: waits } = record.order;
  if (orderId === null || isLiquidating(tracking, record.sentMs)) return;
  if (!waits && isAnyUnnamed(records, marketId, side)) return;
  record.origin = "foreign";
  effects.push(foreignOrder(accountId, record), {
    kind: "mismatch",
    accountId,
    marketId,
    what: "orderForeign",
    expected: "none",
    found: orderId.toString(),
  });
}

/** True where an earlier holder of the account may have sent the order: it is ours from now on. */
function claimAsLate(
  { records, late, nowMs, accountId, effects }: Tracking,
  received: Pick<ReceivedOrder, "orderId" | "marketId" | "side" | "size">,
): boolean {
  const { orderId, marketId, side } = received;
  if (isOurs(records, orderId) || !late.take(received, nowMs)) return false;
  claimId(records, orderId, null);
  effects.push({ kind: "lateOrder", accountId, marketId, orderId, side });
  return true;
}

const isLiquidating = ({ liquidatedMs }: Tracking, atMs: number): boolean =>
  liquidatedMs !== null && Math.abs(liquidatedMs - atMs) < accountTiming.framesApartMs;
