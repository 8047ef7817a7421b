// Everything that is known of the orders of one account, and the only writer of it: events in, effects out. The state machine is
// order-states.ts, the record of an order order-records.ts, the evidence of an event order-event.ts.

import type { EarlierHolder } from "../../../domain/allowance.ts";
import type { Command } from "../../../domain/command.ts";
import type { KnownOrder, Order, TrackedOrder, VacatedPlace } from "../../../domain/order.ts";
import { type AccountId, type MarketId, type Nonce, type OrderId, type Size, size } from "../../../domain/units.ts";
import { type FoldEffects, noEffects } from "../effects.ts";
import { endNotListed, endTraded } from "./last-fills.ts";
import { LateOrders } from "./late-orders.ts";
import { suspect, type Tracking } from "./order-changes.ts";
import { frameEvidence, type OrderEvent, type OrderEventOf } from "./order-event.ts";
import {
  canceled,
  changed,
  filled,
  isPlain,
  judgeHeard,
  keep,
  placed,
  type RecalledOrder,
  recall,
} from "./order-frames.ts";
import { believed, compareList, type ListComparison, type ListEvidence, type ListedOrders } from "./order-list.ts";
import {
  claimId,
  createOrderRecords,
  isAnyUnidentified,
  isOurs,
  isResting,
  type LandedRecord,
  type PendingFill,
  provenBy,
  recentlyVacated,
  recordOf,
  type TrackedRecord,
  vacatedUntilMs,
} from "./order-records.ts";
import { acknowledged, answered, modified, resolved, sent, sentMsOf } from "./own-commands.ts";
import { forgetLanded, identifyLanded, type TradeSearch } from "./unidentified-orders.ts";

/** A pending fill waits for its frame, or for a read of the trades to book it; one that neither brings is given up. */
const PENDING_FILL_MS = 10_000;

/** An order of ours that this life did not place. `endedMs`: by when it was over, monotonic; left out: it may rest. */
export type EarlierOrder = Omit<KnownOrder, "accountId"> & { readonly endedMs?: number };

export class OrderTracker {
  readonly #tracking: Tracking;

