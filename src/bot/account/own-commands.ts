// What became of our own transactions: sent, answered, resolved. A success alone says that the transaction executed; an event, a frame or a
// later read shows what it did. Until then both outcomes count (evidence.ts).

import type { CancelCommand, Command, ModifyCommand, PlaceCommand } from "../../domain/command.ts";
import type { SaidOrder, SubmitOutcome, TransactionEvent } from "../../domain/event.ts";
import { type Nonce, type OrderId, size } from "../../domain/units.ts";
import { printable } from "../../kernel/printable.ts";
import { lacksEvent } from "./evidence.ts";
import {
  cancelReturned,
  claim,
  dropModify,
  endIfFilled,
  endOrder,
  forgetOrder,
  identify,
  learn,
  learnModifySize,
  move,
  reprice,
  reshape,
  settleModify,
  shown,
  suspect,
  type Tracking,
  track,
} from "./order-changes.ts";
import type { OrderEventOf } from "./order-event.ts";
import { adopt, canceled, claimReceived, disownReceived, nameUnshown, replaced } from "./order-frames.ts";
import {
  claimId,
  type OrderRecords,
  type PendingModify,
  recordOf,
  type TrackedRecord,
  type Unshown,
} from "./order-records.ts";

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
  if (outcome.kind === "executed") stateAll(tracking, command, outcome.events);
  if (command.kind === "place") placeAnswered(tracking, nonce, outcome);
  else if (command.kind === "modify") modifyAnswered(tracking, nonce, command, outcome);
  else if (command.kind === "cancel") cancelAnswered(tracking, nonce, command, outcome);
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
      endIfHeld(tracking, record);
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

/** Applies the events of our own answer. A cancel that a place of the same id follows is the first half of a modify. */
function stateAll(tracking: Tracking, command: Command, events: readonly TransactionEvent[]): void {
  const isReplaced = ({ orderId }: { readonly orderId: OrderId }, at: number): boolean =>
    events.some((later, index) => index > at && later.type === "orderPlaced" && later.orderId === orderId);
  for (const [at, event] of events.entries())
    if (event.type !== "orderCanceled" || !isReplaced(event, at)) state(tracking, command, event);
}

function state(tracking: Tracking, command: Command, event: TransactionEvent): void {
  if (event.type === "fill") return;
  if (event.type === "other") {
    // A change of orders that could not be read: only a read of the account can say what it was.
    if (/^(fill|order)/i.test(event.name)) suspect(tracking, "answerSilent");
    return;
  }
  if (event.accountId !== null && event.accountId !== tracking.accountId) return;
  if (event.type === "orderCanceled") ended(tracking, event);
  else if (event.type === "orderModified") modified(tracking, command, event);
  else {
    const known = recordOf(tracking.records, event.orderId);
    if (known?.kind === "past") return;
    claimId(tracking.records, event.orderId, null);
    const level = command.kind === "modify" ? command.level : null;
    if (known?.kind !== "tracked") adopt(tracking, { ...event, level }, known?.filled ?? size(0n), "ours");
    else if (command.kind === "modify" && command.orderId === event.orderId) replaced(tracking, known, event, 1);
  }
}

function ended(tracking: Tracking, event: Extract<TransactionEvent, { type: "orderCanceled" }>): void {
  const { orderId, reason } = event;
  const marketId = event.marketId ?? tracking.records.tracked.get(orderId)?.order.marketId;
  const known = tracking.records.tracked.get(orderId);
  if (known !== undefined) endOrder(tracking, known, { why: "canceled", reason });
  else if (marketId !== undefined) canceled(tracking, { orderId, marketId, reason });
}

