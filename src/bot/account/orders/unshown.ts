// Successes whose answers do not show their effect: the frame or list that shows it, and what follows when none does in time. Until then
// both outcomes count.

import type { OpenOrders } from "../../../domain/account.ts";
import type { TransactionEvent } from "../../../domain/event.ts";
import { isConditional, type Order } from "../../../domain/order.ts";
import { type MarketId, type Nonce, type OrderId, size } from "../../../domain/units.ts";
import { printable } from "../../../kernel/printable.ts";
import type { Span } from "../evidence.ts";
import { cancelReturned, confirmModify, endOrder, identify, setTerms } from "./changes.ts";
import { learn, learnModifySize, type Meaning, meaningsOf, misunderstood, suspect } from "./dialect.ts";
import {
  type OrderListName,
  type Orders,
  recordOf,
  type TrackedRecord,
  termsOf,
  type UnidentifiedRecord,
  type Unshown,
  unidentifiedIn,
} from "./records.ts";

/** Returns a new success without a visible effect. Asks at once for a read of the account, which may show it. */
export function unshownBy(orders: Orders, nonce: Nonce, events: readonly TransactionEvent[]): Unshown {
  suspect(orders, "answerSilent");
  return { nonce, sinceMs: orders.nowMs, said: saidIn(events), isOverdue: false };
}

const NAMES_LENGTH_MAX = 200;

/** The answer's content, for people. */
function saidIn(events: readonly TransactionEvent[]): string {
  if (events.length === 0) return "its answer held no event";
  const names = new Set(events.map((event) => (event.type === "other" ? event.name : event.type)));
  const listed = printable([...names].join(", "), NAMES_LENGTH_MAX);
  const isKnown = events.every(({ type }) => type !== "other");
  return isKnown ? `its answer held ${listed} without what it needs` : `event type ${listed} is not known`;
}

/** A place that succeeded without its event made the one order at its terms, or with its fills, in the frames received since. */
export function identifyByFrames(orders: Orders, marketId: MarketId): void {
  const isMeant = ({ order, sentMs }: TrackedRecord, { side, placed, sinceMs }: UnidentifiedRecord): boolean =>
    side === order.side &&
    sinceMs >= sentMs &&
    (placed === null || (placed.price === order.price && placed.size === order.size));
  identifyUnique(orders.live.in(marketId), {
    candidates: () => unidentifiedIn(orders, marketId),
    isMeant: (record, [, received]) => isMeant(record, received),
    answeredBy: Number.POSITIVE_INFINITY,
    onFound(record, [orderId]) {
      identify(orders, record, orderId, "inferred");
      if (record.timeInForce !== "GTC") endOrder(orders, record, { why: "expired", reason: null });
    },
  });
}

/** The same by a list: the place made the one unclaimed order at its terms in a list requested after the answer. */
export function identifyByList(orders: Orders, openOrders: readonly Order[], span: Span): void {
  const isUnclaimed = (order: Order): boolean => {
    const known = recordOf(orders, order.orderId);
    return (known === undefined || (known.kind === "unidentified" && known.end === null)) && !isConditional(order);
  };
  identifyUnique(orders.live, {
    candidates: () => openOrders.filter(isUnclaimed),
    isMeant({ order }, listed) {
      const filled = orders.unidentified.get(listed.orderId)?.filled ?? 0n;
      const isWhole = listed.size === order.size || listed.size + filled === order.size;
      const isThere = listed.marketId === order.marketId && listed.side === order.side;
      return isThere && listed.price === order.price && isWhole;
    },
    answeredBy: askedMsOf(orders, span),
    onFound: (record, listed) => identify(orders, record, listed.orderId, "inferred"),
  });
}

