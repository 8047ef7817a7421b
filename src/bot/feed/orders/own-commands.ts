// What became of our own transactions: sent, answered, resolved. Each command moves the orders it was aimed at, and nothing counts as
// done without an event that says so: success alone proves neither resting nor filled nor canceled.

import type { CancelAllCommand, CancelCommand, Command, ModifyCommand, PlaceCommand } from "../../../domain/command.ts";
import type { SubmitOutcome, TransactionEvent } from "../../../domain/event.ts";
import { type Nonce, type OrderId, size } from "../../../domain/units.ts";
import {
  cancelOrder,
  endIfFilled,
  endOrder,
  hear,
  identify,
  misidentified,
  move,
  reshape,
  suspect,
  type Tracking,
  track,
} from "./order-changes.ts";
import type { OrderEventOf } from "./order-event.ts";
import { claimHeard, placed } from "./order-frames.ts";
import { isResting, noteAsked, recordOf, type TrackedRecord } from "./order-records.ts";
import { rememberLanded } from "./unidentified-orders.ts";

/** The exchange's reason for a cancel that a key asked for (S6.2). */
const BY_KEY = "UserCanceled";

/** The order may be live from here on. The same bytes sent again change nothing. */
export function sent(tracking: Tracking, { nonce, command, isFromEarlierLife = false }: OrderEventOf<"sent">): void {
  const { records, evidence } = tracking;
  if (command.kind === "place") {
    if (records.byNonce.has(nonce)) return;
    const record = trackPlace(tracking, nonce, command);
    if (isFromEarlierLife) return;
    record.placedMs = evidence.receivedMs;
    noteAsked(record, command, evidence.receivedMs);
  } else if (command.kind === "cancelAll") {
    const reached = [...records.live].filter(({ order }) => reaches(command, order.marketId));
    records.cancelAlls.set(nonce, { sentMs: evidence.receivedMs, reached });
    for (const record of reached) cancelSent(tracking, record);
  } else {
    const record = records.tracked.get(command.orderId);
    if (record === undefined) return;
    if (command.kind === "cancel") cancelSent(tracking, record);
    else if (!record.modifies.has(nonce)) modifySent(tracking, record, nonce, command, isFromEarlierLife);
  }
}

/** The id that the answer's own events give to what we placed, before any of them is applied. */
export function acknowledged(tracking: Tracking, { nonce, command, events }: OrderEventOf<"acknowledged">): void {
  const { records } = tracking;
  const orderId = placedId(tracking, command, events);
  if (orderId === undefined) return;
  const known = records.byNonce.get(nonce);
  if (known === undefined && recordOf(records, orderId)?.kind === "past") return;
  identify(tracking, known ?? trackPlace(tracking, nonce, command), orderId, "answer");
}

/** The outcome of a submit, after its events were applied. */
export function answered(tracking: Tracking, { nonce, command, outcome }: OrderEventOf<"answered">): void {
  if (command.kind === "place") placeAnswered(tracking, nonce, command, outcome);
  else if (command.kind === "modify") modifyAnswered(tracking, nonce, command, outcome);
  else if (command.kind === "cancel") cancelAnswered(tracking, command, outcome);
  else cancelAllAnswered(tracking, nonce, outcome);
}

/** A lost answer of a place or modify was resolved; orders and positions were read before a verdict of `landed`. */
export function resolved(tracking: Tracking, { nonce, command, verdict }: OrderEventOf<"resolved">): void {
  const record = tracking.records.byNonce.get(nonce);
  if (record === undefined) return;
  if (command.kind === "modify") {
    modifyResolved(tracking, record, nonce, verdict);
    return;
  }
  if (verdict === "neverLanded") {
    if (record.isIdInferred) giveBack(tracking, record);
    endOrder(tracking, record, { why: "neverLanded" });
  } else if (
    record.order.orderId === null &&
    endOrder(tracking, record, { trigger: "provenLanded", why: "vanished" })
  ) {
    rememberLanded(tracking.records, record, tracking.evidence.receivedMs);
  }
}

export function modified(tracking: Tracking, event: OrderEventOf<"modified">): void {
  const record = tracking.records.tracked.get(event.orderId);
  if (record === undefined) return;
  const told = size(event.size - event.remainingSize);
  if (told > record.toldFilled) record.toldFilled = told;
  reshape(tracking.records, record, { price: event.price, size: event.size }, event.receivedMs);
}

