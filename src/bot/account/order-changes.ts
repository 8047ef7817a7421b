// The few things that can be done to a tracked order. Every change of state goes through the table of order-states.ts; what can
// still fill is computed in one place, from the whole size, the unanswered modifies and the fills booked.

import type { Dialect, DialectKey, DialectWord } from "../../domain/dialect.ts";
import type { TimeInForce, TrackedOrder } from "../../domain/order.ts";
import { type AccountId, type Nonce, type OrderId, type Price, type Size, size } from "../../domain/units.ts";
import { assert } from "../../kernel/assert.ts";
import { frozen } from "../../kernel/frozen.ts";
import type { AccountEffect, OrderEnd, ShownAction, Suspicion } from "./effects.ts";
import { HeldStates } from "./evidence.ts";
import type { LateOrders } from "./late-orders.ts";
import {
  ABSENT,
  changed,
  type End,
  type OrderRecords,
  type PendingModify,
  putRecord,
  type ReceivedRecord,
  recordOf,
  type TrackedRecord,
  termsOf,
  type Unshown,
  vacate,
} from "./order-records.ts";
import { nextState, type OrderTrigger } from "./order-states.ts";

/** What the tracker works on: the records, the time of the event at hand, and the effects of applying it. */
export type Tracking = {
  readonly accountId: AccountId;
  /** How old a read may be when it is asked. */
  readonly readLagMaxMs: number;
  readonly records: OrderRecords;
  readonly late: LateOrders;
  /** Monotonic. */
  nowMs: number;
  effects: AccountEffect[];
  /** Last liquidation of the account, monotonic ms; null: none yet. */
  liquidatedMs: number | null;
  dialect: Dialect;
  /** A listed row has one size, which may be the whole or what remains. */
  areRowsUnclear: boolean;
  /** The exchange's frames show a modify as a cancel and a place of the same id. */
  areModifiesReplaced: boolean;
  /** Successes in a row without a visible effect. */
  readonly notUnderstood: Record<ShownAction, number>;
};

