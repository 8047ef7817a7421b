// The few things that can be done to a tracked order. Every change of state goes through the table of order-states.ts; what can
// still fill is computed in one place, from the whole size, the unanswered modifies and the fills booked.

import type { TimeInForce, TrackedOrder } from "../../../domain/order.ts";
import { type AccountId, type OrderId, type Price, type Size, size } from "../../../domain/units.ts";
import { assert } from "../../../kernel/assert.ts";
import type { FeedEffect, OrderEnd, Suspicion } from "../effects.ts";
import type { LateOrders } from "./late-orders.ts";
import type { Evidence } from "./order-event.ts";
import {
  type Canceled,
  createAskedTerms,
  dropRecord,
  type HeardOf,
  type HeardRecord,
  isFillPending,
  mayBe,
  type OrderRecords,
  putRecord,
  recordOf,
  type TrackedRecord,
  vacate,
} from "./order-records.ts";
import { isLive, nextState, type OrderTrigger, shownState } from "./order-states.ts";

/** What the tracker works on: the records, the evidence at hand, and the effects of applying it. */
export type Tracking = {
  readonly accountId: AccountId;
  readonly records: OrderRecords;
  readonly late: LateOrders;
  evidence: Evidence;
  effects: FeedEffect[];
  /** Suspected orders that traded, and since when, monotonic ms: foreign, unless the exchange itself closed a position by them. */
  readonly doubted: Map<TrackedRecord, number>;
  /** Last liquidation of the account, monotonic ms; null: none yet. */
  liquidatedMs: number | null;
  /** When orders were last asked to be checked, monotonic ms. */
  checkedMs: readonly number[];
  /** When a fill was last found whose frames the open stream had lost, monotonic ms; minus infinity: none was. */
  frameLostMs: number;
  /** When the stream was last opened, monotonic ms; minus infinity: not yet. */
  openedMs: number;
  /** A CancelAllOrders of ours has canceled an order of this account: it does not act on another one, such as the master. */
  hasCancelAllReached: boolean;
};

/** Begins to track an order. `filled` is what was filled before we knew it. */
export function track(
  { records, evidence }: Tracking,
  order: Omit<TrackedOrder, "remainingSize" | "pending" | "movingTo" | "sinceMs" | "isForeign">,
  known: { readonly timeInForce: TimeInForce; readonly filled: Size; readonly origin: TrackedRecord["origin"] },
): TrackedRecord {
  const { receivedMs: nowMs } = evidence;
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
    },
    filled: known.filled,
    timeInForce: known.timeInForce,
    origin: known.origin,
    isIdInferred: false,
    toldFilled: size(0n),
    sentReduceOnly: order.reduceOnly,
    isRecalled: false,
    modifies: new Map(),
    askedMs: createAskedTerms(),
    placedMs: null,
    lackedMs: null,
    missedMs: null,
    mayBeOver: false,
    cancelsInFlight: 0,
    cancelSentMs: 0,
    canceled: null,
    sentMs: nowMs,
    changedMs: nowMs,
  };
  records.live.add(record);
  if (order.nonce !== null) records.byNonce.set(order.nonce, record);
  if (order.orderId !== null) putRecord(records, order.orderId, record);
  reshape(records, record, {}, nowMs);
  return record;
}

/** Applies a trigger of the table to a live order. What the table does not allow changes nothing, and the account is read again. */
export function move(tracking: Tracking, record: TrackedRecord, trigger: OrderTrigger): void {
  const next = nextState(record.state, trigger);
  if (!isLive(next)) {
    suspect(tracking, "illegalTransition");
    return;
  }
  const { receivedMs: nowMs } = tracking.evidence;
  if (next === "canceled") vacate(tracking.records, record, nowMs);
  record.state = next === "working" && record.cancelsInFlight > 0 ? "canceling" : next;
  if (record.state !== "canceled") record.canceled = null;
  const state = shownState(record.state);
  reshape(tracking.records, record, state === record.order.state ? {} : { state, sinceMs: nowMs }, nowMs);
}

/** An order that none of our transactions made: gone before it was seen twice, it was no race either. */
export function foreignOrder(accountId: AccountId, { order: { orderId, marketId } }: TrackedRecord): FeedEffect {
  assert(orderId !== null, "an order that we did not send was heard of by its id");
  return { kind: "foreign", accountId, marketId, orderId, what: "order" };
}

