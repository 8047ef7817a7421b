// The orders of one account: the complete state and its only writer. Events go in, effects come out. This file is the only door of the
// room. An order's states are in states.ts, its record in records.ts.

import type { OpenOrders } from "../../../domain/account.ts";
import type { EarlierHolder } from "../../../domain/allowance.ts";
import type { Command, PlaceCommand } from "../../../domain/command.ts";
import { type Dialect, type Modifies, unknownDialect } from "../../../domain/dialect.ts";
import type { SubmitOutcome, TransactionEvent } from "../../../domain/event.ts";
import type { Fill } from "../../../domain/fill.ts";
import { isPlain, type Order, type TrackedOrder, type VacatedPlace } from "../../../domain/order.ts";
import type { AccountId, MarketId, Nonce, OrderId, Size } from "../../../domain/units.ts";
import { noEffects } from "../../market/effects.ts";
import { marketTiming } from "../../timing.ts";
import type { PlaceWord } from "../doubts.ts";
import type { AccountEffects } from "../effects.ts";
import { type Span, spanOf } from "../evidence.ts";
import { forgetOrder } from "./changes.ts";
import { acknowledged, answered, resolved, sent, type Verdict } from "./commands.ts";
import { suspect } from "./dialect.ts";
import { EarlierHolders } from "./earlier-holders.ts";
import { canceled, filled, modified, placed } from "./frames.ts";
import { compareList, resynced } from "./list.ts";
import { judgeUnidentified, trackResting } from "./ownership.ts";
import {
  createOrders,
  isOurs,
  markOurs,
  type OrderListName,
  type Orders,
  type ReportedOrder,
  recentlyVacated,
  recordOf,
  type TrackedRecord,
} from "./records.ts";
import { mayRest } from "./states.ts";
import { showCancels } from "./unshown.ts";

export { IN_ROW_MAX } from "./dialect.ts";
export { levelAt, Queue, QueuePlaces } from "./queue.ts";

/** Events of orders. Times are monotonic, ms. */
export type OrderEvent = { readonly receivedMs: number } & (
  | { readonly kind: "sent"; readonly nonce: Nonce; readonly command: Command }
  | {
      readonly kind: "acknowledged";
      readonly nonce: Nonce;
      readonly command: PlaceCommand;
      readonly events: readonly TransactionEvent[];
    }
  | { readonly kind: "answered"; readonly nonce: Nonce; readonly command: Command; readonly outcome: SubmitOutcome }
  | { readonly kind: "resolved"; readonly nonce: Nonce; readonly command: Command; readonly verdict: Verdict }
  | { readonly kind: "placed" | "modified"; readonly order: ReportedOrder }
  | { readonly kind: "canceled"; readonly orderId: OrderId; readonly marketId: MarketId; readonly reason: string }
  | { readonly kind: "triggered" | "liquidated" }
  | { readonly kind: "filled"; readonly fill: Fill }
  | { readonly kind: "fillsRead"; readonly marketId: MarketId; readonly askedMs: number; readonly sinceMs: number }
  | { readonly kind: "resynced"; readonly marketId: MarketId | null; readonly lists: OpenOrders }
  | { readonly kind: "timePassed"; readonly isSettling: (marketId: MarketId) => boolean }
);

/** Each event, and its effect on orders. */
const reactions: { readonly [K in OrderEvent["kind"]]: Reaction<Extract<OrderEvent, { readonly kind: K }>> } = {
  // Before the socket sees the bytes: a place is in flight and may rest, a modify is pending, a cancel makes its order canceling.
  sent: (orders, { nonce, command }) => sent(orders, nonce, command),
  // An executed place, before any of its events is applied: the order gets its id, and with it everything that frames said of the id.
  acknowledged: (orders, { nonce, command, events }) => acknowledged(orders, nonce, command, events),
  // Executed: each order changes as the events say; if they do not show the effect, it is awaited. Refused, rejected or not sent: a place
  // is over, and an order keeps its terms. Unknown: both outcomes count.
  answered: (orders, { nonce, command, outcome }) => answered(orders, nonce, command, outcome),
  // A lost answer: the place is over, or counts as filled until the resync; the modify executed, or not.
  resolved: (orders, { nonce, command, verdict }) => resolved(orders, nonce, command, verdict),
  // A frame. The order rests; while a place of ours is unanswered, the id waits for that answer.
  placed: (orders, { order }) => placed(orders, order),
  // A frame of any modify. Our modify is confirmed; any other changes the order's terms, and the account is read.
  modified: (orders, { order }) => modified(orders, order),
  // A frame. The order no longer rests; its rest counts as filled until reads show otherwise.
  canceled,
  // A frame: a conditional order left its trigger. We place none, so the account is read.
  triggered: (orders) => suspect(orders, "unknownOrder"),
  liquidated(orders, { receivedMs }) {
    orders.liquidatedMs = receivedMs;
    suspect(orders, "liquidation");
  },
  // A fill that was just booked, once. Its last fill ends an order.
  filled: (orders, { fill }) => filled(orders, fill),
  // A read asked at `askedMs` shows that no fill of the market is missing, for orders sent since `sinceMs`: ended orders are over.
  fillsRead: forgetEnded,
  // Both witnesses of a resync listed the open orders of the account, or of one market: orders that they lack are over.
  resynced: (orders, { marketId, lists }) => resynced(orders, marketId, lists),
  // An order that nothing has explained in time is foreign. The exchange closes positions in a market that settles.
  timePassed: (orders, { isSettling }) => judgeUnidentified(orders, isSettling),
};

