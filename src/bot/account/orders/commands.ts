// Results of our own transactions: sent, answered, resolved. A success alone shows that the transaction executed; an event, a frame or a
// later read shows what it did. Until then both outcomes count (evidence.ts).

import type { CancelCommand, Command, ModifyCommand, PlaceCommand } from "../../../domain/command.ts";
import type { SaidOrder, SubmitOutcome, TransactionEvent } from "../../../domain/event.ts";
import { type Nonce, type OrderId, size } from "../../../domain/units.ts";
import { lacksEvent } from "../evidence.ts";
import {
  cancelReturned,
  confirmModify,
  dropModify,
  endIfFilled,
  endOrder,
  forgetOrder,
  identify,
  modifyReturned,
  setTerms,
  track,
  transition,
  update,
} from "./changes.ts";
import { learn, learnModifySize, shown, suspect } from "./dialect.ts";
import { canceled, replaced } from "./frames.ts";
import { attributeUnidentified, judgeUnidentified, trackResting } from "./ownership.ts";
import { markOurs, type Orders, recordOf, type TrackedRecord } from "./records.ts";
import { identifyByFrames, unshownBy } from "./unshown.ts";

/** From here on the order may rest. Sending the same bytes again changes nothing. */
export function sent(orders: Orders, nonce: Nonce, command: Command): void {
  if (command.kind === "place") {
    if (!orders.byNonce.has(nonce)) trackPlace(orders, nonce, command);
  } else if (command.kind === "cancelAll") {
    const { marketId } = command;
    const reached = [...orders.live].filter(({ order }) => marketId === null || order.marketId === marketId);
    orders.cancelAlls.set(nonce, reached);
    for (const record of reached) cancelSent(orders, record);
  } else {
    const record = orders.tracked.get(command.orderId);
    if (record === undefined) return;
    if (command.kind === "cancel") cancelSent(orders, record);
    else if (!record.modifies.has(nonce)) modifySent(orders, record, nonce, command);
  }
}

/** Takes the outcome of a submit, once the fills among its events are booked: first its other events, then its meaning for the command. */
export function answered(orders: Orders, nonce: Nonce, command: Command, outcome: SubmitOutcome): void {
  if (outcome.kind === "executed") applyEvents(orders, command, outcome.events);
  if (command.kind === "place") placeAnswered(orders, nonce, outcome);
  else if (command.kind === "modify") modifyAnswered(orders, nonce, command, outcome);
  else if (command.kind === "cancel") cancelAnswered(orders, nonce, command, outcome);
  else cancelAllAnswered(orders, nonce);
}

/**
 * Takes the resolution of a lost answer. Where the transaction executed, its market was cleared after it: ids that appeared since it was
 * sent and that no answer named are ours, and so are ids that late frames name until the following resync. Which of them it was does not
 * matter, since it counts as filled until then.
 */
export function resolved(orders: Orders, nonce: Nonce, command: Command, verdict: Verdict): void {
  const record = orders.byNonce.get(nonce);
  if (record === undefined) return;
  if (command.kind === "modify") {
    if (verdict !== "neverLanded") confirmModify(orders, record, nonce);
    else {
      dropModify(orders, record, nonce);
      endIfHeld(orders, record);
      if (!endIfFilled(orders, record) && record.modifies.size === 0) transition(orders, record, "resolved");
    }
  } else if (verdict === "neverLanded") {
    forgetOrder(orders, record, "neverLanded");
  } else {
    if (verdict === "landed") {
      attributeUnidentified(orders, record);
      record.end = { why: "canceled", reason: null, atMs: orders.nowMs };
    } else {
      // Its answer would have named an id that we cannot know: from now on ids without an owner belong to others.
      orders.live.delete(record);
      judgeUnidentified(orders, () => false);
      orders.live.add(record);
    }
    transition(orders, record, "provenExecuted");
  }
}

/** How a lost answer was resolved. `landed`: it executed. `outlived`: it may have executed, and can no longer land. */
export type Verdict = "neverLanded" | "landed" | "outlived";

/** Applies the events of our own answer. A cancel followed by a place of the same id is the first half of a modify. */
function applyEvents(orders: Orders, command: Command, events: readonly TransactionEvent[]): void {
  const isReplaced = ({ orderId }: { readonly orderId: OrderId }, at: number): boolean =>
    events.some((later, index) => index > at && later.type === "orderPlaced" && later.orderId === orderId);
  for (const [at, event] of events.entries())
    if (event.type !== "orderCanceled" || !isReplaced(event, at)) applyEvent(orders, command, event);
}

