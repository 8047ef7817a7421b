// What is known of the account's orders: one record per order, from the first word of it to long after its end, and every way to find
// it. An id has one record: heard of, tracked or past. An order without an id is found by its nonce.

import type { TimeInForce, TrackedOrder, VacatedPlace } from "../../domain/order.ts";
import { type MarketId, type Nonce, type OrderId, type Price, type Side, type Size, size } from "../../domain/units.ts";
import { type BoundedMap, createOldestOutMap } from "../../kernel/bounded.ts";
import { marketTiming } from "../timing.ts";
import type { HeldStates } from "./evidence.ts";
import { mayRest, type TrackedState } from "./order-states.ts";

/**
 * A success without a visible effect in answer, frame or read so far. `sinceMs`: when it was answered, monotonic. `said`: what its answer
 * held, for people. `isOverdue`: its time is over, and a resync will decide.
 */
export type Unshown = {
  readonly nonce: Nonce;
  readonly sinceMs: number;
  readonly said: string;
  readonly isOverdue: boolean;
};

/** A modify whose effect is not known. `level`: of the quote that the order stands for once it has landed. */
export type PendingModify = {
  readonly price: Price;
  readonly size: Size;
  readonly level: number | null;
  /** True: it sets a size, and the dialect does not say yet whether that includes what is filled. */
  readonly isSizeOpen: boolean;
  /** Null: it is unanswered, or its answer was lost. */
  readonly unshown: Unshown | null;
};

/** How an order ended, by the exchange. `reasonUnknown`: a list showed it, and two later ones do not. `atMs`: monotonic time at which the bot learned it. */
export type End = {
  readonly why: "canceled" | "expired" | "reasonUnknown";
  readonly reason: string | null;
  readonly atMs: number;
  /** Only a frame showed the end: after a recent modify, a place of the same id may follow. */
  readonly isByFrame?: boolean;
};

/** One of the account's orders that may be live, or whose last fills may not be known. */
export type TrackedRecord = {
  readonly kind: "tracked";
  state: TrackedState;
  /** As views show it. */
  order: TrackedOrder;
  /** Sum of the fills booked for it, and at adoption what was filled before. */
  filled: Size;
  readonly timeInForce: TimeInForce;
  /**
   * `received`, by a frame, or `listed`, by a read: none of our transactions made it, as far as we know. `missed`: listed, and the read after lacked
   * it. `foreign`: so it is.
   */
  origin: "ours" | "received" | "listed" | "missed" | "foreign";
  /** Modifies without an answer or a visible effect, by nonce. */
  readonly modifies: Map<Nonce, PendingModify>;
  /** Without an answer or a visible effect. */
  cancelsInFlight: number;
  /** Its place succeeded, and no message has given its id. */
  placeUnshown: Unshown | null;
  /** Its cancel succeeded, and no message shows the order's end. `missedBy`: the lists that have lacked it since. */
  cancelUnshown: (Unshown & { readonly missedBy: ReadonlySet<OrderListName> }) | null;
  /** A frame canceled it while a modify was in flight: that may be the first half of the modify. */
  heldEnd: End | null;
  /** Modifies whose frames, a cancel and a place of the same id, have not arrived: that many cancel frames do not end the order. */
  replacements: number;
  /** When a modify of it was last answered as executed, monotonic ms; null: none was. */
  modifiedMs: number | null;
  /** Set in the state `ended`, and in `executed` once its market was cleared after it. */
  end: End | null;
  /** When it was sent, or first heard of, monotonic ms. */
  readonly sentMs: number;
  /** Its terms as they were (`termsOf`); until it was named, `ABSENT`. */
  readonly held: HeldStates<string>;
};

/** The two lists of open orders: that of the account's own read, and the one read alone. */
export type OrderListName = "account" | "orders";

