// What became of our own transactions: sent, answered, settled. Each command moves the orders it was aimed at, and nothing is
// taken for done without an event that says so: success alone proves neither resting nor filled nor canceled.

import type { CancelAllCommand, CancelCommand, Command, ModifyCommand, PlaceCommand } from "../../../domain/command.ts";
import type { ExecutionEvent, SubmitOutcome, TransactionEvent } from "../../../domain/event.ts";
import { type Nonce, type OrderId, size } from "../../../domain/units.ts";
import type { AccountState, OrderEntry } from "../account/account-state.ts";
import type { FeedEffect } from "../effects.ts";
import type { FeedState } from "../state.ts";
import { foldExecution } from "./fills.ts";
import { adopt, foldCanceled, foldPlaced } from "./order-frames.ts";
import { earlyFacts, endIfFilled, endOrder, move, nameOrder, reshape, suspect, track, unname } from "./orders.ts";
import { rememberGhost } from "./unidentified-orders.ts";

type Answered = Extract<ExecutionEvent, { kind: "answered" }>;
type Events = readonly TransactionEvent[];

/** Folded before the socket sees the bytes: from here on the order may be live. The same bytes sent again change nothing. */
export function foldSent(
  account: AccountState,
  { nonce, command, receivedMs: nowMs }: Extract<ExecutionEvent, { kind: "sent" }>,
  effects: FeedEffect[],
): void {
  if (command.kind === "place") {
    if (!account.byNonce.has(nonce)) trackPlace(account, nonce, command, nowMs);
    return;
  }
  if (command.kind === "cancelAll") {
    const aimed = [...account.orders].filter(({ order }) => reaches(command, order.marketId));
    account.cancelAlls.set(nonce, aimed);
    for (const entry of aimed) cancelSent(account, entry, nowMs, effects);
    return;
  }
  const entry = account.byId.get(command.orderId);
  if (entry === undefined) return;
  if (command.kind === "cancel") {
    cancelSent(account, entry, nowMs, effects);
  } else if (!entry.modifies.has(nonce)) {
    entry.modifies.set(nonce, {
      price: command.newPrice ?? entry.order.price,
      size: command.newSize ?? entry.order.size,
      level: command.level,
    });
    account.byNonce.set(nonce, entry);
    move(account, entry, "modifySent", nowMs, effects);
  }
}

/** The outcome of a submit. Events of an executed transaction are facts about every order of ours that they name. */
export function foldAnswered(state: FeedState, account: AccountState, answered: Answered, effects: FeedEffect[]): void {
  const { command, outcome, receivedMs: nowMs } = answered;
  const events = outcome.kind === "executed" ? outcome.events : [];
  if (command.kind === "place" && outcome.kind === "executed") {
    namePlaced(account, answered.nonce, command, events, nowMs, effects);
  }
  for (const event of events) foldTransactionEvent(state, account, answered, event, effects);
  if (command.kind === "place") placeAnswered(account, answered.nonce, command, outcome, nowMs, effects);
  else if (command.kind === "modify") modifyAnswered(account, answered.nonce, command, outcome, nowMs, effects);
  else if (command.kind === "cancel") cancelAnswered(account, command, outcome, nowMs, effects);
  else cancelAllAnswered(account, answered.nonce, outcome, nowMs, effects);
}

/** A doubt about a place or modify has ended; orders and positions were read before a verdict of `landed`. */
export function foldSettled(
  account: AccountState,
  { nonce, command, verdict, receivedMs: nowMs }: Extract<ExecutionEvent, { kind: "settled" }>,
  effects: FeedEffect[],
): void {
  const entry = account.byNonce.get(nonce);
  if (entry === undefined) return;
  if (command.kind === "modify") {
    const wanted = entry.modifies.get(nonce);
    endModify(account, entry, nonce, nowMs);
    // Landed and still listed: the reads that proved it show price and size, or the next one will.
    if (verdict === "landed" && wanted !== undefined) reshape(account, entry, wanted, nowMs);
    if (!endIfFilled(account, entry, nowMs, effects) && entry.modifies.size === 0) {
      move(account, entry, "doubtEnded", nowMs, effects);
    }
    if (verdict === "landed") suspect(account, "answerLost", nowMs, effects);
    return;
  }
  if (entry.order.orderId !== null && verdict === "landed") return;
  if (entry.guessed) giveBack(account, entry, nowMs, effects);
  if (verdict === "landed") rememberGhost(account, entry, nowMs);
  const why = verdict === "landed" ? "vanished" : "neverLanded";
  endOrder(account, entry, { why }, nowMs, effects);
}