/** When the transaction that an answer or a resolution speaks of was sent, monotonic ms; undefined where nothing waits for it. */
export function sentMsOf({ records }: Tracking, nonce: Nonce, command: Command): number | undefined {
  if (command.kind === "cancelAll") return records.cancelAlls.get(nonce)?.sentMs;
  if (command.kind === "cancel") {
    const record = records.tracked.get(command.orderId);
    return record !== undefined && record.cancelsInFlight > 0 ? record.cancelSentMs : undefined;
  }
  const record = records.byNonce.get(nonce);
  return command.kind === "place" ? record?.sentMs : record?.modifies.get(nonce)?.sentMs;
}

/** The inferred id belongs to another order, since ours never landed. */
function giveBack(tracking: Tracking, record: TrackedRecord): void {
  const { evidence } = tracking;
  const { filled } = record;
  const { orderId, marketId, side, price, size: whole } = record.order;
  if (orderId === null) return;
  misidentified(tracking, record);
  record.sentMs = Number.POSITIVE_INFINITY; // It cannot claim the id again.
  const terms = { price, size: whole };
  hear(tracking, orderId, { marketId, side, terms, sinceMs: evidence.receivedMs }).filled = filled;
  placed(tracking, { ...evidence, kind: "placed", order: { orderId, marketId, side, price, size: whole } });
}

function trackPlace(tracking: Tracking, nonce: Nonce, command: PlaceCommand): TrackedRecord {
  const { marketId, side, price, size: whole, reduceOnly, postOnly, level, timeInForce } = command;
  return track(
    tracking,
    {
      nonce,
      orderId: null,
      marketId,
      side,
      price,
      size: whole,
      reduceOnly,
      postOnly,
      isConditional: false,
      state: "inFlight",
      level,
    },
    { timeInForce: command.orderType === "Market" ? "IOC" : timeInForce, filled: size(0n), origin: "ours" },
  );
}

/** A placement names it; so does a fill as taker, or the cancel of what would not rest (S6.1, trap 35). */
function placedId(
  { records, accountId }: Tracking,
  command: PlaceCommand,
  events: readonly TransactionEvent[],
): OrderId | undefined {
  for (const event of events) {
    if (event.type !== "orderPlaced" || event.accountId !== accountId) continue;
    if (event.marketId === command.marketId && event.side === command.side) return event.orderId;
  }
  for (const event of events) {
    if (event.type === "fill" && event.execution.takerAccountId === accountId) return event.execution.takerOrderId;
    if (event.type !== "orderCanceled" || event.accountId !== accountId || event.marketId !== command.marketId)
      continue;
    const known = recordOf(records, event.orderId);
    if (known === undefined || known.kind === "heard") return event.orderId;
  }
  return undefined;
}

function placeAnswered(tracking: Tracking, nonce: Nonce, command: PlaceCommand, outcome: SubmitOutcome): void {
  const record = tracking.records.byNonce.get(nonce);
  if (record === undefined) return;
  if (outcome.kind === "unknown") {
    answerLost(tracking, record);
  } else if (outcome.kind !== "executed") {
    const reason = outcome.kind === "notSent" ? outcome.why : outcome.error;
    endOrder(tracking, record, { trigger: "declined", why: outcome.kind, reason });
  } else if (record.timeInForce !== "GTC" || command.orderType === "Market") {
    endOrder(tracking, record, { why: "expired" });
  } else if (record.order.orderId === null) {
    move(tracking, record, "answerLost");
    suspect(tracking, "answerSilent");
    claimHeard(tracking);
  }
}

function modifySent(
  tracking: Tracking,
  record: TrackedRecord,
  nonce: Nonce,
  command: ModifyCommand,
  isFromEarlierLife: boolean,
): void {
  const { records, evidence } = tracking;
  const terms = { price: command.newPrice ?? record.order.price, size: command.newSize ?? record.order.size };
  record.modifies.set(nonce, { ...terms, level: command.level, sentMs: evidence.receivedMs });
  if (!isFromEarlierLife) noteAsked(record, terms, evidence.receivedMs);
  records.byNonce.set(nonce, record);
  move(tracking, record, "modifySent");
}

function modifyAnswered(tracking: Tracking, nonce: Nonce, command: ModifyCommand, outcome: SubmitOutcome): void {
  const { records, evidence } = tracking;
  const record = records.tracked.get(command.orderId);
  if (record === undefined || !record.modifies.has(nonce)) return;
  if (outcome.kind === "unknown") {
    answerLost(tracking, record);
    return;
  }
  const wanted = endModify(tracking, record, nonce);
  if (outcome.kind === "executed" || outcome.kind === "refused") record.mayBeOver = outcome.kind === "refused";
  if (outcome.kind !== "executed") {
    suspect(tracking, "actionFailed");
  } else if (outcome.events.some((event) => event.type === "orderModified" && event.orderId === command.orderId)) {
    reshape(records, record, { level: command.level }, evidence.receivedMs);
  } else {
    // No list of events is promised (S6.1): the order is as we asked, and a read checks that.
    reshape(records, record, wanted, evidence.receivedMs);
    suspect(tracking, "answerSilent");
  }
  if (endIfFilled(tracking, record)) return;
  move(tracking, record, record.state === "unknown" && record.modifies.size === 0 ? "resolved" : "modifyAnswered");
}