type Reaction<E> = (orders: Orders, event: E) => void;

/** All fills of orders that had ended before the answer could be made are booked, where their ids are known. */
function forgetEnded(
  orders: Orders,
  { marketId, askedMs, sinceMs, receivedMs }: Extract<OrderEvent, { readonly kind: "fillsRead" }>,
): void {
  const { fromMs } = spanOf({ askedMs, receivedMs }, orders.readLagMaxMs);
  for (const record of [...orders.live.in(marketId)]) {
    const { end, order, sentMs } = record;
    if (end === null || order.orderId === null || end.atMs >= fromMs || sentMs < sinceMs) continue;
    forgetOrder(orders, record, end.why, end.reason);
  }
}

export type OrderTrackerOptions = {
  readonly accountId: AccountId;
  readonly readLagMaxMs: number;
  /** Orders of earlier runs: those found resting or filled are ours. */
  readonly knownOrders: readonly OrderId[];
  readonly earlierHolders?: readonly EarlierHolder[];
  /** What is known of the exchange's dialect. */
  readonly dialect?: Dialect;
};

export class OrderTracker {
  readonly #orders: Orders;

  constructor({
    accountId,
    readLagMaxMs,
    knownOrders,
    earlierHolders = [],
    dialect = unknownDialect,
  }: OrderTrackerOptions) {
    this.#orders = createOrders({ accountId, readLagMaxMs, dialect, earlier: new EarlierHolders(earlierHolders) });
    this.claim(knownOrders);
  }

