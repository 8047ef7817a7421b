// The stream's messages about orders (S6.2). Frames may come before the answer that names the order.

import type { Fill } from "../../../domain/fill.ts";
import { isConditional } from "../../../domain/order.ts";
import { type MarketId, type OrderId, size } from "../../../domain/units.ts";
import { accountTiming } from "../../timing.ts";
import type { Span } from "../evidence.ts";
import { confirmModify, endOrder, fillOrder, setTerms, transition } from "./changes.ts";
import { suspect } from "./dialect.ts";
import { trackResting } from "./ownership.ts";
import {
  awaitsId,
  noteUnidentified,
  type Orders,
  type ReportedOrder,
  recordOf,
  type TrackedRecord,
  termsOf,
} from "./records.ts";
import { identifyByFrames } from "./unshown.ts";

/** A frame and the answer of the transaction that placed the order race; whichever comes first, the order is known once. */
export function placed(orders: Orders, reported: ReportedOrder): void {
  const known = recordOf(orders, reported.orderId);
  if (known?.kind === "tracked") {
    if (known.heldEnd !== null) replaced(orders, known, reported, -1);
    else if (wasModifiedJustNow(orders, known)) revive(orders, known, reported);
  }
  if (known !== undefined && known.kind !== "unidentified") return;
  const { orderId, marketId, side, price, size: whole } = reported;
  // An unanswered place of ours counts already, and its answer shows whether this is it. Our orders never wait for a trigger, and no frame
  // revives an order that an event has ended.
  const mayBeOurs = awaitsId(orders, marketId, side) && !isConditional(reported);
  if (mayBeOurs || known?.end != null) {
    noteUnidentified(orders, orderId, { marketId, side }).placed = { price, size: whole };
    identifyByFrames(orders, marketId);
  } else trackResting(orders, reported, known?.filled ?? size(0n), "received");
}

/** True where only a frame ended the order, a moment after a modify of it was answered. */
const wasModifiedJustNow = ({ nowMs }: Orders, { end, modifiedMs, origin }: TrackedRecord): boolean =>
  end?.isByFrame === true &&
  origin === "ours" &&
  modifiedMs !== null &&
  nowMs - modifiedMs < accountTiming.framesApartMs;

/** The answer showed a modify, its frames a cancel and a place of the same id: from now on such pairs of frames are expected. */
function revive(orders: Orders, record: TrackedRecord, terms: Pick<ReportedOrder, "price" | "size">): void {
  orders.areModifiesReplaced = true;
  record.end = null;
  transition(orders, record, "revived");
  setTerms(orders, record, terms);
}

/**
 * The exchange showed a modify as a cancel and a place of the same id, with these terms: in its answer (`by` 1) or in frames (-1), in
 * either order.
 */
export function replaced(
  orders: Orders,
  record: TrackedRecord,
  terms: Pick<ReportedOrder, "price" | "size">,
  by: 1 | -1,
): void {
  record.heldEnd = null;
  record.replacements += by;
  for (const [nonce, modify] of record.modifies) {
    if (by === 1 || modify.price !== terms.price) continue;
    confirmModify(orders, record, nonce);
    return;
  }
  setTerms(orders, record, terms);
}

/**
 * Any reason means that the order no longer rests (NS-20), unless the cancel may be the first half of a modify. A cancel of an unidentified
 * id is kept until the id is known.
 */
export function canceled(
  orders: Orders,
  {
    orderId,
    marketId,
    reason,
  }: { readonly orderId: OrderId; readonly marketId: MarketId; readonly reason: string | null },
): void {
  const known = recordOf(orders, orderId);
  if (known?.kind === "past") return;
  const end = { why: "canceled", reason, atMs: orders.nowMs } as const;
  if (known?.kind !== "tracked") noteUnidentified(orders, orderId, { marketId, side: null }).end ??= end;
  else if (known.replacements > 0) known.replacements -= 1;
  else if (known.modifies.size > 0 && known.cancelsInFlight === 0 && known.origin === "ours") known.heldEnd ??= end;
  else endOrder(orders, known, { why: "canceled", reason, isByFrame: true });
}

/**
 * The frame of our own modify repeats its answer, and may come after that of a newer one. Any other modify is somebody else's, or the
 * exchange's own.
 */
export function modified(orders: Orders, reported: ReportedOrder): void {
  const known = orders.tracked.get(reported.orderId);
  if (known === undefined) return;
  const { price, size: whole } = known.order;
  for (const [nonce, modify] of known.modifies) {
    if (modify.price !== reported.price || modify.size !== reported.size) continue;
    confirmModify(orders, known, nonce);
    return;
  }
  const terms = termsOf(reported.price, reported.size, known.filled);
  if (known.held.wasHeld(terms, termsOf(price, whole, known.filled), ANY_TIME)) return;
  setTerms(orders, known, reported);
  suspect(orders, "unknownOrder");
}

/** A frame may be late by any time in which its connection counts as alive. */
const ANY_TIME: Span = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

/** Fills arrive before answers, and after cancels: those of an unidentified id are added up until the id is known. */
export function filled(orders: Orders, fill: Fill): void {
  const known = recordOf(orders, fill.orderId);
  if (known?.kind === "past") return;
  if (known?.kind === "tracked") {
    fillOrder(orders, known, fill.size);
    return;
  }
  const { marketId, side } = fill;
  const received = noteUnidentified(orders, fill.orderId, { marketId, side });
  received.filled = size(received.filled + fill.size);
  identifyByFrames(orders, marketId);
}