function modifyResolved(
  tracking: Tracking,
  record: TrackedRecord,
  nonce: Nonce,
  verdict: OrderEventOf<"resolved">["verdict"],
): void {
  const wanted = endModify(tracking, record, nonce);
  // Landed and still listed: the reads that proved it show price and size, or the next one will.
  if (verdict === "landed") reshape(tracking.records, record, wanted, tracking.evidence.receivedMs);
  if (!endIfFilled(tracking, record) && record.modifies.size === 0) move(tracking, record, "resolved");
  if (verdict === "landed") suspect(tracking, "answerLost");
}

/** The modify is no longer pending; returns what it asked for. */
function endModify({ records, evidence }: Tracking, record: TrackedRecord, nonce: Nonce) {
  const modify = record.modifies.get(nonce);
  record.modifies.delete(nonce);
  records.byNonce.delete(nonce);
  reshape(records, record, {}, evidence.receivedMs);
  return modify === undefined ? {} : { price: modify.price, size: modify.size, level: modify.level };
}

/**
 * Executed: the order is canceled, whatever the events say of it. Refused: it was filled or canceled before. Either way it no longer
 * rests, and its last fills are pending. A cancel that failed otherwise, or was lost, may simply be tried again (S5).
 */
function cancelAnswered(tracking: Tracking, command: CancelCommand, outcome: SubmitOutcome): void {
  const record = tracking.records.tracked.get(command.orderId);
  if (record === undefined) return;
  cancelReturned(tracking, record);
  if (outcome.kind === "unknown") record.mayBeOver = true;
  if (!isResting(record)) return;
  if (outcome.kind === "executed") {
    cancelOrder(tracking, record, { isFinal: false, reason: BY_KEY });
  } else if (outcome.kind === "refused") {
    cancelOrder(tracking, record, { isFinal: false, reason: outcome.error, why: "vanished" });
  }
  suspect(tracking, outcome.kind === "executed" ? "answerSilent" : "actionFailed");
}

function cancelAllAnswered(tracking: Tracking, nonce: Nonce, outcome: SubmitOutcome): void {
  const { records } = tracking;
  const left = (records.cancelAlls.get(nonce)?.reached ?? []).filter((record) => records.live.has(record));
  records.cancelAlls.delete(nonce);
  for (const record of left) cancelReturned(tracking, record);
  if (outcome.kind === "executed") provenGone(tracking, left, outcome.events);
  if (left.some(isResting)) suspect(tracking, outcome.kind === "executed" ? "answerSilent" : "actionFailed");
}

/**
 * A CancelAllOrders that executes and cancels nothing proves that no order acknowledged before it was sent still rests. It counts once
 * a CancelAllOrders of ours has canceled an order of this account: a master's key may act on another account of the family (S4.6).
 */
function provenGone(tracking: Tracking, left: readonly TrackedRecord[], events: readonly TransactionEvent[]): void {
  const { accountId } = tracking;
  const isAnyCanceled = events.some((event) => event.type === "orderCanceled" && event.accountId === accountId);
  if (isAnyCanceled) tracking.hasCancelAllReached = true;
  if (isAnyCanceled || !tracking.hasCancelAllReached) return;
  for (const record of left) {
    const isKnown = record.order.orderId !== null && (record.state === "working" || record.state === "canceling");
    if (isKnown) cancelOrder(tracking, record, { isFinal: false, reason: BY_KEY, why: "vanished" });
  }
}

const reaches = (command: CancelAllCommand, marketId: Command["marketId"]): boolean =>
  command.marketId === null || command.marketId === marketId;

function cancelSent(tracking: Tracking, record: TrackedRecord): void {
  if (record.cancelsInFlight === 0) record.cancelSentMs = tracking.evidence.receivedMs;
  record.cancelsInFlight += 1;
  move(tracking, record, "cancelSent");
}

/** While another cancel is on its way the order stays canceling. */
function cancelReturned(tracking: Tracking, record: TrackedRecord): void {
  if (record.cancelsInFlight > 0) record.cancelsInFlight -= 1;
  move(tracking, record, "cancelAnswered");
}

function answerLost(tracking: Tracking, record: TrackedRecord): void {
  move(tracking, record, "answerLost");
  suspect(tracking, "answerLost");
}