/** Finds the one candidate that each place may have made, where it fits no other place. `answeredBy`: monotonic ms. */
function identifyUnique<C>(
  live: Iterable<TrackedRecord>,
  {
    candidates,
    isMeant,
    answeredBy,
    onFound,
  }: {
    readonly candidates: () => readonly C[];
    readonly isMeant: (record: TrackedRecord, candidate: C) => boolean;
    readonly answeredBy: number;
    readonly onFound: (record: TrackedRecord, candidate: C) => void;
  },
): void {
  const unnamed = [...live].filter(({ order, state }) => order.orderId === null && state !== "executed");
  if (unnamed.every(({ placeUnshown }) => placeUnshown === null)) return;
  const all = candidates();
  for (const record of unnamed) {
    if (record.placeUnshown === null || record.placeUnshown.sinceMs > answeredBy) continue;
    const [first, ...more] = all.filter((candidate) => isMeant(record, candidate));
    if (first === undefined || more.length > 0) continue;
    if (unnamed.some((other) => other !== record && isMeant(other, first))) continue;
    onFound(record, first);
  }
}

/** When the list was requested, monotonic ms. */
const askedMsOf = ({ readLagMaxMs }: Orders, { fromMs }: Span): number => fromMs + readLagMaxMs;

/**
 * A modify is done where a list requested after its success shows the order at new terms. Compares what remains, and learns whether sizes
 * of modifies and rows mean the whole or what remains.
 */
export function showModifies(orders: Orders, record: TrackedRecord, row: Order, span: Span): void {
  const { order, filled, held, modifies } = record;
  if (modifies.size === 0) return;
  const now = termsOf(order.price, order.size, filled);
  const found = meaningsOf(orders, record, row).filter(
    ({ order: of }) => !held.wasHeld(termsOf(of.price, of.size, of.filledSize), now, span),
  );
  for (const [nonce, modify] of modifies) {
    const { unshown, price, size: whole, isSizeOpen } = modify;
    if (unshown === null || unshown.sinceMs > askedMsOf(orders, span) || row.price !== price) continue;
    const isMeant = ({ order: { remainingSize } }: Meaning): boolean =>
      remainingSize === whole - filled || (isSizeOpen && remainingSize === whole);
    const meant = found.find(isMeant);
    if (meant === undefined) continue;
    const { remainingSize } = meant.order;
    if (isSizeOpen && found.length === 1) learnModifySize(orders, whole, filled, remainingSize);
    confirmModify(orders, record, nonce);
    setTerms(orders, record, { price, size: size(remainingSize + filled) });
    return;
  }
}

/** A cancel without its event is done once both lists, requested `readLagMaxMs` after the answer, lack the order. */
export function showCancels(
  orders: Orders,
  { openOrders, unreadable }: OpenOrders,
  list: OrderListName,
  span: Span,
): void {
  const due = [...orders.live].filter(
    ({ cancelUnshown }) => cancelUnshown !== null && cancelUnshown.sinceMs <= span.fromMs,
  );
  if (due.length === 0) return;
  const listed = new Set<OrderId | null>([...openOrders, ...unreadable].map(({ orderId }) => orderId));
  for (const record of due) {
    const { cancelUnshown, order } = record;
    if (cancelUnshown === null) continue;
    if (listed.has(order.orderId)) {
      record.cancelUnshown = null;
      cancelReturned(orders, record);
      misunderstood(orders, record, "cancel", cancelUnshown);
      continue;
    }
    const missedBy = new Set([...cancelUnshown.missedBy, list]);
    record.cancelUnshown = { ...cancelUnshown, missedBy };
    if (missedBy.size < 2) continue;
    endOrder(orders, record, { why: "canceled", reason: null });
    learn(orders, "cancel", "list");
  }
}

/** Places and modifies whose effect an account list requested `readLagMaxMs` after their answers does not show are overdue. */
export function judgeUnshown(orders: Orders, span: Span): void {
  for (const record of orders.live) {
    const { placeUnshown } = record;
    if (isLate(placeUnshown, span)) {
      record.placeUnshown = { ...placeUnshown, isOverdue: true };
      misunderstood(orders, record, "place", placeUnshown);
    }
    for (const [nonce, modify] of record.modifies) {
      const { unshown } = modify;
      if (!isLate(unshown, span)) continue;
      record.modifies.set(nonce, { ...modify, unshown: { ...unshown, isOverdue: true } });
      misunderstood(orders, record, "modify", unshown);
    }
  }
}

const isLate = (unshown: Unshown | null, { fromMs }: Span): unshown is Unshown =>
  unshown !== null && !unshown.isOverdue && unshown.sinceMs <= fromMs;