/** A guess was wrong: the id that was taken for this order's is another one's. */
function giveBack(account: AccountState, entry: OrderEntry, nowMs: number, effects: FeedEffect[]): void {
  const { orderId, marketId, side, price, size: whole } = entry.order;
  if (orderId === null) return;
  const { filled } = entry;
  unname(account, entry, nowMs);
  entry.sentMs = Number.POSITIVE_INFINITY; // It cannot claim the id again.
  earlyFacts(account, orderId, { marketId, side, sinceMs: nowMs }, effects).filled = filled;
  foldPlaced(account, { orderId, marketId, side, price, size: whole }, nowMs, effects);
}

function trackPlace(account: AccountState, nonce: Nonce, command: PlaceCommand, nowMs: number): OrderEntry {
  const { marketId, side, price, reduceOnly, postOnly, level, timeInForce } = command;
  return track(
    account,
    {
      nonce,
      orderId: null,
      marketId,
      side,
      price,
      size: command.size,
      reduceOnly,
      postOnly,
      state: "inFlight",
      level,
      sinceMs: nowMs,
    },
    { timeInForce: command.orderType === "Market" ? "IOC" : timeInForce, filled: size(0n), origin: "ours" },
  );
}

/** The id that the answer's own events give to what we placed, before any of them is applied. */
function namePlaced(
  account: AccountState,
  nonce: Nonce,
  command: PlaceCommand,
  events: Events,
  nowMs: number,
  effects: FeedEffect[],
): void {
  const orderId = placedId(account, command, events);
  if (orderId === undefined) return;
  if (account.own.has(orderId) && !account.byId.has(orderId) && !account.byNonce.has(nonce)) return;
  const entry = account.byNonce.get(nonce) ?? trackPlace(account, nonce, command, nowMs);
  nameOrder(account, entry, orderId, "told", nowMs, effects);
}

/** A placement names it; so does a fill as taker, or the cancel of what would not rest (S6.1, trap 35). */
function placedId(account: AccountState, command: PlaceCommand, events: Events): OrderId | undefined {
  const { accountId } = account;
  for (const event of events) {
    if (event.type !== "orderPlaced" || event.accountId !== accountId) continue;
    if (event.marketId === command.marketId && event.side === command.side) return event.orderId;
  }
  for (const event of events) {
    if (event.type === "fill" && event.execution.takerAccountId === accountId) return event.execution.takerOrderId;
    if (event.type !== "orderCanceled" || event.accountId !== accountId || event.marketId !== command.marketId)
      continue;
    if (!account.byId.has(event.orderId) && !account.own.has(event.orderId)) return event.orderId;
  }
  return undefined;
}

function foldTransactionEvent(
  state: FeedState,
  account: AccountState,
  { command, nonce, receivedMs: nowMs }: Answered,
  event: TransactionEvent,
  effects: FeedEffect[],
): void {
  if (event.type === "fill") {
    foldExecution(state, event.execution, { source: "answer", atMs: nowMs }, effects);
  } else if (event.type === "other") {
    // A change of orders that could not be read: only a read of the account can say what it was.
    if (/^(fill|order)/i.test(event.name)) suspect(account, "answerSilent", nowMs, effects);
  } else if (event.accountId === account.accountId) {
    if (event.type === "orderPlaced") foldOwnPlaced(account, command, event, nowMs, effects);
    else if (event.type === "orderCanceled") {
      // Of the order that it placed itself the answer has every fill; of others only what it did to them.
      const itself = account.byId.get(event.orderId)?.order.nonce === nonce;
      foldCanceled(account, event, itself ? "frame" : "answer", nowMs, effects);
    } else foldModified(account, event, nowMs);
  }
}

/** An exchange may make a cancel and a new order of a modify: what our own transaction placed is ours. */
function foldOwnPlaced(
  account: AccountState,
  command: Command,
  event: Extract<TransactionEvent, { type: "orderPlaced" }>,
  nowMs: number,
  effects: FeedEffect[],
): void {
  const { orderId, marketId, side } = event;
  if (account.byId.has(orderId) || account.own.has(orderId)) return;
  account.own.set(orderId, { marketId, side, endedMs: null });
  const filled = account.early.get(orderId)?.filled ?? size(0n);
  const level = command.kind === "modify" ? command.level : null;
  adopt(account, { ...event, level }, filled, nowMs, effects);
}

function foldModified(
  account: AccountState,
  { orderId, price, size: whole }: Extract<TransactionEvent, { type: "orderModified" }>,
  nowMs: number,
): void {
  const entry = account.byId.get(orderId);
  if (entry !== undefined) reshape(account, entry, { price, size: whole }, nowMs);
}