function applyEvent(orders: Orders, command: Command, event: TransactionEvent): void {
  if (event.type === "fill") return;
  if (event.type === "other") {
    // A change of orders that could not be read: only a read of the account shows what it was.
    if (/^(fill|order)/i.test(event.name)) suspect(orders, "answerSilent");
    return;
  }
  if (event.accountId !== null && event.accountId !== orders.accountId) return;
  if (event.type === "orderCanceled") ended(orders, event);
  else if (event.type === "orderModified") modified(orders, command, event);
  else {
    const known = recordOf(orders, event.orderId);
    if (known?.kind === "past") return;
    markOurs(orders, event.orderId, null);
    const level = command.kind === "modify" ? command.level : null;
    if (known?.kind !== "tracked") trackResting(orders, { ...event, level }, known?.filled ?? size(0n), "ours");
    else if (command.kind === "modify" && command.orderId === event.orderId) replaced(orders, known, event, 1);
  }
}

function ended(orders: Orders, event: Extract<TransactionEvent, { type: "orderCanceled" }>): void {
  const { orderId, marketId, reason } = event;
  const known = orders.tracked.get(orderId);
  if (known !== undefined) endOrder(orders, known, { why: "canceled", reason });
  else if (marketId !== null) canceled(orders, { orderId, marketId, reason });
}

/** The command supplies what the event lacks. */
function modified(orders: Orders, command: Command, event: Extract<TransactionEvent, { type: "orderModified" }>): void {
  const record = orders.tracked.get(event.orderId);
  if (record === undefined) return;
  const isOwn = command.kind === "modify" && command.orderId === event.orderId;
  const { price, size: whole } = record.order;
  const asked = { price: (isOwn ? command.newPrice : null) ?? price, size: (isOwn ? command.newSize : null) ?? whole };
  const terms = { price: event.price ?? asked.price, size: event.size ?? asked.size };
  if (event.remainingSize !== null) {
    if (isOwn && command.newSize !== null) learnModifySize(orders, command.newSize, record.filled, event.remainingSize);
    // More was filled than we know: the list of trades has it.
    if (terms.size - event.remainingSize > record.filled) suspect(orders, "answerSilent");
  }
  setTerms(orders, record, terms);
}

/** Returns the id that the answer's own events give to our place, before any of them is applied. */
export function acknowledged(
  orders: Orders,
  nonce: Nonce,
  command: PlaceCommand,
  events: readonly TransactionEvent[],
): void {
  const orderId = placedId(orders, command, events);
  if (orderId === undefined) return;
  const known = orders.byNonce.get(nonce);
  if (known === undefined && recordOf(orders, orderId)?.kind === "past") return;
  const isPlaced = events.some((event) => event.type === "orderPlaced" && event.orderId === orderId);
  identify(orders, known ?? trackPlace(orders, nonce, command), orderId, isPlaced ? "event" : "inferred");
}

function trackPlace(orders: Orders, nonce: Nonce, command: PlaceCommand): TrackedRecord {
  const { marketId, side, price, size: whole, reduceOnly, postOnly, level, timeInForce } = command;
  const terms = { marketId, side, price, size: whole, reduceOnly, postOnly, level };
  return track(
    orders,
    { ...terms, nonce, orderId: null, isConditional: false, state: "inFlight" },
    { timeInForce: command.orderType === "Market" ? "IOC" : timeInForce, filled: size(0n), origin: "ours" },
  );
}

/**
 * Returns the id from a placement, a fill as taker, or the cancel of an order that would not rest (S6.1, trap 35); else of the only order
 * in events of other names.
 */
function placedId(orders: Orders, command: PlaceCommand, events: readonly TransactionEvent[]): OrderId | undefined {
  const { accountId } = orders;
  for (const event of events) {
    if (event.type !== "orderPlaced" || event.accountId !== accountId) continue;
    if (event.marketId === command.marketId && event.side === command.side) return event.orderId;
  }
  for (const event of events) {
    if (event.type === "fill" && event.execution.takerAccountId === accountId) return event.execution.takerOrderId;
    if (event.type !== "orderCanceled" || (event.accountId ?? accountId) !== accountId) continue;
    if ((event.marketId ?? command.marketId) !== command.marketId) continue;
    if (isUnclaimed(orders, event.orderId)) return event.orderId;
  }
  return idInOthers(orders, command, events);
}

/** Returns the only order in events of other names; undefined: none, or several. */
function idInOthers(orders: Orders, command: PlaceCommand, events: readonly TransactionEvent[]): OrderId | undefined {
  const named = new Set<OrderId>();
  for (const event of events) {
    const order = event.type === "other" ? event.order : undefined;
    if (order !== undefined && mayBe(command, order) && isUnclaimed(orders, order.orderId)) named.add(order.orderId);
  }
  const [orderId] = named;
  return named.size === 1 ? orderId : undefined;
}

function isUnclaimed(orders: Orders, orderId: OrderId): boolean {
  const known = recordOf(orders, orderId);
  return known === undefined || known.kind === "unidentified";
}