/** What the event lacks is taken from the command. */
function modified(
  tracking: Tracking,
  command: Command,
  event: Extract<TransactionEvent, { type: "orderModified" }>,
): void {
  const record = tracking.records.tracked.get(event.orderId);
  if (record === undefined) return;
  const isOwn = command.kind === "modify" && command.orderId === event.orderId;
  const { price, size: whole } = record.order;
  const asked = { price: (isOwn ? command.newPrice : null) ?? price, size: (isOwn ? command.newSize : null) ?? whole };
  const terms = { price: event.price ?? asked.price, size: event.size ?? asked.size };
  if (event.remainingSize !== null) {
    if (isOwn && command.newSize !== null)
      learnModifySize(tracking, command.newSize, record.filled, event.remainingSize);
    // More was filled than we know: the list of trades has it.
    if (terms.size - event.remainingSize > record.filled) suspect(tracking, "answerSilent");
  }
  reprice(tracking, record, terms);
}

/** The id that the answer's own events give to what we placed, before any of them is applied. */
export function acknowledged(tracking: Tracking, { nonce, command, events }: OrderEventOf<"acknowledged">): void {
  const { records } = tracking;
  const orderId = placedId(tracking, command, events);
  if (orderId === undefined) return;
  const known = records.byNonce.get(nonce);
  if (known === undefined && recordOf(records, orderId)?.kind === "past") return;
  const name = events.some((event) => event.type === "orderPlaced" && event.orderId === orderId) ? identify : claim;
  name(tracking, known ?? trackPlace(tracking, nonce, command), orderId);
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

/**
 * The id from a placement, a fill as taker, or the cancel of an order that would not rest (S6.1, trap 35); else the one order in events of
 * other names.
 */
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
    if (event.type !== "orderCanceled" || (event.accountId ?? accountId) !== accountId) continue;
    if ((event.marketId ?? command.marketId) !== command.marketId) continue;
    if (isUnclaimed(records, event.orderId)) return event.orderId;
  }
  return idInOthers(records, command, events);
}

/** The one order in events of other names; undefined: none, or several. */
function idInOthers(
  records: OrderRecords,
  command: PlaceCommand,
  events: readonly TransactionEvent[],
): OrderId | undefined {
  const named = new Set<OrderId>();
  for (const event of events) {
    const order = event.type === "other" ? event.order : undefined;
    if (order !== undefined && mayBe(command, order) && isUnclaimed(records, order.orderId)) named.add(order.orderId);
  }
  const [orderId] = named;
  return named.size === 1 ? orderId : undefined;
}

function isUnclaimed(records: OrderRecords, orderId: OrderId): boolean {
  const known = recordOf(records, orderId);
  return known === undefined || known.kind === "received";
}

/** Whether the event fits the place. Its size is ignored: it may be what remains. */
const mayBe = (command: PlaceCommand, { accountId, marketId, side, price }: SaidOrder): boolean =>
  (accountId ?? command.accountId) === command.accountId &&
  (marketId ?? command.marketId) === command.marketId &&
  (side ?? command.side) === command.side &&
  (price ?? command.price) === command.price;

function placeAnswered(tracking: Tracking, nonce: Nonce, outcome: SubmitOutcome): void {
  const record = tracking.records.byNonce.get(nonce);
  if (record === undefined) return;
  if (outcome.kind === "unknown") {
    move(tracking, record, "answerLost");
  } else if (outcome.kind !== "executed") {
    forgetOrder(tracking, record, outcome.kind, outcome.kind === "notSent" ? outcome.why : outcome.error);
  } else if (record.order.orderId === null) {
    record.placeUnshown = unshownBy(tracking, nonce, outcome.events);
    nameUnshown(tracking, record.order.marketId);
  } else {
    shown(tracking, "place", null);
    if (record.end !== null && endsOrder(outcome.events, record.order.orderId)) {
      // It was placed and ended in one answer, which has all its fills.
      forgetOrder(tracking, record, record.end.why, record.end.reason);
    } else if (record.timeInForce !== "GTC") endOrder(tracking, record, { why: "expired", reason: null });
  }
}

/** Asks for a read of the account at once, which may show the effect. */
function unshownBy(tracking: Tracking, nonce: Nonce, events: readonly TransactionEvent[]): Unshown {
  suspect(tracking, "answerSilent");
  return { nonce, sinceMs: tracking.nowMs, said: saidIn(events), isOverdue: false };
}