/** Events of an order id that no answer named yet: frames may come before the answer. */
export type ReceivedRecord = {
  readonly kind: "received";
  readonly marketId: MarketId;
  /** Null while only a cancel named the id. */
  side: Side | null;
  /** Monotonic ms. */
  readonly sinceMs: number;
  /** From orderPlaced; null while none came. */
  placed: { readonly price: Price; readonly size: Size } | null;
  filled: Size;
  end: End | null;
  /** Of a transaction of ours whose answer was lost. */
  isOurs: boolean;
  /** Judged already: ours, adopted or reported as foreign. */
  isJudged: boolean;
};

/** An order that is not tracked: over, or known from an earlier run. `endedMs`: monotonic; null: before this run. */
export type PastRecord = {
  readonly kind: "past";
  readonly isOurs: boolean;
  readonly endedMs: number | null;
};

export type OrderRecord = ReceivedRecord | TrackedRecord | PastRecord;

/** `sinceMs`: when the order left, monotonic ms. */
export type Vacated = VacatedPlace & { readonly sinceMs: number };

/** More ids than a burst of frames brings ahead of their answers. */
const RECEIVED_MAX = 1000;
/** More than any list of recent trades reaches back; some megabytes at most. */
const PAST_MAX = 20_000;

const NO_ORDERS: ReadonlySet<TrackedRecord> = new Set();

/** In the order they were first heard of. An account may have hundreds, and each turn asks for those of its market. */
class LiveOrders extends Set<TrackedRecord> {
  readonly #byMarket = new Map<MarketId, Set<TrackedRecord>>();

  in(marketId: MarketId): ReadonlySet<TrackedRecord> {
    return this.#byMarket.get(marketId) ?? NO_ORDERS;
  }

  override add(record: TrackedRecord): this {
    const { marketId } = record.order;
    const here = this.#byMarket.get(marketId);
    if (here === undefined) this.#byMarket.set(marketId, new Set([record]));
    else here.add(record);
    return super.add(record);
  }

  override delete(record: TrackedRecord): boolean {
    const { marketId } = record.order;
    const here = this.#byMarket.get(marketId);
    here?.delete(record);
    if (here?.size === 0) this.#byMarket.delete(marketId);
    return super.delete(record);
  }
}

export type OrderRecords = {
  readonly live: LiveOrders;
  /** Of unanswered places and modifies, and of places that are live. */
  readonly byNonce: Map<Nonce, TrackedRecord>;
  readonly received: BoundedMap<OrderId, ReceivedRecord>;
  readonly tracked: Map<OrderId, TrackedRecord>;
  readonly past: BoundedMap<OrderId, PastRecord>;
  /** What each unanswered CancelAllOrders may reach. */
  readonly cancelAlls: Map<Nonce, readonly TrackedRecord[]>;
  /** Orders of a market as views show them; dropped at each change (`changed`). */
  readonly shown: Map<MarketId, readonly TrackedOrder[]>;
  /** Orders that may rest, in all markets; null: one has changed since they were counted. */
  restingCount: number | null;
  /** Where orders rested until a moment ago, by market, the newest first. */
  readonly vacated: Map<MarketId, readonly Vacated[]>;
  /** Markets whose orders changed since the account's sums were last brought up to date. */
  readonly touched: Set<MarketId>;
};

export const createOrderRecords = (): OrderRecords => ({
  live: new LiveOrders(),
  byNonce: new Map(),
  received: createOldestOutMap(RECEIVED_MAX),
  tracked: new Map(),
  past: createOldestOutMap(PAST_MAX),
  cancelAlls: new Map(),
  shown: new Map(),
  restingCount: null,
  vacated: new Map(),
  touched: new Set(),
});

/** An order of the market is not what views and counts have shown. */
export function changed(records: OrderRecords, marketId: MarketId): void {
  records.shown.delete(marketId);
  records.restingCount = null;
}

/** What lists say of an order that does not rest yet. */
export const ABSENT = "absent";

/** What lists say of an order that rests. */
export const termsOf = (price: Price, whole: Size, filled: Size): string => `${price} ${whole} ${filled}`;

