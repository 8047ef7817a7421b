// Everything that is known of the orders of one account, and the only writer of it: events in, effects out. The state machine is
// order-states.ts, the record of an order order-records.ts.

import type { OpenOrders } from "../../domain/account.ts";
import type { EarlierHolder } from "../../domain/allowance.ts";
import { type Dialect, type Modifies, unknownDialect } from "../../domain/dialect.ts";
import type { Order, TrackedOrder, VacatedPlace } from "../../domain/order.ts";
import type { AccountId, MarketId, Nonce, OrderId, Size } from "../../domain/units.ts";
import { noEffects } from "../market/effects.ts";
import type { PlaceWord } from "./doubts.ts";
import type { AccountEffects } from "./effects.ts";
import { type Span, spanOf } from "./evidence.ts";
import { LateOrders } from "./late-orders.ts";
import { forgetOrder, suspect, type Tracking } from "./order-changes.ts";
import type { OrderEvent, OrderEventOf } from "./order-event.ts";
import { adopt, canceled, changed, filled, isPlain, judgeReceived, placed } from "./order-frames.ts";
import { adopted, judgeList, showCancels } from "./order-list.ts";
import {
  claimId,
  createOrderRecords,
  isOurs,
  isResting,
  recentlyVacated,
  recordOf,
  type TrackedRecord,
  vacatedUntilMs,
} from "./order-records.ts";
import { acknowledged, answered, resolved, sent } from "./own-commands.ts";

export type TrackerOptions = {
  readonly accountId: AccountId;
  readonly readLagMaxMs: number;
  /** Orders of earlier runs: what is found resting or filled of these is ours. */
  readonly knownOrders: readonly OrderId[];
  readonly earlierHolders?: readonly EarlierHolder[];
  /** What is known of the exchange's dialect. */
  readonly dialect?: Dialect;
};

export class OrderTracker {
  readonly #tracking: Tracking;