const NAMES_LENGTH_MAX = 200;

/** What the answer held, for people. */
function saidIn(events: readonly TransactionEvent[]): string {
  if (events.length === 0) return "its answer held no event";
  const names = new Set(events.map((event) => (event.type === "other" ? event.name : event.type)));
  const listed = printable([...names].join(", "), NAMES_LENGTH_MAX);
  const isKnown = events.every(({ type }) => type !== "other");
  return isKnown ? `its answer held ${listed} without what it needs` : `event type ${listed} is not known`;
}

const endsOrder = (events: readonly TransactionEvent[], orderId: OrderId | null): boolean =>
  events.some((event) => event.type === "orderCanceled" && event.orderId === orderId);

function modifySent(tracking: Tracking, record: TrackedRecord, nonce: Nonce, command: ModifyCommand): void {
  const { records } = tracking;
  const terms = { price: command.newPrice ?? record.order.price, size: command.newSize ?? record.order.size };
  const isSizeOpen = command.newSize !== null && tracking.dialect.modifySize === null;
  record.modifies.set(nonce, { ...terms, level: command.level, isSizeOpen, unshown: null });
  records.byNonce.set(nonce, record);
  move(tracking, record, "modifySent");
}

function modifyAnswered(tracking: Tracking, nonce: Nonce, command: ModifyCommand, outcome: SubmitOutcome): void {
  const { records } = tracking;
  const record = records.tracked.get(command.orderId);
  const modify = record?.modifies.get(nonce);
  if (record === undefined || modify === undefined) return;
  if (outcome.kind === "unknown") {
    move(tracking, record, "answerLost");
    return;
  }
  if (lacksEvent(command, outcome)) {
    const { events } = outcome as Extract<SubmitOutcome, { kind: "executed" }>;
    record.modifies.set(nonce, { ...modify, unshown: unshownBy(tracking, nonce, events) } satisfies PendingModify);
    return;
  }
  dropModify(tracking, record, nonce);
  if (outcome.kind === "executed") {
    shown(tracking, "modify", null);
    reshape(records, record, { level: command.level });
    record.modifiedMs = tracking.nowMs;
    if (tracking.areModifiesReplaced && !isReplaced(command, outcome)) record.replacements += 1;
  } else suspect(tracking, "actionFailed");
  if (outcome.kind !== "executed" || !tracking.areModifiesReplaced) endIfHeld(tracking, record);
  if (endIfFilled(tracking, record)) return;
  move(tracking, record, record.state === "unknown" && record.modifies.size === 0 ? "resolved" : "modifyAnswered");
}

/** The answer itself showed a place, which counts already. */
const isReplaced = (
  { orderId }: ModifyCommand,
  { events }: Extract<SubmitOutcome, { readonly kind: "executed" }>,
): boolean => events.some((event) => event.type === "orderPlaced" && event.orderId === orderId);

/** The held cancel frame was not half of a modify: it ends the order. */
function endIfHeld(tracking: Tracking, record: TrackedRecord): void {
  if (record.heldEnd !== null && record.modifies.size === 0) endOrder(tracking, record, record.heldEnd);
}

/** Without a success the order may rest, and the cancel may be sent again (S5). */
function cancelAnswered(tracking: Tracking, nonce: Nonce, { orderId }: CancelCommand, outcome: SubmitOutcome): void {
  const record = tracking.records.tracked.get(orderId);
  if (record === undefined) return;
  if (outcome.kind === "executed" && record.end === null) {
    record.cancelUnshown ??= { ...unshownBy(tracking, nonce, outcome.events), missedBy: new Set() };
    return;
  }
  cancelReturned(tracking, record);
  if (outcome.kind === "executed") {
    shown(tracking, "cancel", null);
    learn(tracking, "cancel", "event");
  } else if (record.end === null && outcome.kind !== "notSent") suspect(tracking, "actionFailed");
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