/** Why an order is over; `reason` is the exchange's own word where there is one. */
type End = {
  readonly trigger?: Extract<OrderTrigger, "declined" | "provenLanded">;
  readonly why: OrderEnd;
  readonly reason?: string;
  /** When it was heard to be gone, monotonic ms, if that was before now. */
  readonly goneMs?: number;
};

/** The order is over: it is no longer tracked, and its id is remembered as ours. False where the table forbids that. */
export function endOrder(tracking: Tracking, record: TrackedRecord, end: End): boolean {
  const { trigger, why, reason } = end;
  const next = nextState(record.state, trigger ?? "ended");
  if (next === undefined || isLive(next)) {
    suspect(tracking, "illegalTransition");
    return false;
  }
  forget(tracking, record);
  const { accountId, effects, evidence } = tracking;
  if (record.origin === "suspected" && !tracking.doubted.has(record)) effects.push(foreignOrder(accountId, record));
  const goneMs = end.goneMs ?? record.canceled?.goneMs ?? evidence.receivedMs;
  effects.push({ kind: "orderEnded", accountId, order: record.order, why, reason: reason ?? null, goneMs });
  return true;
}

/**
 * The order no longer rests. That ends it where no fill can come after it (`isFinal`), no trade of it waits for its fill, and no answer
 * said that more of it was filled; otherwise it waits for its last fills, and what is left of it counts as filled.
 */
export function cancelOrder(
  tracking: Tracking,
  record: TrackedRecord,
  { isFinal, reason, why = "canceled", ...heard }: Pick<Canceled, "isFinal" | "reason"> & Partial<Canceled>,
): void {
  const sinceMs = tracking.evidence.receivedMs;
  const goneMs = record.canceled?.goneMs ?? heard.goneMs ?? sinceMs;
  const lacksFill = isFillPending(tracking.records, record.order.orderId) || record.toldFilled > record.filled;
  if (isFinal && !lacksFill) {
    endOrder(tracking, record, { why, reason, goneMs });
  } else {
    if (record.canceled?.why !== "canceled" || isFinal) record.canceled = { sinceMs, goneMs, isFinal, reason, why };
    move(tracking, record, "cancelConfirmed");
  }
}

/**
 * The exchange calls this order `orderId`. What was heard of the id before is applied now. The order's own answer beats an inference:
 * an order whose id was inferred loses it and is unresolved again.
 */
export function identify(
  tracking: Tracking,
  record: TrackedRecord,
  orderId: OrderId,
  by: "answer" | "inference",
): void {
  const { records, evidence, accountId } = tracking;
  const { orderId: before, marketId, side, nonce } = record.order;
  if (before === orderId) {
    if (by === "inference" || !record.isIdInferred) return;
    record.isIdInferred = false;
    reshape(records, record, { reduceOnly: record.sentReduceOnly }, evidence.receivedMs);
    return;
  }
  const known = recordOf(records, orderId);
  const filled = known?.filled ?? size(0n);
  if (known?.kind === "tracked") {
    if (known.isIdInferred) misidentified(tracking, known);
    else forget(tracking, known);
  }
  if (before !== null) {
    const known = { endedMs: null, placedMs: null, filled: size(0n) };
    putRecord(records, before, { kind: "past", isOurs: true, marketId, side, ...known });
  }
  putRecord(records, orderId, record);
  record.filled = filled;
  record.isIdInferred = by === "inference";
  reshape(records, record, { orderId, reduceOnly: record.sentReduceOnly }, evidence.receivedMs);
  move(tracking, record, "accepted");
  const canceled = known?.kind === "heard" ? known.canceled : null;
  if (!endIfFilled(tracking, record) && canceled !== null) cancelOrder(tracking, record, canceled);
  const { sentMs } = record;
  const { price, size: whole } = record.order;
  tracking.effects.push({
    kind: "identified",
    accountId,
    nonce,
    orderId,
    marketId,
    side,
    price,
    size: whole,
    sentMs,
    by,
  });
}

/** The id inferred for the order is another's: the order is unresolved, as if nothing had been heard of it. */
export function misidentified(tracking: Tracking, record: TrackedRecord): void {
  const { records, evidence } = tracking;
  if (record.order.orderId !== null) dropRecord(records, record.order.orderId);
  record.isIdInferred = false;
  [record.filled, record.toldFilled] = [size(0n), size(0n)];
  reshape(records, record, { orderId: null, reduceOnly: record.sentReduceOnly }, evidence.receivedMs);
  move(tracking, record, "misidentified");
}

