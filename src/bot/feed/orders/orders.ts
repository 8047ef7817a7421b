// The few things that can be done to a tracked order. Every change of state goes through the table of order-states.ts; what can
// still fill is computed in one place, from the whole size, the unanswered modifies and the fills booked.

import type { TimeInForce, TrackedOrder } from "../../../domain/order.ts";
import { type MarketId, type OrderId, type Price, type Side, type Size, size } from "../../../domain/units.ts";
import type { AccountState, CancelSource, EarlyFacts, OrderEntry } from "../account/account-state.ts";
import type { FeedEffect, OrderEnd, Suspicion } from "../effects.ts";
import { nextState, type OrderTrigger } from "./order-states.ts";

/** Begins to track an order. `filled` is what was filled before we knew it. */
export function track(
  account: AccountState,
  order: Omit<TrackedOrder, "remainingSize" | "pending">,
  known: { readonly timeInForce: TimeInForce; readonly filled: Size; readonly origin: OrderEntry["origin"] },
): OrderEntry {
  const entry: OrderEntry = {
    order: { ...order, remainingSize: order.size, pending: null },
    filled: known.filled,
    timeInForce: known.timeInForce,
    origin: known.origin,
    guessed: false,
    modifies: new Map(),
    cancelsInFlight: 0,
    retired: null,
    sentMs: order.sinceMs,
    changedMs: order.sinceMs,
  };
  account.orders.add(entry);
  if (order.nonce !== null) account.byNonce.set(order.nonce, entry);
  if (order.orderId !== null) index(account, entry, order.orderId);
  reshape(account, entry, {}, order.sinceMs);
  return entry;
}

/** Applies a trigger of the table. False, and a wish to reconcile, when the table does not allow it. */
export function move(
  account: AccountState,
  entry: OrderEntry,
  trigger: OrderTrigger,
  nowMs: number,
  effects: FeedEffect[],
): boolean {
  const next = nextState(entry.order.state, trigger);
  if (next === undefined || next === "gone") {
    suspect(account, "illegalTransition", nowMs, effects);
    return false;
  }
  const leaving = entry.cancelsInFlight > 0 || entry.retired !== null;
  const state = next === "working" && leaving ? "canceling" : next;
  reshape(account, entry, state === entry.order.state ? {} : { state, sinceMs: nowMs }, nowMs);
  return true;
}

/** The order is over: it is no longer tracked, and its id is remembered as ours. Nothing happens where the table forbids `trigger`. */
export function endOrder(
  account: AccountState,
  entry: OrderEntry,
  end: { readonly trigger?: "declined" | "ended"; readonly why: OrderEnd; readonly reason?: string },
  nowMs: number,
  effects: FeedEffect[],
): void {
  if (nextState(entry.order.state, end.trigger ?? "ended") !== "gone") {
    suspect(account, "illegalTransition", nowMs, effects);
    return;
  }
  forget(account, entry, nowMs);
  const { accountId } = account;
  effects.push({ kind: "orderEnded", accountId, order: entry.order, why: end.why, reason: end.reason ?? null });
}

/**
 * The order was canceled. A frame ends it, unless a trade of it is known whose fill the stream has not told; an answer only retires it,
 * until the stream has told its last fills. A retired order counts in full.
 */
export function cancelOrder(
  account: AccountState,
  entry: OrderEntry,
  canceled: { readonly by: CancelSource; readonly reason: string },
  nowMs: number,
  effects: FeedEffect[],
): void {
  if (canceled.by === "frame" && !isFillOwed(account, entry)) {
    endOrder(account, entry, { why: "canceled", reason: canceled.reason }, nowMs, effects);
  } else {
    entry.retired ??= { sinceMs: nowMs, reason: canceled.reason };
    move(account, entry, "cancelTold", nowMs, effects);
  }
}

function isFillOwed({ owed }: AccountState, { order }: OrderEntry): boolean {
  for (const { orderId } of owed.values()) if (orderId === order.orderId) return true;
  return false;
}

/**
 * The exchange calls this order `orderId`. What frames told of the id before is applied now. `told` by the order's own answer
 * beats a guess: an order that was guessed to have the id loses it and is in doubt again.
 */
export function nameOrder(
  account: AccountState,
  entry: OrderEntry,
  orderId: OrderId,
  source: "told" | "guessed",
  nowMs: number,
  effects: FeedEffect[],
): void {
  if (entry.order.orderId === orderId) {
    if (source === "told") entry.guessed = false;
    return;
  }
  const holder = account.byId.get(orderId);
  let filled = size(0n);
  if (holder !== undefined) {
    filled = holder.filled;
    if (holder.guessed) unname(account, holder, nowMs);
    else forget(account, holder, nowMs);
  }
  if (entry.order.orderId !== null) account.byId.delete(entry.order.orderId);
  index(account, entry, orderId);
  searchAgain(account, entry, nowMs);
  const early = account.early.get(orderId);
  account.early.delete(orderId);
  entry.filled = size(filled + (early?.filled ?? 0n));
  entry.guessed = source === "guessed";
  reshape(account, entry, { orderId }, nowMs);
  move(account, entry, "accepted", nowMs, effects);
  if (endIfFilled(account, entry, nowMs, effects)) return;
  if (early?.canceled) cancelOrder(account, entry, early.canceled, nowMs, effects);
}

/** Some of the order was filled; the last of it ends the order. */
export function fillOrder(
  account: AccountState,
  entry: OrderEntry,
  filled: Size,
  nowMs: number,
  effects: FeedEffect[],
): void {
  entry.filled = size(entry.filled + filled);
  reshape(account, entry, {}, nowMs);
  if (!endIfFilled(account, entry, nowMs, effects)) move(account, entry, "partlyFilled", nowMs, effects);
}

