// What became of our own transactions: sent, answered, resolved. Nothing counts as done without an event that says so (evidence.ts).

import type { CancelCommand, Command, ModifyCommand, PlaceCommand } from "../../domain/command.ts";
import type { SubmitOutcome, TransactionEvent } from "../../domain/event.ts";
import { type Nonce, type OrderId, size } from "../../domain/units.ts";
import { lacksEvent } from "./evidence.ts";
import {
  dropModify,
  endIfFilled,
  endOrder,
  forgetOrder,
  identify,
  move,
  reprice,
  reshape,
  settleModify,
  suspect,
  type Tracking,
  track,
} from "./order-changes.ts";
import type { OrderEventOf } from "./order-event.ts";
import { adopt, canceled, claimReceived, disownReceived, nameExecuted } from "./order-frames.ts";
import { claimId, type OrderRecords, recordOf, type TrackedRecord } from "./order-records.ts";

/** The order may be live from here on. The same bytes sent again change nothing. */
export function sent(tracking: Tracking, { nonce, command }: OrderEventOf<"sent">): void {
  const { records } = tracking;
  if (command.kind === "place") {
    if (!records.byNonce.has(nonce)) trackPlace(tracking, nonce, command);
  } else if (command.kind === "cancelAll") {
    const { marketId } = command;
    const reached = [...records.live].filter(({ order }) => marketId === null || order.marketId === marketId);
    records.cancelAlls.set(nonce, reached);
    for (const record of reached) cancelSent(tracking, record);
  } else {
    const record = records.tracked.get(command.orderId);
    if (record === undefined) return;
    if (command.kind === "cancel") cancelSent(tracking, record);
    else if (!record.modifies.has(nonce)) modifySent(tracking, record, nonce, command);
  }
}

/** The outcome of a submit, once the fills among its events are booked: what the other events say, then what it means for the command. */
export function answered(tracking: Tracking, event: OrderEventOf<"answered">): void {
  const { nonce, command, outcome } = event;
  if (outcome.kind === "executed") for (const one of outcome.events) state(tracking, command, one);
  if (command.kind === "place") placeAnswered(tracking, nonce, command, outcome);
  else if (command.kind === "modify") modifyAnswered(tracking, nonce, command, outcome);
  else if (command.kind === "cancel") cancelAnswered(tracking, command, outcome);
  else cancelAllAnswered(tracking, nonce);
}

/**
 * A lost answer was resolved. One that executed cleared its market: what was received since it was sent, and no answer named, is ours, and so
 * is what late frames name until the resync that follows. Which of them it was does not matter, since it counts as filled until then.
 */
export function resolved(tracking: Tracking, { nonce, command, verdict }: OrderEventOf<"resolved">): void {
  const record = tracking.records.byNonce.get(nonce);
  if (record === undefined) return;
  if (command.kind === "modify") {
    if (verdict !== "neverLanded") settleModify(tracking, record, nonce);
    else {
      dropModify(tracking, record, nonce);
      if (!endIfFilled(tracking, record) && record.modifies.size === 0) move(tracking, record, "resolved");
    }
  } else if (verdict === "neverLanded") {
    forgetOrder(tracking, record, "neverLanded");
  } else {
    if (verdict === "landed") {
      claimReceived(tracking, record);
      record.end = { why: "canceled", reason: null, atMs: tracking.nowMs };
    } else disownReceived(tracking, record);
    move(tracking, record, "provenExecuted");
  }
}

/** What an event of our own answer says of an order of ours. */
function state(tracking: Tracking, command: Command, event: TransactionEvent): void {
  if (event.type === "fill") return;
  if (event.type === "other") {
    // A change of orders that could not be read: only a read of the account can say what it was.
    if (/^(fill|order)/i.test(event.name)) suspect(tracking, "answerSilent");
    return;
  }
  if (event.accountId !== tracking.accountId) return;
  if (event.type === "orderCanceled") canceled(tracking, event);
  else if (event.type === "orderModified") modified(tracking, event);
  else {
    const known = recordOf(tracking.records, event.orderId);
    if (known?.kind === "past") return;
    claimId(tracking.records, event.orderId, null);
    const level = command.kind === "modify" ? command.level : null;
    if (known?.kind !== "tracked") adopt(tracking, { ...event, level }, known?.filled ?? size(0n), "ours");
  }
}