export const recordOf = ({ tracked, received, past }: OrderRecords, orderId: OrderId): OrderRecord | undefined =>
  tracked.get(orderId) ?? received.get(orderId) ?? past.get(orderId);

/** Makes `record` the one of the id. */
export function putRecord(records: OrderRecords, orderId: OrderId, record: OrderRecord): void {
  if (record.kind !== "received") records.received.delete(orderId);
  if (record.kind !== "tracked") records.tracked.delete(orderId);
  if (record.kind !== "past") records.past.delete(orderId);
  if (record.kind === "received") records.received.set(orderId, record);
  else if (record.kind === "tracked") records.tracked.set(orderId, record);
  else records.past.set(orderId, record);
}

/** True for an order that may rest; false: it is over, but for fills that are not known yet. */
export const isResting = ({ state }: Pick<TrackedRecord, "state">): boolean => mayRest(state);

/** The order leaves the place where it rests; the book may show it there for a moment. To be called before it is changed. */
export function vacate(records: OrderRecords, { state, order, filled }: TrackedRecord, nowMs: number): void {
  const { orderId, marketId, side, price } = order;
  if (state === "inFlight" || !mayRest(state) || order.isConditional || order.size <= filled) return;
  const place: Vacated = Object.freeze({ orderId, side, price, size: size(order.size - filled), sinceMs: nowMs });
  // An order that goes to and fro leaves a place once.
  const others = recentlyVacated(records, marketId, nowMs).filter(
    (other) => other.orderId !== orderId || other.price !== price || other.size !== place.size,
  );
  records.vacated.set(marketId, [place, ...others]);
}

const NONE: readonly Vacated[] = Object.freeze([]);

/** Where orders rested until less than a second ago, the newest first. */
export function recentlyVacated({ vacated }: OrderRecords, marketId: MarketId, nowMs: number): readonly Vacated[] {
  const places = vacated.get(marketId);
  if (places === undefined) return NONE;
  const isRecent = ({ sinceMs }: Vacated): boolean => nowMs - sinceMs < marketTiming.bookLagMs;
  if (places.every(isRecent)) return places;
  const recent = places.filter(isRecent);
  if (recent.length === 0) vacated.delete(marketId);
  else vacated.set(marketId, recent);
  return recent;
}

/** When the next of those that were recent when last asked no longer is, monotonic ms; infinity: there is none. */
export function vacatedUntilMs({ vacated }: OrderRecords, marketId: MarketId): number {
  const oldest = vacated.get(marketId)?.at(-1);
  return oldest === undefined ? Number.POSITIVE_INFINITY : oldest.sinceMs + marketTiming.bookLagMs;
}

/** True for an id that one of our orders has or had. */
export function isOurs(records: OrderRecords, orderId: OrderId): boolean {
  const known = recordOf(records, orderId);
  return known?.kind === "tracked" ? known.origin === "ours" : known?.isOurs === true;
}

/** The id belongs to one of our orders from now on. `endedMs`: as of `PastRecord`, where it is not tracked. */
export function claimId(records: OrderRecords, orderId: OrderId, endedMs: number | null): void {
  const tracked = records.tracked.get(orderId);
  if (tracked === undefined) {
    putRecord(records, orderId, { kind: "past", isOurs: true, endedMs });
    return;
  }
  tracked.origin = "ours";
  tracked.order = Object.freeze({ ...tracked.order, isForeign: false });
  changed(records, tracked.order.marketId);
}

/**
 * True while a place of ours in the market, of the side where one is named, may have an id that nobody has told us: until its answer, or until
 * the resync that follows a lost one, since frames may be late. With `restsMs`, monotonic: and may have rested then.
 */
export function isAnyUnnamed(
  { live }: OrderRecords,
  marketId: MarketId,
  side: Side | null,
  restsMs = Number.NEGATIVE_INFINITY,
): boolean {
  for (const { order, end } of live.in(marketId)) {
    const isOfSide = side === null || order.side === side;
    if (order.orderId === null && isOfSide && (end === null || end.atMs >= restsMs)) return true;
  }
  return false;
}