  /** `knownOrders`: orders of earlier lives. What is found resting or filled of these is ours. */
  constructor(
    accountId: AccountId,
    knownOrders: readonly EarlierOrder[],
    earlierHolders: readonly EarlierHolder[] = [],
  ) {
    this.#tracking = {
      accountId,
      records: createOrderRecords(),
      late: new LateOrders(earlierHolders),
      evidence: frameEvidence(Number.NEGATIVE_INFINITY),
      effects: [],
      doubted: new Map(),
      liquidatedMs: null,
      checkedMs: [],
      frameLostMs: Number.NEGATIVE_INFINITY,
      openedMs: Number.NEGATIVE_INFINITY,
      hasCancelAllReached: false,
    };
    this.claimOrders(knownOrders);
  }

  /** Applies an event; returns what it brought to light, in that order. */
  apply(event: OrderEvent): FoldEffects {
    this.#tracking.evidence = event;
    const apply = appliers[event.kind] as Applier<OrderEvent>;
    apply(this.#tracking, event);
    return this.#takeEffects();
  }

  /** Compares the exchange's list of open orders with the tracked ones; orders that were not tracked are from now on. */
  compare(listed: ListedOrders, evidence: ListEvidence): ListComparison & { readonly effects: FoldEffects } {
    this.#tracking.evidence = evidence;
    const comparison = compareList(this.#tracking, listed, evidence);
    return { ...comparison, effects: this.#takeEffects() };
  }

  /** The newest time of which a list proves to be by the orders that it shows, monotonic ms; minus infinity: it proves none. */
  provenBy(openOrders: readonly Order[]): number {
    return provenBy(this.#tracking.records, openOrders);
  }

  /** True when public trades named orders that landed unidentified: their trades can be booked now. */
  identifyLanded(search: TradeSearch): boolean {
    return identifyLanded(this.#tracking.records, search);
  }

  /** A fill was found whose frames the open stream had lost. */
  noteLostFrame(receivedMs: number): void {
    this.#tracking.frameLostMs = receivedMs;
  }

  /** A stream was opened: of fills before it no frame tells. */
  noteOpened(receivedMs: number): void {
    this.#tracking.openedMs = receivedMs;
  }

  /** Orders that nobody named are ours from now on: what is found resting or filled of these is not foreign. */
  claimOrders(orders: readonly EarlierOrder[]): void {
    const { records } = this.#tracking;
    for (const order of orders)
      claimId(records, order, { endedMs: order.endedMs ?? null, placedMs: null, filled: size(0n) });
  }

  /** True where the order, which a start found and nobody claims, may be an earlier holder's; it takes its room then. */
  takeLate(order: Order, nowMs: number): boolean {
    return isPlain(order) && this.#tracking.late.take(order, nowMs);
  }

  /** Contracts of each side that earlier holders of the account may yet have filled. */
  mayLand(marketId: MarketId): Size {
    return this.#tracking.late.worst(marketId);
  }

  /** Foreign orders that a start found and that stay. To be called before anything of the account is folded. */
  keepOrders(orders: readonly Order[], receivedMs: number): void {
    this.#tracking.evidence = { source: "accountRead", asOfMs: receivedMs, receivedMs };
    for (const order of orders) keep(this.#tracking, order);
  }

  /** Orders of an earlier life that the first list lacks, which may be older than they are. To be called before anything is folded. */
  recallOrders(orders: readonly RecalledOrder[], receivedMs: number): void {
    this.#tracking.evidence = { source: "accountRead", asOfMs: Number.NEGATIVE_INFINITY, receivedMs };
    for (const order of orders) recall(this.#tracking, order);
  }

  /** Foreign orders that may be live, those that were only suspected so far left out. */
  *foreign(): Iterable<TrackedOrder> {
    for (const record of this.live) if (record.origin === "foreign" && isResting(record)) yield record.order;
  }

  /** Orders that may be live or have last fills pending, in the order they were first heard of. */
  get live(): ReadonlySet<Readonly<TrackedRecord>> {
    return this.#tracking.records.live;
  }

  /** Orders of a market that may rest, as views show them; the same list until one of them changes. */
  inMarket(marketId: MarketId): readonly TrackedOrder[] {
    const { live, shown } = this.#tracking.records;
    const known = shown.get(marketId);
    if (known !== undefined) return known;
    const orders: TrackedOrder[] = [];
    for (const record of live) if (record.order.marketId === marketId && isResting(record)) orders.push(record.order);
    shown.set(marketId, orders);
    return orders;
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
    let count = 0;
    for (const record of this.live) if (isResting(record)) count += 1;
    return count;
  }

  /**
   * Orders of a market of which what is left may have been filled already: those that no longer rest, and of the reduce-only ones those
   * that may be over. A reduce-only order that rests can only reduce the position of now; it may have been filled when that was another.
   */
  *fillsPending(marketId: MarketId): Iterable<TrackedOrder> {
    for (const record of this.live) {
      const { order, mayBeOver } = record;
      if (order.marketId === marketId && (!isResting(record) || (order.reduceOnly && mayBeOver))) yield order;
    }
  }

  /** True for an order of which the exchange has said that it no longer rests. */
  isOver(orderId: OrderId): boolean {
    const known = recordOf(this.#tracking.records, orderId);
    return known?.kind === "tracked" ? !isResting(known) : known?.kind === "past" && known.endedMs !== null;
  }

  /** Markets whose orders changed since the account's sums were last brought up to date, which clear it. */
  get touched(): Set<MarketId> {
    return this.#tracking.records.touched;
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

  /** When this life placed the order, monotonic ms; minus infinity: it did not, or is not sure which order it was. */
  placedMs(orderId: OrderId): number {
    const known = recordOf(this.#tracking.records, orderId);
    const isKnown = known?.kind === "past" || (known?.kind === "tracked" && !known.isIdInferred);
    return (isKnown ? known.placedMs : null) ?? Number.NEGATIVE_INFINITY;
  }

  /** True while an order sent by `sentByMs` has neither id nor end: its trades cannot be known, and it may have moved the position. */
  isAnyUnidentified(marketId: MarketId, sentByMs: number): boolean {
    return isAnyUnidentified(this.#tracking.records, marketId, sentByMs);
  }

  /** True while the order of this place may be live and nobody has named its id. */
  isUnidentified(nonce: Nonce): boolean {
    return this.#tracking.records.byNonce.get(nonce)?.order.orderId === null;
  }

  /** Orders that landed, are over, and were never identified. */
  get landed(): readonly LandedRecord[] {
    return this.#tracking.records.landed;
  }

  /** Public trades of ours whose fills have not been booked. */
  *pendingFills(): Iterable<PendingFill> {
    const { pendingFills } = this.#tracking.records;
    for (const key of pendingFills.keys()) {
      const fill = pendingFills.get(key);
      if (fill !== undefined) yield fill;
    }
  }

  /** True while the booking of a known trade of ours is awaited, in `marketId` or anywhere: positions cannot be judged. */
  isAnyFillPending(nowMs: number, marketId?: MarketId): boolean {
    for (const { fill, sinceMs } of this.pendingFills()) {
      if (nowMs - sinceMs < PENDING_FILL_MS && (marketId ?? fill.marketId) === fill.marketId) return true;
    }
    return false;
  }

  /** When the transaction was sent, monotonic ms: the earliest time that its answer can speak of. Undefined where nothing awaits it. */
  sentMs(nonce: Nonce, command: Command): number | undefined {
    return sentMsOf(this.#tracking, nonce, command);
  }

  #takeEffects(): FoldEffects {
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
  placed,
  canceled,
  changed,
  triggered: (tracking) => suspect(tracking, "unknownOrder"),
  modified,
  filled,
  answered,
  resolved,
  believed,
  notListed: endNotListed,
  traded({ records }, { fill, receivedMs }) {
    records.pendingFills.set(fill.key, { fill, sinceMs: receivedMs });
  },
  unreadable: (tracking) => suspect(tracking, "answerSilent"),
  tradesSearched(tracking, event) {
    const { records } = tracking;
    const { marketId, asOfMs, receivedMs } = event;
    forgetLanded(records, receivedMs);
    // A later read of the trades has booked what was pending, or shown that there is no such trade.
    for (const key of records.pendingFills.keys()) {
      const pending = records.pendingFills.get(key);
      if (pending?.fill.marketId === marketId && pending.sinceMs < asOfMs) records.pendingFills.delete(key);
    }
    endTraded(tracking, event);
  },
  liquidated(tracking, { receivedMs }) {
    tracking.liquidatedMs = receivedMs;
    suspect(tracking, "liquidation");
  },
  timePassed: judgeHeard,
};