function modified(tracking: Tracking, event: Extract<TransactionEvent, { type: "orderModified" }>): void {
  const record = tracking.records.tracked.get(event.orderId);
  if (record === undefined) return;
  // It says that more was filled than we know: the trades tell.
  if (event.size - event.remainingSize > record.filled) suspect(tracking, "answerSilent");
  reprice(tracking, record, event);
}

/** The id that the answer's own events give to what we placed, before any of them is applied. */
export function acknowledged(tracking: Tracking, { nonce, command, events }: OrderEventOf<"acknowledged">): void {
  const { records } = tracking;
  const orderId = placedId(tracking, command, events);
  if (orderId === undefined) return;
  const known = records.byNonce.get(nonce);
  if (known === undefined && recordOf(records, orderId)?.kind === "past") return;
  identify(tracking, known ?? trackPlace(tracking, nonce, command), orderId);
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
  { records, accountId }: { readonly records: OrderRecords; readonly accountId: Tracking["accountId"] },
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
    if (known === undefined || known.kind === "received") return event.orderId;
  }
  return undefined;
}

function placeAnswered(tracking: Tracking, nonce: Nonce, command: PlaceCommand, outcome: SubmitOutcome): void {
  const record = tracking.records.byNonce.get(nonce);
  if (record === undefined) return;
  if (outcome.kind === "unknown") {
    move(tracking, record, "answerLost");
  } else if (lacksEvent(command, outcome)) {
    record.isExecuted = true;
    move(tracking, record, "answerLost");
    nameExecuted(tracking, record.order);
  } else if (outcome.kind !== "executed") {
    forgetOrder(tracking, record, outcome.kind, outcome.kind === "notSent" ? outcome.why : outcome.error);
  } else if (record.end !== null && endsOrder(outcome.events, record.order.orderId)) {
    // It was placed and ended in one answer, which has all its fills.
    forgetOrder(tracking, record, record.end.why, record.end.reason);
  } else if (record.timeInForce !== "GTC") {
    endOrder(tracking, record, { why: "expired", reason: null });
  }
}

const endsOrder = (events: readonly TransactionEvent[], orderId: OrderId | null): boolean =>
  events.some((event) => event.type === "orderCanceled" && event.orderId === orderId);

function modifySent(tracking: Tracking, record: TrackedRecord, nonce: Nonce, command: ModifyCommand): void {
  const { records } = tracking;
  const terms = { price: command.newPrice ?? record.order.price, size: command.newSize ?? record.order.size };
  record.modifies.set(nonce, { ...terms, level: command.level });
  records.byNonce.set(nonce, record);
  move(tracking, record, "modifySent");
}

function modifyAnswered(tracking: Tracking, nonce: Nonce, command: ModifyCommand, outcome: SubmitOutcome): void {
  const { records } = tracking;
  const record = records.tracked.get(command.orderId);
  if (record === undefined || !record.modifies.has(nonce)) return;
  if (outcome.kind === "unknown" || lacksEvent(command, outcome)) {
    move(tracking, record, "answerLost");
    return;
  }
  dropModify(tracking, record, nonce);
  if (outcome.kind === "executed") reshape(records, record, { level: command.level });
  else suspect(tracking, "actionFailed");
  if (endIfFilled(tracking, record)) return;
  move(tracking, record, record.state === "unknown" && record.modifies.size === 0 ? "resolved" : "modifyAnswered");
}

/** Whatever came back without the event that ends the order, it may rest, and the cancel may be sent again (S5). */
function cancelAnswered(tracking: Tracking, { orderId }: CancelCommand, outcome: SubmitOutcome): void {
  const record = tracking.records.tracked.get(orderId);
  if (record === undefined) return;
  cancelReturned(tracking, record);
  if (record.end === null && outcome.kind !== "notSent") suspect(tracking, "actionFailed");
}

function cancelAllAnswered(tracking: Tracking, nonce: Nonce): void {
  const { records } = tracking;
  const left = (records.cancelAlls.get(nonce) ?? []).filter((record) => records.live.has(record));
  records.cancelAlls.delete(nonce);
  for (const record of left) cancelReturned(tracking, record);
  if (left.some(({ end }) => end === null)) suspect(tracking, "actionFailed");
}

function cancelSent(tracking: Tracking, record: TrackedRecord): void {
  record.cancelsInFlight += 1;
  move(tracking, record, "cancelSent");
}

/** While another cancel is on its way the order stays canceling. */
function cancelReturned(tracking: Tracking, record: TrackedRecord): void {
  if (record.cancelsInFlight > 0) record.cancelsInFlight -= 1;
  move(tracking, record, "cancelAnswered");
}