  constructor({ accountId, readLagMaxMs, knownOrders, earlierHolders = [], dialect = unknownDialect }: TrackerOptions) {
    this.#tracking = {
      accountId,
      readLagMaxMs,
      records: createOrderRecords(),
      late: new LateOrders(earlierHolders),
      nowMs: Number.NEGATIVE_INFINITY,
      effects: [],
      liquidatedMs: null,
      dialect,
      areRowsUnclear: false,
      areModifiesReplaced: false,
      notUnderstood: { place: 0, modify: 0, cancel: 0 },
    };
    this.claimOrders(knownOrders);
  }

  /** Applies an event; returns what it brought to light, in that order. */
  apply(event: OrderEvent): AccountEffects {
    this.#tracking.nowMs = event.receivedMs;
    const apply = appliers[event.kind] as Applier<OrderEvent>;
    apply(this.#tracking, event);
    return this.#takeEffects();
  }

  /** What the exchange's list of open orders says of each order. Orders that were not tracked are from now on. */
  judge(listed: OpenOrders, span: Span): { readonly words: readonly PlaceWord[]; readonly effects: AccountEffects } {
    this.#tracking.nowMs = span.toMs;
    const words = judgeList(this.#tracking, listed, span);
    return { words, effects: this.#takeEffects() };
  }

  /** Judges cancels without a visible effect by the list of orders read alone. */
  judgeCancels(listed: OpenOrders, span: Span): AccountEffects {
    this.#tracking.nowMs = span.toMs;
    showCancels(this.#tracking, listed, "orders", span);
    return this.#takeEffects();
  }

  /** What is known of the exchange's dialect. */
  get dialect(): Dialect {
    return this.#tracking.dialect;
  }

  /**
   * A fill on the way would enlarge a size that excludes what is filled; and where the dialect knows neither sizes of modifies nor of rows,
   * no row shows what a modify did.
   */
  get modifies(): Modifies {
    const { modifySize, rowSize } = this.#tracking.dialect;
    if (modifySize === "none" || modifySize === "total") return modifySize === "none" ? "none" : "all";
    return modifySize === "remaining" || (this.#tracking.areRowsUnclear && rowSize === null) ? "prices" : "all";
  }

  /** Orders that nobody named are ours from now on: what is found resting or filled of these is not foreign. */
  claimOrders(orders: readonly OrderId[]): void {
    for (const orderId of orders) claimId(this.#tracking.records, orderId, null);
  }

  /** True where the order, which a start found and nobody claims, may be an earlier holder's; it takes its headroom then. */
  takeLate(order: Order, nowMs: number): boolean {
    return isPlain(order) && this.#tracking.late.take(order, nowMs);
  }

  /** Contracts of each side that earlier holders of the account may yet have filled. */
  mayLand(marketId: MarketId): Size {
    return this.#tracking.late.worst(marketId);
  }

  /** Orders that a start found: those of others stay, ours are canceled. To be called before anything of the account is folded. */
  keepOrders(orders: readonly Order[], nowMs: number): void {
    this.#tracking.nowMs = nowMs;
    for (const order of orders) adopt(this.#tracking, order, order.filledSize, "foreign");
    this.#takeEffects();
  }

  /** Foreign orders that may be live, those that were only seen once left out. */
  *foreign(): Iterable<TrackedOrder> {
    for (const record of this.live) if (record.origin === "foreign" && isResting(record)) yield record.order;
  }

  /** Orders that may be live, or whose last fills are not known, in the order they were first heard of. */
  get live(): ReadonlySet<Readonly<TrackedRecord>> {
    return this.#tracking.records.live;
  }

  /** Orders of a market that may rest, as views show them; the same list until one of them changes. */
  inMarket(marketId: MarketId): readonly TrackedOrder[] {
    const { live, shown } = this.#tracking.records;
    const known = shown.get(marketId);
    if (known !== undefined) return known;
    const orders: TrackedOrder[] = [];
    for (const record of live.in(marketId)) if (isResting(record)) orders.push(record.order);
    shown.set(marketId, orders);
    return orders;
  }

  /** Contracts that stand before the order at its price; null: nobody knows. */
  queue(orderId: OrderId, queueAhead: Size | null): void {
    const { records } = this.#tracking;
    const record = records.tracked.get(orderId);
    if (record === undefined || record.order.queueAhead === queueAhead) return;
    record.order = Object.freeze({ ...record.order, queueAhead });
    records.shown.delete(record.order.marketId);
  }

  /** Where orders rested in a market until a moment ago. */
  vacatedIn(marketId: MarketId, nowMs: number): readonly VacatedPlace[] {
    return recentlyVacated(this.#tracking.records, marketId, nowMs);
  }

  /** When the first of these places no longer counts, monotonic ms; infinity: there is none. */
  vacatedUntilMs(marketId: MarketId): number {
    return vacatedUntilMs(this.#tracking.records, marketId);
  }

  /** Orders that may rest, in all markets. */
  *resting(): Iterable<TrackedOrder> {
    for (const record of this.live) if (isResting(record)) yield record.order;
  }

  get restingCount(): number {
    const { records } = this.#tracking;
    if (records.restingCount === null) {
      let count = 0;
      for (const record of records.live) if (isResting(record)) count += 1;
      records.restingCount = count;
    }
    return records.restingCount;
  }

  /** Orders of a market that no longer rest and of which what is left may have been filled. */
  *fillsPending(marketId: MarketId): Iterable<TrackedOrder> {
    for (const record of this.#tracking.records.live.in(marketId)) if (!isResting(record)) yield record.order;
  }

  /** True for an order of which the exchange has said that it no longer rests. */
  isOver(orderId: OrderId): boolean {
    const known = recordOf(this.#tracking.records, orderId);
    if (known?.kind === "tracked") return !isResting(known);
    return known?.kind === "past" ? known.endedMs !== null : known?.end != null;
  }

  /** When it was over, monotonic ms; minus infinity: before this run; undefined: it is not. */
  endedMs(orderId: OrderId): number | undefined {
    const known = recordOf(this.#tracking.records, orderId);
    return known?.kind === "past" ? (known.endedMs ?? Number.NEGATIVE_INFINITY) : known?.end?.atMs;
  }

  /** Markets whose orders changed since the account's sums were last brought up to date, which clear it. */
  get touched(): Set<MarketId> {
    return this.#tracking.records.touched;
  }

  /** Contracts of its booked fills; null: it is not tracked. */
  filledOf(orderId: OrderId): Size | null {
    return this.#tracking.records.tracked.get(orderId)?.filled ?? null;
  }

  /** When the newest of these orders that is ours was sent, monotonic ms; minus infinity: none is. */
  newestSentMs(listed: readonly Pick<Order, "orderId">[]): number {
    const { tracked } = this.#tracking.records;
    const records = listed.map(({ orderId }) => tracked.get(orderId));
    return Math.max(
      Number.NEGATIVE_INFINITY,
      ...records.map((one) => (one?.origin === "ours" ? one.sentMs : -Infinity)),
    );
  }

  /** True for an id that one of our orders has or had. */
  isOurs(orderId: OrderId): boolean {
    return isOurs(this.#tracking.records, orderId);
  }

  /** True for an order of ours of which we know where it rests, whatever lists say. */
  isTrackedAsOurs(orderId: OrderId): boolean {
    return this.#tracking.records.tracked.get(orderId)?.origin === "ours";
  }

  /** True for an id known on this account. One that nobody has claimed may be foreign; its fills move the account's money all the same. */
  isOnAccount(orderId: OrderId): boolean {
    return recordOf(this.#tracking.records, orderId) !== undefined;
  }

  /** True while the effect of the place or modify with this nonce is unknown. */
  isOpen(nonce: Nonce): boolean {
    const record = this.#tracking.records.byNonce.get(nonce);
    if (record === undefined) return false;
    return record.modifies.has(nonce) || record.state === "inFlight" || record.state === "unknown";
  }

  /** True while a place that was sent by then, monotonic ms, is unanswered. */
  isAwaited(marketId: MarketId, byMs: number): boolean {
    for (const { state, sentMs } of this.#tracking.records.live.in(marketId))
      if (state === "inFlight" && sentMs <= byMs) return true;
    return false;
  }

  #takeEffects(): AccountEffects {
    const { effects } = this.#tracking;
    if (effects.length === 0) return noEffects;
    this.#tracking.effects = [];
    return effects;
  }
}

type Applier<E> = (tracking: Tracking, event: E) => void;

const appliers: { readonly [K in OrderEvent["kind"]]: Applier<OrderEventOf<K>> } = {
  sent,
  acknowledged,
  answered,
  resolved,
  placed,
  canceled,
  changed,
  triggered: (tracking) => suspect(tracking, "unknownOrder"),
  filled,
  tradesSearched(tracking, { marketId, askedMs, sinceMs }) {
    forgetEnded(tracking, marketId, askedMs, sinceMs);
  },
  positionReported(tracking, { marketId, askedMs }) {
    forgetEnded(tracking, marketId, askedMs, Number.NEGATIVE_INFINITY);
  },
  adopted,
  liquidated(tracking, { receivedMs }) {
    tracking.liquidatedMs = receivedMs;
    suspect(tracking, "liquidation");
  },
  timePassed: judgeReceived,
};

/** Everything that was filled of orders which had ended when the answer may have been made is booked, where their ids are known. */
function forgetEnded(tracking: Tracking, marketId: MarketId, askedMs: number, sinceMs: number): void {
  const { fromMs } = spanOf({ askedMs, receivedMs: tracking.nowMs }, tracking.readLagMaxMs);
  for (const record of [...tracking.records.live.in(marketId)]) {
    const { end, order, sentMs } = record;
    if (end === null || order.orderId === null || end.atMs >= fromMs || sentMs < sinceMs) continue;
    forgetOrder(tracking, record, end.why, end.reason);
  }
}