/** Some of the order was filled; the last of it ends the order, and so does the last fill that its cancel waited for. */
export function fillOrder(tracking: Tracking, record: TrackedRecord, filled: Size): void {
  const { records, evidence } = tracking;
  vacate(records, record, evidence.receivedMs);
  record.filled = size(record.filled + filled);
  reshape(records, record, {}, evidence.receivedMs);
  if (endIfFilled(tracking, record)) return;
  if (record.canceled?.isFinal) cancelOrder(tracking, record, record.canceled);
  else move(tracking, record, "partlyFilled");
}

/** Ends an order of which nothing is left, worst case of unanswered modifies included. */
export function endIfFilled(tracking: Tracking, record: TrackedRecord): boolean {
  if (record.order.remainingSize > 0n || !tracking.records.live.has(record)) return false;
  return endOrder(tracking, record, { why: "filled" });
}

/** Replaces what is shown of an order and recomputes what may still fill. */
export function reshape(
  records: OrderRecords,
  record: TrackedRecord,
  changes: Partial<Omit<TrackedOrder, "nonce" | "marketId" | "side" | "remainingSize" | "pending" | "movingTo">>,
  nowMs: number,
): void {
  const order = { ...record.order, ...changes };
  if (order.price !== record.order.price) vacate(records, record, nowMs);
  const pending = worstPending(order, record.modifies.values());
  const whole = pending !== null && pending.size > order.size ? pending.size : order.size;
  const remaining = whole - record.filled;
  const movingTo = Array.from(record.modifies.values(), ({ price, size: whole }) => ({
    price,
    size: size(whole - record.filled),
  }));
  record.order = { ...order, pending, movingTo, remainingSize: size(remaining > 0n ? remaining : 0n) };
  record.changedMs = nowMs;
  records.shown.delete(order.marketId);
  records.touched.add(order.marketId);
}

/** Something does not fit: the account should be read again. */
export function suspect({ accountId, effects }: Tracking, why: Suspicion): void {
  effects.push({ kind: "reconcileWanted", accountId, why });
}

/**
 * What was heard of an id that no acknowledgement named yet. One that may be ours is an effect: should we die now, a later life looks
 * for its fills.
 */
export function hear({ records, effects, accountId }: Tracking, orderId: OrderId, of: HeardOf): HeardRecord {
  const { marketId, side, sinceMs } = of;
  const known = records.heard.get(orderId);
  if (known !== undefined) {
    known.side ??= side;
    return known;
  }
  const heard: HeardRecord = {
    kind: "heard",
    marketId,
    side,
    sinceMs,
    placed: null,
    filled: size(0n),
    canceled: null,
    isJudged: false,
  };
  putRecord(records, orderId, heard);
  const candidate = [...records.live, ...records.landed].find((one) => mayBe(one, of));
  if (candidate !== undefined) {
    effects.push({ kind: "heard", accountId, orderId, marketId, side: candidate.order.side });
  }
  return heard;
}

/** Worst of what unanswered modifies may make of an order: the price that trades sooner, the larger size. */
function worstPending(
  order: Pick<TrackedOrder, "price" | "size" | "side">,
  modifies: Iterable<{ readonly price: Price; readonly size: Size }>,
): TrackedOrder["pending"] {
  let worst: TrackedOrder["pending"] = null;
  for (const modify of modifies) {
    const against: { readonly price: Price; readonly size: Size } = worst ?? order;
    const sooner: boolean = order.side === "buy" ? modify.price > against.price : modify.price < against.price;
    worst = {
      price: sooner ? modify.price : against.price,
      size: modify.size > against.size ? modify.size : against.size,
    };
  }
  return worst;
}

function forget({ records, evidence }: Tracking, record: TrackedRecord): void {
  const { orderId, nonce, marketId, side } = record.order;
  vacate(records, record, evidence.receivedMs);
  records.live.delete(record);
  if (nonce !== null) records.byNonce.delete(nonce);
  for (const modify of record.modifies.keys()) records.byNonce.delete(modify);
  if (orderId !== null) {
    const isOurs = record.origin === "ours";
    const [endedMs, placedMs] = [evidence.receivedMs, record.isIdInferred ? null : record.placedMs];
    putRecord(records, orderId, { kind: "past", isOurs, marketId, side, endedMs, placedMs, filled: size(0n) });
  }
  records.shown.delete(marketId);
  records.touched.add(marketId);
}
