// Changes to a tracked order. Every change of state goes through the table of states.ts; one function computes what can still fill, from
// the whole size, the unanswered modifies and the booked fills.

import type { TimeInForce, TrackedOrder } from "../../../domain/order.ts";
import { type Nonce, type OrderId, type Price, type Size, size } from "../../../domain/units.ts";
import { frozen } from "../../../kernel/frozen.ts";
import type { OrderEnd } from "../effects.ts";
import { HeldStates } from "../evidence.ts";
import { shown, suspect } from "./dialect.ts";
import {
  ABSENT,
  changed,
  type End,
  type Orders,
  type PendingModify,
  putRecord,
  recordOf,
  type TrackedRecord,
  termsOf,
  type UnidentifiedRecord,
  vacate,
} from "./records.ts";
import { nextState, type OrderTrigger } from "./states.ts";

/** Begins to track an order. `filled`: contracts filled before we knew it. */
export function track(
  orders: Orders,
  order: Omit<TrackedOrder, "remainingSize" | "pending" | "movingTo" | "sinceMs" | "isForeign" | "queueAhead">,
  known: { readonly timeInForce: TimeInForce; readonly filled: Size; readonly origin: TrackedRecord["origin"] },
): TrackedRecord {
  const { nowMs } = orders;
  const record: TrackedRecord = {
    kind: "tracked",
    ...known,
    state: order.state,
    order: {
      ...order,
      remainingSize: order.size,
      pending: null,
      movingTo: [],
      sinceMs: nowMs,
      isForeign: known.origin !== "ours",
      queueAhead: null,
    },
    modifies: new Map(),
    cancelsInFlight: 0,
    placeUnshown: null,
    cancelUnshown: null,
    heldEnd: null,
    replacements: 0,
    modifiedMs: null,
    end: null,
    sentMs: nowMs,
    held: new HeldStates(),
  };
  orders.live.add(record);
  if (order.nonce !== null) orders.byNonce.set(order.nonce, record);
  if (order.orderId !== null) {
    putRecord(orders, order.orderId, record);
    record.held.left(ABSENT, nowMs, orders.readLagMaxMs);
  }
  update(orders, record, {});
  return record;
}

/** Applies a trigger to a live order. One that the table does not allow changes nothing, and the account is read again. */
export function transition(orders: Orders, record: TrackedRecord, trigger: Exclude<OrderTrigger, "over">): void {
  const next = nextState(record.state, trigger);
  if (next === undefined || next === "over") {
    suspect(orders, "illegalTransition");
    return;
  }
  if (next === "ended" || next === "executed") vacate(orders, record);
  record.state = next === "working" && record.cancelsInFlight > 0 ? "canceling" : next;
  const state = record.state === "ended" ? "canceling" : record.state === "executed" ? "unknown" : record.state;
  update(orders, record, state === record.order.state ? {} : { state, sinceMs: orders.nowMs });
}

/** Nothing of the order can fill any longer: stops tracking it and remembers its id. */
export function forgetOrder(orders: Orders, record: TrackedRecord, why: OrderEnd, reason: string | null = null): void {
  if (nextState(record.state, "over") === undefined) {
    suspect(orders, "illegalTransition");
    return;
  }
  const { accountId, effects, nowMs } = orders;
  const { orderId, nonce, marketId } = record.order;
  vacate(orders, record);
  orders.live.delete(record);
  if (nonce !== null) orders.byNonce.delete(nonce);
  for (const modify of record.modifies.keys()) orders.byNonce.delete(modify);
  const endedMs = record.end?.atMs ?? nowMs;
  if (orderId !== null)
    putRecord(
      orders,
      orderId,
      record.origin === "received" ? unjudged(record) : { kind: "past", isOurs: record.origin === "ours", endedMs },
    );
  changed(orders, marketId);
  orders.touched.add(marketId);
  effects.push({ kind: "orderOver", accountId, order: record.order, why, reason });
}

/** A record of an order whose owner is not known yet. */
const unjudged = ({ order, sentMs, filled, end }: TrackedRecord): UnidentifiedRecord => ({
  kind: "unidentified",
  marketId: order.marketId,
  side: order.side,
  sinceMs: sentMs,
  placed: { price: order.price, size: order.size },
  filled,
  end: end ?? { why: "expired", reason: null, atMs: sentMs },
  isOurs: false,
  isJudged: false,
});

/**
 * An event said that the order no longer rests. Its rest counts as filled until trades or the position, read after this, show no unknown
 * fill of the order.
 */
export function endOrder(orders: Orders, record: TrackedRecord, end: Omit<End, "atMs">): void {
  if (record.end !== null) return;
  const { accountId, effects, nowMs } = orders;
  record.end = { ...end, atMs: nowMs };
  record.heldEnd = null;
  if (record.cancelUnshown !== null) record.cancelUnshown = shown(orders, "cancel", record.cancelUnshown);
  transition(orders, record, "ended");
  effects.push({ kind: "orderEnded", accountId, order: record.order, ...end });
}

/**
 * The exchange calls this order `orderId`. Applies earlier messages about the id. Where no orderPlaced event named it, the id is
 * `inferred`, and an effect has the ledger store it.
 */
export function identify(orders: Orders, record: TrackedRecord, orderId: OrderId, by: "event" | "inferred"): void {
  const { marketId, side, price, size: whole } = record.order;
  if (record.order.orderId !== orderId) applyIdentity(orders, record, orderId);
  const { accountId, effects } = orders;
  if (by === "inferred") effects.push({ kind: "identified", accountId, orderId, marketId, side, price, size: whole });
}