function placeAnswered(
  account: AccountState,
  nonce: Nonce,
  command: PlaceCommand,
  outcome: SubmitOutcome,
  nowMs: number,
  effects: FeedEffect[],
): void {
  const entry = account.byNonce.get(nonce);
  if (entry === undefined) return;
  if (outcome.kind === "unknown") {
    lose(account, entry, nowMs, effects);
  } else if (outcome.kind !== "executed") {
    const reason = outcome.kind === "notSent" ? outcome.why : outcome.error;
    endOrder(account, entry, { trigger: "declined", why: outcome.kind, reason }, nowMs, effects);
  } else if (entry.timeInForce !== "GTC" || command.orderType === "Market") {
    endOrder(account, entry, { why: "expired" }, nowMs, effects);
  } else if (entry.order.orderId === null) {
    move(account, entry, "answerLost", nowMs, effects);
    suspect(account, "answerSilent", nowMs, effects);
  }
}

function modifyAnswered(
  account: AccountState,
  nonce: Nonce,
  command: ModifyCommand,
  outcome: SubmitOutcome,
  nowMs: number,
  effects: FeedEffect[],
): void {
  const entry = account.byId.get(command.orderId);
  if (entry === undefined || !entry.modifies.has(nonce)) return;
  if (outcome.kind === "unknown") {
    lose(account, entry, nowMs, effects);
    return;
  }
  const wanted = entry.modifies.get(nonce);
  endModify(account, entry, nonce, nowMs);
  if (outcome.kind !== "executed") {
    suspect(account, "actionFailed", nowMs, effects);
  } else if (outcome.events.some((event) => event.type === "orderModified" && event.orderId === command.orderId)) {
    reshape(account, entry, { level: command.level }, nowMs);
  } else {
    // No list of events is promised (S6.1): the order is as we asked, and a read checks that.
    if (wanted !== undefined) reshape(account, entry, wanted, nowMs);
    suspect(account, "answerSilent", nowMs, effects);
  }
  if (endIfFilled(account, entry, nowMs, effects)) return;
  const trigger = entry.order.state === "unknown" && entry.modifies.size === 0 ? "doubtEnded" : "modifyAnswered";
  move(account, entry, trigger, nowMs, effects);
}

/** Only an event, a frame or a read ends an order. A cancel that failed or was lost may simply be tried again (S5). */
function cancelAnswered(
  account: AccountState,
  command: CancelCommand,
  outcome: SubmitOutcome,
  nowMs: number,
  effects: FeedEffect[],
): void {
  const entry = account.byId.get(command.orderId);
  if (entry === undefined) return;
  cancelEnded(account, entry, nowMs, effects);
  if (entry.retired === null)
    suspect(account, outcome.kind === "executed" ? "answerSilent" : "actionFailed", nowMs, effects);
}

function cancelAllAnswered(
  account: AccountState,
  nonce: Nonce,
  outcome: SubmitOutcome,
  nowMs: number,
  effects: FeedEffect[],
): void {
  const left = (account.cancelAlls.get(nonce) ?? []).filter((entry) => account.orders.has(entry));
  account.cancelAlls.delete(nonce);
  for (const entry of left) cancelEnded(account, entry, nowMs, effects);
  if (left.some(({ retired }) => retired === null))
    suspect(account, outcome.kind === "executed" ? "answerSilent" : "actionFailed", nowMs, effects);
}

const reaches = (command: CancelAllCommand, marketId: Command["marketId"]): boolean =>
  command.marketId === null || command.marketId === marketId;

function cancelSent(account: AccountState, entry: OrderEntry, nowMs: number, effects: FeedEffect[]): void {
  entry.cancelsInFlight += 1;
  move(account, entry, "cancelSent", nowMs, effects);
}

/** While another cancel is on its way the order stays canceling. */
function cancelEnded(account: AccountState, entry: OrderEntry, nowMs: number, effects: FeedEffect[]): void {
  if (entry.cancelsInFlight > 0) entry.cancelsInFlight -= 1;
  move(account, entry, "cancelAnswered", nowMs, effects);
}

function lose(account: AccountState, entry: OrderEntry, nowMs: number, effects: FeedEffect[]): void {
  move(account, entry, "answerLost", nowMs, effects);
  suspect(account, "answerLost", nowMs, effects);
}

function endModify(account: AccountState, entry: OrderEntry, nonce: Nonce, nowMs: number): void {
  entry.modifies.delete(nonce);
  account.byNonce.delete(nonce);
  reshape(account, entry, {}, nowMs);
}