/** Ends an order of which nothing is left, worst case of unanswered modifies included. */
export function endIfFilled(account: AccountState, entry: OrderEntry, nowMs: number, effects: FeedEffect[]): boolean {
  if (entry.order.remainingSize > 0n || !account.orders.has(entry)) return false;
  endOrder(account, entry, { why: "filled" }, nowMs, effects);
  return true;
}

/** Replaces what is shown of an order and computes anew what may still fill. */
export function reshape(
  account: AccountState,
  entry: OrderEntry,
  changes: Partial<Pick<TrackedOrder, "orderId" | "state" | "sinceMs" | "price" | "size" | "level">>,
  nowMs: number,
): void {
  const order = { ...entry.order, ...changes };
  const pending = worstPending(order, entry.modifies.values());
  const whole = pending !== null && pending.size > order.size ? pending.size : order.size;
  const remaining = whole - entry.filled;
  entry.order = { ...order, pending, remainingSize: size(remaining > 0n ? remaining : 0n) };
  entry.changedMs = nowMs;
  account.shown.delete(order.marketId);
}

/** Orders that no answer has named and that `order` could be: sent before it was heard of. */
export function unnamed(
  account: AccountState,
  heard: { readonly marketId: MarketId; readonly side: Side; readonly sinceMs: number },
): readonly OrderEntry[] {
  return [...account.orders].filter((entry) => mayBe(entry, heard));
}

/** Whether an order without a name could be the one that was heard of. */
function mayBe(
  { order, sentMs }: Pick<OrderEntry, "order" | "sentMs">,
  heard: { readonly marketId: MarketId; readonly side: Side | null; readonly sinceMs: number },
): boolean {
  if (order.orderId !== null || order.marketId !== heard.marketId) return false;
  return (heard.side === null || order.side === heard.side) && sentMs <= heard.sinceMs;
}

/** Something does not fit: the account should be read again. Told once until the next read is asked. */
export function suspect(account: AccountState, why: Suspicion, nowMs: number, effects: FeedEffect[]): void {
  account.reconcile.suspectedMs = nowMs;
  effects.push({ kind: "reconcileWanted", accountId: account.accountId, why });
}

/** More ids than a burst of frames brings ahead of their answers; the oldest go first. */
const EARLY_MAX = 1000;

/** What is known of an id that nobody has named yet. One that may be ours is told: should we die now, a later life looks for its fills. */
export function earlyFacts(
  account: AccountState,
  orderId: OrderId,
  heard: { readonly marketId: MarketId; readonly side: Side | null; readonly sinceMs: number },
  effects: FeedEffect[],
): EarlyFacts {
  const { marketId, side, sinceMs } = heard;
  const known = account.early.get(orderId);
  if (known !== undefined) {
    known.side ??= side;
    return known;
  }
  const facts: EarlyFacts = {
    marketId,
    side,
    sinceMs,
    placed: null,
    filled: size(0n),
    canceled: null,
    reported: false,
  };
  account.early.set(orderId, facts);
  const candidate = [...account.orders, ...account.ghosts].find((one) => mayBe(one, { marketId, side, sinceMs }));
  if (candidate !== undefined) {
    effects.push({ kind: "heard", accountId: account.accountId, orderId, marketId, side: candidate.order.side });
  }
  for (const oldest of account.early.keys()) {
    if (account.early.size <= EARLY_MAX) break;
    account.early.delete(oldest);
  }
  return facts;
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

/** Trades of an order cannot be known for ours before its id is: what differed while it was nameless is searched for again. */
function searchAgain(account: AccountState, { order, sentMs }: OrderEntry, nowMs: number): void {
  for (const [key, doubt] of account.doubts) {
    if (doubt.marketId !== order.marketId || doubt.sinceMs < sentMs) continue;
    account.doubts.set(key, { ...doubt, searchAfterMs: nowMs, rounds: 0 });
  }
  const { unexplained } = account.money;
  if (unexplained !== null && unexplained.sinceMs >= sentMs) {
    account.money.unexplained = { ...unexplained, searchAfterMs: nowMs, rounds: 0 };
  }
}

function index(account: AccountState, entry: OrderEntry, orderId: OrderId): void {
  account.byId.set(orderId, entry);
  const { marketId, side } = entry.order;
  if (entry.origin === "ours") account.own.set(orderId, { marketId, side, endedMs: null });
}

/** Takes a guessed id away: the order is in doubt as if nothing had been heard of it. */
export function unname(account: AccountState, entry: OrderEntry, nowMs: number): void {
  if (entry.order.orderId !== null) {
    account.byId.delete(entry.order.orderId);
    account.own.delete(entry.order.orderId);
  }
  entry.guessed = false;
  entry.filled = size(0n);
  reshape(account, entry, { orderId: null, state: "unknown", sinceMs: nowMs }, nowMs);
}

function forget(account: AccountState, entry: OrderEntry, nowMs: number): void {
  const { orderId, nonce, marketId, side } = entry.order;
  account.orders.delete(entry);
  if (nonce !== null) account.byNonce.delete(nonce);
  for (const modify of entry.modifies.keys()) account.byNonce.delete(modify);
  if (orderId !== null) {
    account.byId.delete(orderId);
    if (entry.origin === "ours") account.own.set(orderId, { marketId, side, endedMs: nowMs });
  }
  account.shown.delete(marketId);
}