function applyIdentity(orders: Orders, record: TrackedRecord, orderId: OrderId): void {
  const known = recordOf(orders, orderId);
  // A frame was ahead of the answer, and nothing of ours seemed to be on its way.
  if (known?.kind === "tracked") orders.live.delete(known);
  const before = known?.kind === "past" ? undefined : known;
  if (before !== undefined) takeFilled(orders, record, before.filled);
  putRecord(orders, orderId, record);
  record.placeUnshown = shown(orders, "place", record.placeUnshown);
  record.held.left(ABSENT, orders.nowMs, orders.readLagMaxMs);
  update(orders, record, { orderId });
  transition(orders, record, "accepted");
  const end = before?.end ?? null;
  if (!endIfFilled(orders, record) && end !== null) endOrder(orders, record, end);
}

/** Some of the order was filled; its last fill ends it. */
export function fillOrder(orders: Orders, record: TrackedRecord, filled: Size): void {
  vacate(orders, record);
  takeFilled(orders, record, size(record.filled + filled));
  update(orders, record, {});
  endIfFilled(orders, record);
}

function takeFilled({ nowMs, readLagMaxMs }: Orders, record: TrackedRecord, filled: Size): void {
  const { price, size: whole } = record.order;
  record.held.left(termsOf(price, whole, record.filled), nowMs, readLagMaxMs);
  record.filled = filled;
}

/** Ends an order that has nothing left, worst case of unanswered modifies included. */
export function endIfFilled(orders: Orders, record: TrackedRecord): boolean {
  if (record.order.remainingSize > 0n || !orders.live.has(record)) return false;
  const { end } = record;
  forgetOrder(orders, record, end?.why ?? "filled", end?.reason ?? null);
  return true;
}

/** The exchange gave the order this price and whole size. */
export function setTerms(orders: Orders, record: TrackedRecord, terms: Pick<TrackedOrder, "price" | "size">): void {
  const { price, size: whole } = record.order;
  if (price === terms.price && whole === terms.size) return;
  if (price !== terms.price) vacate(orders, record);
  record.held.left(termsOf(price, whole, record.filled), orders.nowMs, orders.readLagMaxMs);
  update(orders, record, { price: terms.price, size: terms.size });
}

/** The modify executed: from now on the order has its terms and belongs to its quote. */
export function confirmModify(orders: Orders, record: TrackedRecord, nonce: Nonce): void {
  const modify = dropModify(orders, record, nonce);
  if (modify === undefined) return;
  shown(orders, "modify", modify.unshown);
  setTerms(orders, record, modify);
  update(orders, record, { level: modify.level });
  modifyReturned(orders, record);
}

/** The modify is no longer pending; returns its terms. */
export function dropModify(orders: Orders, record: TrackedRecord, nonce: Nonce): PendingModify | undefined {
  const modify = record.modifies.get(nonce);
  record.modifies.delete(nonce);
  orders.byNonce.delete(nonce);
  update(orders, record, {});
  return modify;
}

/** A modify was answered or resolved: the order is over if nothing is left, and known again if no other modify is pending. */
export function modifyReturned(orders: Orders, record: TrackedRecord): void {
  if (endIfFilled(orders, record)) return;
  const isKnownAgain = record.state === "unknown" && record.modifies.size === 0;
  transition(orders, record, isKnownAgain ? "resolved" : "modifyAnswered");
}

/** While another cancel is on its way the order stays canceling. */
export function cancelReturned(orders: Orders, record: TrackedRecord): void {
  if (record.cancelsInFlight > 0) record.cancelsInFlight -= 1;
  transition(orders, record, "cancelAnswered");
}

/** Replaces what views show of an order and recomputes what may still fill. */
export function update(
  orders: Orders,
  record: TrackedRecord,
  changes: Partial<Omit<TrackedOrder, "nonce" | "marketId" | "side" | "remainingSize" | "pending" | "movingTo">>,
): void {
  const order = { ...record.order, ...changes };
  const pending = worstPending(order, record);
  const whole = pending !== null && pending.size > order.size ? pending.size : order.size;
  const remaining = whole - record.filled;
  const movingTo = frozen(
    Array.from(record.modifies.values(), ({ price, size: whole }) => ({ price, size: size(whole - record.filled) })),
  );
  const remainingSize = size(remaining > 0n ? remaining : 0n);
  record.order = Object.freeze({ ...order, pending: frozen(pending), movingTo, remainingSize });
  changed(orders, order.marketId);
  orders.touched.add(order.marketId);
}

/**
 * Worst case of the pending modifies: the price that trades sooner, the larger size. While the dialect is unknown, a size counts as what
 * remains.
 */
function worstPending(
  order: Pick<TrackedOrder, "price" | "size" | "side">,
  { modifies, filled }: Pick<TrackedRecord, "modifies" | "filled">,
): TrackedOrder["pending"] {
  let worst: TrackedOrder["pending"] = null;
  for (const modify of modifies.values()) {
    const against: { readonly price: Price; readonly size: Size } = worst ?? order;
    const sooner: boolean = order.side === "buy" ? modify.price > against.price : modify.price < against.price;
    const whole: Size = modify.isSizeOpen ? size(modify.size + filled) : modify.size;
    worst = {
      price: sooner ? modify.price : against.price,
      size: whole > against.size ? whole : against.size,
    };
  }
  return worst;
}
