// Who owns an order. Ours: a transaction of ours placed it, or one whose answer was lost may have. An earlier holder's: it fits what that
// holder may have sent. Foreign: neither, and no liquidation and no settlement explains it.

import { isConditional, isPlain, type Order } from "../../../domain/order.ts";
import type { MarketId, OrderId, Side, Size } from "../../../domain/units.ts";
import { accountTiming } from "../../timing.ts";
import { track } from "./changes.ts";
import { suspect } from "./dialect.ts";
import {
  awaitsId,
  isOurs,
  markOurs,
  type Orders,
  type ReportedOrder,
  type TrackedRecord,
  type UnidentifiedRecord,
  unidentifiedIn,
} from "./records.ts";

/**
 * Begins to track an order that rests without our knowledge. It counts from the first message about it. Frames do not show that an order
 * waits for a trigger; its price, 0, does.
 */
export function trackResting(
  orders: Orders,
  reported: ReportedOrder &
    Partial<Pick<Order, "reduceOnly" | "postOnly" | "timeInForce" | "triggerPrice">> & {
      readonly level?: number | null;
    },
  filledBefore: Size,
  as: TrackedRecord["origin"],
): void {
  const { orderId, marketId, side, price } = reported;
  const isEarlier =
    (as === "received" || as === "listed") && isPlain(reported) && takeForEarlierHolder(orders, reported);
  const origin = isEarlier || isOurs(orders, orderId) ? "ours" : as;
  if (origin !== "ours") suspect(orders, "unknownOrder");
  track(
    orders,
    {
      nonce: null,
      orderId,
      marketId,
      side,
      price,
      size: reported.size,
      reduceOnly: reported.reduceOnly ?? false,
      postOnly: reported.postOnly ?? false,
      isConditional: isConditional(reported),
      state: "working",
      level: reported.level ?? null,
    },
    { timeInForce: reported.timeInForce ?? "GTC", filled: filledBefore, origin },
  );
}

/** Ids that appeared in the market of a lost place after it was sent, and that no answer named, are ours. */
export function attributeUnidentified(orders: Orders, { order, sentMs }: TrackedRecord): void {
  const { marketId, price, size: whole } = order;
  for (const [orderId, record] of unidentifiedIn(orders, marketId)) {
    if (record.sinceMs < sentMs) continue;
    const side = record.side ?? order.side;
    record.isOurs = true;
    record.isJudged = true;
    const { accountId, effects } = orders;
    effects.push({ kind: "identified", accountId, orderId, marketId, side, price, size: whole });
  }
}

/**
 * Reports orders and fills that no transaction of ours, no liquidation and no settlement can explain; none while an id of ours is unknown.
 * The exchange's own orders trade at once, and their frames come before those that explain them.
 */
export function judgeUnidentified(orders: Orders, isSettling: (marketId: MarketId) => boolean): void {
  const { unidentified, nowMs } = orders;
  for (const marketId of orders.earlier.expire(nowMs)) orders.touched.add(marketId);
  for (const record of orders.live)
    if (record.origin === "received" && nowMs - record.sentMs >= accountTiming.foreignAfterMs)
      confirmForeign(orders, record);
  for (const orderId of unidentified.keys()) {
    const record = unidentified.get(orderId);
    if (record === undefined) continue;
    const { marketId, side, sinceMs } = record;
    if (nowMs - sinceMs > accountTiming.receivedKeptMs) {
      if (record.isOurs) markOurs(orders, orderId, record.end?.atMs ?? nowMs);
      else unidentified.delete(orderId);
    }
    if (side === null || record.isJudged || nowMs - sinceMs < accountTiming.foreignAfterMs) continue;
    if (awaitsId(orders, marketId, side)) continue;
    record.isJudged = true;
    judgeOne(orders, orderId, { ...record, side }, isSettling(marketId));
  }
}

function judgeOne(
  orders: Orders,
  orderId: OrderId,
  { marketId, side, placed, filled, end, sinceMs }: UnidentifiedRecord & { readonly side: Side },
  isSettling: boolean,
): void {
  const { accountId, effects } = orders;
  if (placed !== null && end === null) trackResting(orders, { orderId, marketId, side, ...placed }, filled, "received");
  else if (filled > 0n && takeForEarlierHolder(orders, { orderId, marketId, side, size: filled })) return;
  else if (!isLiquidating(orders, sinceMs) && !isSettling)
    effects.push({ kind: "foreign", accountId, marketId, orderId, what: filled > 0n ? "fill" : "order" });
}

/** No answer of ours names the order: somebody else placed it. */
export function confirmForeign(orders: Orders, record: TrackedRecord): void {
  const { accountId, effects } = orders;
  const { orderId, marketId, side, isConditional: waits } = record.order;
  if (orderId === null || isLiquidating(orders, record.sentMs)) return;
  if (!waits && awaitsId(orders, marketId, side)) return;
  record.origin = "foreign";
  effects.push(
    { kind: "foreign", accountId, marketId, orderId, what: "order" },
    { kind: "mismatch", accountId, marketId, what: "orderForeign", expected: "none", found: orderId.toString() },
  );
}

/** True where an earlier holder of the account may have sent the order: it is ours from now on. */
function takeForEarlierHolder(
  orders: Orders,
  reported: Pick<ReportedOrder, "orderId" | "marketId" | "side" | "size">,
): boolean {
  const { orderId, marketId, side } = reported;
  if (isOurs(orders, orderId) || !orders.earlier.take(reported, orders.nowMs)) return false;
  markOurs(orders, orderId, null);
  orders.effects.push({ kind: "lateOrder", accountId: orders.accountId, marketId, orderId, side });
  return true;
}

const isLiquidating = ({ liquidatedMs }: Orders, atMs: number): boolean =>
  liquidatedMs !== null && Math.abs(liquidatedMs - atMs) < accountTiming.framesApartMs;