/** Begins to track an order. `filled` is what was filled before we knew it. */
export function track(
  { records, nowMs, readLagMaxMs }: Tracking,
  order: Omit<TrackedOrder, "remainingSize" | "pending" | "movingTo" | "sinceMs" | "isForeign" | "queueAhead">,
  known: { readonly timeInForce: TimeInForce; readonly filled: Size; readonly origin: TrackedRecord["origin"] },
): TrackedRecord {
  const record: TrackedRecord = {
    kind: "tracked",
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
    filled: known.filled,
    timeInForce: known.timeInForce,
    origin: known.origin,
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
  records.live.add(record);
  if (order.nonce !== null) records.byNonce.set(order.nonce, record);
  if (order.orderId !== null) {
    putRecord(records, order.orderId, record);
    record.held.left(ABSENT, nowMs, readLagMaxMs);
  }
  reshape(records, record, {});
  return record;
}

/** Applies a trigger of the table to a live order. What the table does not allow changes nothing, and the account is read again. */
export function move(tracking: Tracking, record: TrackedRecord, trigger: Exclude<OrderTrigger, "over">): void {
  const next = nextState(record.state, trigger);
  if (next === undefined || next === "over") {
    suspect(tracking, "illegalTransition");
    return;
  }
  const { nowMs, records } = tracking;
  if (next === "ended" || next === "executed") vacate(records, record, nowMs);
  record.state = next === "working" && record.cancelsInFlight > 0 ? "canceling" : next;
  const state = record.state === "ended" ? "canceling" : record.state === "executed" ? "unknown" : record.state;
  reshape(records, record, state === record.order.state ? {} : { state, sinceMs: nowMs });
}

/** An order that none of our transactions made. */
export function foreignOrder(accountId: AccountId, { order: { orderId, marketId } }: TrackedRecord): AccountEffect {
  assert(orderId !== null, "an order that we did not send was named by its id");
  return { kind: "foreign", accountId, marketId, orderId, what: "order" };
}

/** Nothing of the order can fill any longer: it is no longer tracked, and its id is remembered. */
export function forgetOrder(
  tracking: Tracking,
  record: TrackedRecord,
  why: OrderEnd,
  reason: string | null = null,
): void {
  if (nextState(record.state, "over") === undefined) {
    suspect(tracking, "illegalTransition");
    return;
  }
  const { accountId, effects, nowMs, records } = tracking;
  const { orderId, nonce, marketId } = record.order;
  vacate(records, record, nowMs);
  records.live.delete(record);
  if (nonce !== null) records.byNonce.delete(nonce);
  for (const modify of record.modifies.keys()) records.byNonce.delete(modify);
  const endedMs = record.end?.atMs ?? nowMs;
  if (orderId !== null)
    putRecord(
      records,
      orderId,
      record.origin === "received" ? receivedOf(record) : { kind: "past", isOurs: record.origin === "ours", endedMs },
    );
  changed(records, marketId);
  records.touched.add(marketId);
  effects.push({ kind: "orderOver", accountId, order: record.order, why, reason });
}

/** Whose order it was is not judged yet. */
const receivedOf = ({ order, sentMs, filled, end }: TrackedRecord): ReceivedRecord => ({
  kind: "received",
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
 * An event said that the order no longer rests. What is left of it counts as filled until trades or the position, of after this, show no
 * fill of it that we do not know.
 */
export function endOrder(tracking: Tracking, record: TrackedRecord, end: Omit<End, "atMs">): void {
  if (record.end !== null) return;
  const { accountId, effects, nowMs } = tracking;
  record.end = { ...end, atMs: nowMs };
  record.heldEnd = null;
  if (record.cancelUnshown !== null) record.cancelUnshown = shown(tracking, "cancel", record.cancelUnshown);
  move(tracking, record, "ended");
  effects.push({ kind: "orderEnded", accountId, order: record.order, ...end });
}

/** The exchange calls this order `orderId`. What was received about the id before is applied now. */
export function identify(tracking: Tracking, record: TrackedRecord, orderId: OrderId): void {
  const { records } = tracking;
  if (record.order.orderId === orderId) return;
  const known = recordOf(records, orderId);
  if (known?.kind === "tracked") {
    // A frame was ahead of the answer, and nothing of ours seemed to be on its way.
    records.live.delete(known);
  }
  if (known?.kind === "tracked" || known?.kind === "received") takeFilled(tracking, record, known.filled);
  putRecord(records, orderId, record);
  record.placeUnshown = shown(tracking, "place", record.placeUnshown);
  record.held.left(ABSENT, tracking.nowMs, tracking.readLagMaxMs);
  reshape(records, record, { orderId });
  move(tracking, record, "accepted");
  const end = known?.kind === "received" || known?.kind === "tracked" ? known.end : null;
  if (!endIfFilled(tracking, record) && end !== null) endOrder(tracking, record, end);
}

/** `identify` where no orderPlaced event names the order: has the ledger write it down. */
export function claim(tracking: Tracking, record: TrackedRecord, orderId: OrderId): void {
  const { marketId, side, price, size: whole } = record.order;
  identify(tracking, record, orderId);
  const { accountId, effects } = tracking;
  effects.push({ kind: "identified", accountId, orderId, marketId, side, price, size: whole });
}

/** Some of the order was filled; the last of it ends the order. */
export function fillOrder(tracking: Tracking, record: TrackedRecord, filled: Size): void {
  const { records, nowMs } = tracking;
  vacate(records, record, nowMs);
  takeFilled(tracking, record, size(record.filled + filled));
  reshape(records, record, {});
  endIfFilled(tracking, record);
}

function takeFilled({ nowMs, readLagMaxMs }: Tracking, record: TrackedRecord, filled: Size): void {
  const { price, size: whole } = record.order;
  record.held.left(termsOf(price, whole, record.filled), nowMs, readLagMaxMs);
  record.filled = filled;
}

/** Ends an order of which nothing is left, worst case of unanswered modifies included. */
export function endIfFilled(tracking: Tracking, record: TrackedRecord): boolean {
  if (record.order.remainingSize > 0n || !tracking.records.live.has(record)) return false;
  const { end } = record;
  forgetOrder(tracking, record, end?.why ?? "filled", end?.reason ?? null);
  return true;
}

/** The exchange said that the order has another price or size now. */
export function reprice(tracking: Tracking, record: TrackedRecord, terms: Pick<TrackedOrder, "price" | "size">): void {
  const { records, nowMs, readLagMaxMs } = tracking;
  const { price, size: whole } = record.order;
  if (price === terms.price && whole === terms.size) return;
  if (price !== terms.price) vacate(records, record, nowMs);
  record.held.left(termsOf(price, whole, record.filled), nowMs, readLagMaxMs);
  reshape(records, record, { price: terms.price, size: terms.size });
}

/** The modify was made: the order has its terms, and stands for its quote, from now on. */
export function settleModify(tracking: Tracking, record: TrackedRecord, nonce: Nonce): void {
  const modify = dropModify(tracking, record, nonce);
  if (modify === undefined) return;
  shown(tracking, "modify", modify.unshown);
  reprice(tracking, record, modify);
  reshape(tracking.records, record, { level: modify.level });
  if (endIfFilled(tracking, record)) return;
  move(tracking, record, record.state === "unknown" && record.modifies.size === 0 ? "resolved" : "modifyAnswered");
}

/** The modify is no longer pending; returns what it asked for. */
export function dropModify({ records }: Tracking, record: TrackedRecord, nonce: Nonce): PendingModify | undefined {
  const modify = record.modifies.get(nonce);
  record.modifies.delete(nonce);
  records.byNonce.delete(nonce);
  reshape(records, record, {});
  return modify;
}

/** Replaces what is shown of an order and recomputes what may still fill. */
export function reshape(
  records: OrderRecords,
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
  changed(records, order.marketId);
  records.touched.add(order.marketId);
}

/** Something does not fit: the account should be read. */
export function suspect({ accountId, effects }: Tracking, why: Suspicion): void {
  effects.push({ kind: "reconcileWanted", accountId, why });
}

/** What was received about an id that no acknowledgement named yet. */
export function hear(
  { records, nowMs }: Tracking,
  orderId: OrderId,
  of: Pick<ReceivedRecord, "marketId" | "side">,
): ReceivedRecord {
  const known = records.received.get(orderId);
  if (known !== undefined) {
    known.side ??= of.side;
    return known;
  }
  const received: ReceivedRecord = {
    kind: "received",
    ...of,
    sinceMs: nowMs,
    placed: null,
    filled: size(0n),
    end: null,
    isOurs: false,
    isJudged: false,
  };
  putRecord(records, orderId, received);
  return received;
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

/** The effect of a success is known. Returns null: nothing is awaited any longer. */
export function shown(
  { accountId, effects, notUnderstood }: Tracking,
  action: ShownAction,
  unshown: Unshown | null,
): null {
  notUnderstood[action] = 0;
  if (unshown !== null) effects.push({ kind: "shown", accountId, nonce: unshown.nonce });
  return null;
}

/** So many in a row are no accident. */
export const IN_ROW_MAX = 3;

/**
 * Nothing showed the effect of a success in time. Three modifies in a row turn modifies off, since a cancel and a place do the same. Three
 * places or cancels in a row mean that the exchange does nothing, or that we do not understand what it does.
 */
export function misunderstood(
  tracking: Tracking,
  { order: { marketId }, timeInForce }: TrackedRecord,
  action: ShownAction,
  { said }: Unshown,
): void {
  const { accountId, effects, notUnderstood } = tracking;
  // An order that may not rest and found no counterparty shows nothing.
  if (timeInForce === "GTC") notUnderstood[action] += 1;
  const isTooMany = notUnderstood[action] >= IN_ROW_MAX;
  if (isTooMany) notUnderstood[action] = 0;
  effects.push({ kind: "notUnderstood", accountId, marketId, action, said, isTooMany });
  if (isTooMany && action === "modify") learn(tracking, "modifySize", "none");
}

/** Keeps a word of the exchange's dialect, and reports it once. */
export function learn<K extends DialectKey>(tracking: Tracking, key: K, word: DialectWord<K>): void {
  if (tracking.dialect[key] !== null && word !== "none") return;
  tracking.dialect = { ...tracking.dialect, [key]: word };
  tracking.effects.push({ kind: "dialectLearned", accountId: tracking.accountId, key, word });
}

/** Only a partly filled order shows whether the size of a modify includes what is filled. */
export function learnModifySize(tracking: Tracking, asked: Size, filled: Size, remaining: Size): void {
  if (filled === 0n) return;
  if (remaining === asked - filled) learn(tracking, "modifySize", "total");
  else if (remaining === asked) learn(tracking, "modifySize", "remaining");
}

/** While another cancel is on its way the order stays canceling. */
export function cancelReturned(tracking: Tracking, record: TrackedRecord): void {
  if (record.cancelsInFlight > 0) record.cancelsInFlight -= 1;
  move(tracking, record, "cancelAnswered");
}