  /** Applies an event; returns its effects, in order. */
  apply(event: OrderEvent): AccountEffects {
    this.#orders.nowMs = event.receivedMs;
    const react = reactions[event.kind] as Reaction<OrderEvent>;
    react(this.#orders, event);
    return this.#takeEffects();
  }

  /** Returns a list's word on each order; untracked ones are tracked from now on. The list of `orders` judges only cancels. */
  compare(
    listed: OpenOrders,
    list: OrderListName,
    span: Span,
  ): { readonly words: readonly PlaceWord[]; readonly effects: AccountEffects } {
    this.#orders.nowMs = span.toMs;
    const words = list === "account" ? compareList(this.#orders, listed, span) : [];
    if (list === "orders") showCancels(this.#orders, listed, "orders", span);
    return { words, effects: this.#takeEffects() };
  }

  /** What is known of the exchange's dialect. */
  get dialect(): Dialect {
    return this.#orders.dialect;
  }

  /**
   * Which modifies may be sent. A fill on the way would enlarge a size that excludes what is filled; and where the dialect knows neither
   * sizes of modifies nor of rows, no row shows what a modify did.
   */
  get modifies(): Modifies {
    const { modifySize, rowSize } = this.#orders.dialect;
    if (modifySize === "none" || modifySize === "total") return modifySize === "none" ? "none" : "all";
    return modifySize === "remaining" || (this.#orders.areRowsUnclear && rowSize === null) ? "prices" : "all";
  }

  /** These orders are ours from now on: those found resting or filled are not foreign. */
  claim(ids: readonly OrderId[]): void {
    for (const orderId of ids) markOurs(this.#orders, orderId, null);
  }

  /** True where an order found at the start may be an earlier holder's; it then uses up their headroom. */
  isOfEarlierHolder(order: Order, nowMs: number): boolean {
    return isPlain(order) && this.#orders.earlier.take(order, nowMs);
  }

  /** Returns contracts per side that earlier holders of the account may still have filled. */
  earlierHoldersMayFill(marketId: MarketId): Size {
    return this.#orders.earlier.worst(marketId);
  }

  /** Tracks foreign orders that a start found and leaves alone. Call it before anything of the account is folded. */
  trackForeign(found: readonly Order[], nowMs: number): void {
    this.#orders.nowMs = nowMs;
    for (const order of found) trackResting(this.#orders, order, order.filledSize, "foreign");
    this.#takeEffects();
  }

  /** Orders that may rest, or whose last fills are unknown, in the order of the first message about each. */
  get live(): ReadonlySet<Readonly<TrackedRecord>> {
    return this.#orders.live;
  }

  /** Orders that may rest, in all markets. */
  *resting(): Iterable<TrackedOrder> {
    for (const { state, order } of this.live) if (mayRest(state)) yield order;
  }

  /** Those that are certainly foreign. */
  *foreign(): Iterable<TrackedOrder> {
    for (const { state, order, origin } of this.live) if (origin === "foreign" && mayRest(state)) yield order;
  }

  get restingCount(): number {
    this.#orders.restingCount ??= [...this.resting()].length;
    return this.#orders.restingCount;
  }

  /** Orders of a market that may rest, as views show them; the same list until one of them changes. */
  inMarket(marketId: MarketId): readonly TrackedOrder[] {
    const { live, shown } = this.#orders;
    const known = shown.get(marketId);
    if (known !== undefined) return known;
    const orders: TrackedOrder[] = [];
    for (const { state, order } of live.in(marketId)) if (mayRest(state)) orders.push(order);
    shown.set(marketId, orders);
    return orders;
  }

  /** Orders of a market that no longer rest but whose rest may have been filled. */
  *fillsPending(marketId: MarketId): Iterable<TrackedOrder> {
    for (const { state, order } of this.#orders.live.in(marketId)) if (!mayRest(state)) yield order;
  }

  /** Notes how many contracts are ahead of the order at its price; null: unknown. */
  setQueueAhead(orderId: OrderId, queueAhead: Size | null): void {
    const record = this.tracked(orderId);
    if (record === undefined || record.order.queueAhead === queueAhead) return;
    record.order = Object.freeze({ ...record.order, queueAhead });
    this.#orders.shown.delete(record.order.marketId);
  }

  /** Returns where orders rested in a market until a moment ago, the newest first. */
  vacatedIn(marketId: MarketId, nowMs: number): readonly VacatedPlace[] {
    return recentlyVacated(this.#orders, marketId, nowMs);
  }

  /** Returns when the first of the places last returned no longer counts, monotonic ms; infinity: none. */
  vacatedUntilMs(marketId: MarketId): number {
    const oldest = this.#orders.vacated.get(marketId)?.at(-1);
    return oldest === undefined ? Number.POSITIVE_INFINITY : oldest.sinceMs + marketTiming.bookLagMs;
  }

  /** Markets whose orders changed since the account's sums were last updated, which clears this. */
  get touched(): Set<MarketId> {
    return this.#orders.touched;
  }

  tracked(orderId: OrderId): TrackedRecord | undefined {
    return this.#orders.tracked.get(orderId);
  }

  /** True for an order that the exchange has ended. */
  isOver(orderId: OrderId): boolean {
    const known = recordOf(this.#orders, orderId);
    if (known?.kind === "tracked") return !mayRest(known.state);
    return known?.kind === "past" ? known.endedMs !== null : known?.end != null;
  }

  /** Returns when it was over, monotonic ms; minus infinity: before this run; undefined: it is not. */
  endedMs(orderId: OrderId): number | undefined {
    const known = recordOf(this.#orders, orderId);
    return known?.kind === "past" ? (known.endedMs ?? Number.NEGATIVE_INFINITY) : known?.end?.atMs;
  }

  /** True for an id that one of our orders has or had. */
  isOurs(orderId: OrderId): boolean {
    return isOurs(this.#orders, orderId);
  }

  /** True for an id known on this account. It may be foreign; its fills still move the account's money. */
  isOnAccount(orderId: OrderId): boolean {
    return recordOf(this.#orders, orderId) !== undefined;
  }

  /** True while the effect of the place or modify with this nonce is unknown. */
  isOpen(nonce: Nonce): boolean {
    const record = this.#orders.byNonce.get(nonce);
    if (record === undefined) return false;
    return record.modifies.has(nonce) || record.state === "inFlight" || record.state === "unknown";
  }

  /** True while a place sent by then, monotonic ms, is unanswered. */
  isAwaited(marketId: MarketId, byMs: number): boolean {
    for (const { state, sentMs } of this.#orders.live.in(marketId))
      if (state === "inFlight" && sentMs <= byMs) return true;
    return false;
  }

  #takeEffects(): AccountEffects {
    const { effects } = this.#orders;
    if (effects.length === 0) return noEffects;
    this.#orders.effects = [];
    return effects;
  }
}