/** Whether the event fits the place. Its size is ignored: it may be what remains. */
const mayBe = (command: PlaceCommand, { accountId, marketId, side, price }: SaidOrder): boolean =>
  (accountId ?? command.accountId) === command.accountId &&
  (marketId ?? command.marketId) === command.marketId &&
  (side ?? command.side) === command.side &&
  (price ?? command.price) === command.price;

function placeAnswered(orders: Orders, nonce: Nonce, outcome: SubmitOutcome): void {
  const record = orders.byNonce.get(nonce);
  if (record === undefined) return;
  if (outcome.kind === "unknown") {
    transition(orders, record, "answerLost");
  } else if (outcome.kind !== "executed") {
    forgetOrder(orders, record, outcome.kind, outcome.kind === "notSent" ? outcome.why : outcome.error);
  } else if (record.order.orderId === null) {
    record.placeUnshown = unshownBy(orders, nonce, outcome.events);
    identifyByFrames(orders, record.order.marketId);
  } else {
    shown(orders, "place", null);
    if (record.end !== null && endsOrder(outcome.events, record.order.orderId)) {
      // It was placed and ended in one answer, which has all its fills.
      forgetOrder(orders, record, record.end.why, record.end.reason);
    } else if (record.timeInForce !== "GTC") endOrder(orders, record, { why: "expired", reason: null });
  }
}

const endsOrder = (events: readonly TransactionEvent[], orderId: OrderId | null): boolean =>
  events.some((event) => event.type === "orderCanceled" && event.orderId === orderId);

function modifySent(orders: Orders, record: TrackedRecord, nonce: Nonce, command: ModifyCommand): void {
  const terms = { price: command.newPrice ?? record.order.price, size: command.newSize ?? record.order.size };
  const isSizeOpen = command.newSize !== null && orders.dialect.modifySize === null;
  record.modifies.set(nonce, { ...terms, level: command.level, isSizeOpen, unshown: null });
  orders.byNonce.set(nonce, record);
  transition(orders, record, "modifySent");
}

function modifyAnswered(orders: Orders, nonce: Nonce, command: ModifyCommand, outcome: SubmitOutcome): void {
  const record = orders.tracked.get(command.orderId);
  const modify = record?.modifies.get(nonce);
  if (record === undefined || modify === undefined) return;
  if (outcome.kind === "unknown") {
    transition(orders, record, "answerLost");
    return;
  }
  if (lacksEvent(command, outcome)) {
    const { events } = outcome as Extract<SubmitOutcome, { kind: "executed" }>;
    record.modifies.set(nonce, { ...modify, unshown: unshownBy(orders, nonce, events) });
    return;
  }
  dropModify(orders, record, nonce);
  if (outcome.kind === "executed") {
    shown(orders, "modify", null);
    update(orders, record, { level: command.level });
    record.modifiedMs = orders.nowMs;
    if (orders.areModifiesReplaced && !isReplaced(command, outcome)) record.replacements += 1;
  } else suspect(orders, "actionFailed");
  if (outcome.kind !== "executed" || !orders.areModifiesReplaced) endIfHeld(orders, record);
  modifyReturned(orders, record);
}

/** The answer itself showed a place, which counts already. */
const isReplaced = (
  { orderId }: ModifyCommand,
  { events }: Extract<SubmitOutcome, { readonly kind: "executed" }>,
): boolean => events.some((event) => event.type === "orderPlaced" && event.orderId === orderId);

/** The held cancel frame was not half of a modify: it ends the order. */
function endIfHeld(orders: Orders, record: TrackedRecord): void {
  if (record.heldEnd !== null && record.modifies.size === 0) endOrder(orders, record, record.heldEnd);
}

/** Without a success the order may rest, and the cancel may be sent again (S5). */
function cancelAnswered(orders: Orders, nonce: Nonce, { orderId }: CancelCommand, outcome: SubmitOutcome): void {
  const record = orders.tracked.get(orderId);
  if (record === undefined) return;
  if (outcome.kind === "executed" && record.end === null) {
    record.cancelUnshown ??= { ...unshownBy(orders, nonce, outcome.events), missedBy: new Set() };
    return;
  }
  cancelReturned(orders, record);
  if (outcome.kind === "executed") {
    shown(orders, "cancel", null);
    learn(orders, "cancel", "event");
  } else if (record.end === null && outcome.kind !== "notSent") suspect(orders, "actionFailed");
}

function cancelAllAnswered(orders: Orders, nonce: Nonce): void {
  const left = (orders.cancelAlls.get(nonce) ?? []).filter((record) => orders.live.has(record));
  orders.cancelAlls.delete(nonce);
  for (const record of left) cancelReturned(orders, record);
  if (left.some(({ end }) => end === null)) suspect(orders, "actionFailed");
}

function cancelSent(orders: Orders, record: TrackedRecord): void {
  record.cancelsInFlight += 1;
  transition(orders, record, "cancelSent");
}
