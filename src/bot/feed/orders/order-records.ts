// What is known of the account's orders: one record per order, from the first word of it to long after its end, and every way to find
// it. An id has one record: heard of, tracked or past. Orders without an id are found by nonce, or wait among the landed.

import type { Fill } from "../../../domain/fill.ts";
import type { KnownOrder, Order, TimeInForce, TrackedOrder, VacatedPlace } from "../../../domain/order.ts";
import {
  type MarketId,
  type Nonce,
  type OrderId,
  type Price,
  type Side,
  type Size,
  size,
} from "../../../domain/units.ts";
import { type BoundedMap, createOldestOutMap } from "../../../kernel/bounded.ts";
import type { LifeState } from "./order-states.ts";

/** A modify whose answer is not here. `level`: of the quote that the order stands for once it has landed. */
export type PendingModify = {
  readonly price: Price;
  readonly size: Size;
  readonly level: number | null;
  readonly sentMs: number;
};

/**
 * No longer resting, last fills pending: since when, monotonic ms, and the exchange's word for it. `why`: `canceled`: it was canceled.
 * `vanished`: a cancel of it was refused, so it was filled or canceled before.
 */
export type Canceled = {
  readonly sinceMs: number;
  /** When it was first heard to be gone: before `sinceMs` where nobody had named its id then. */
  readonly goneMs: number;
  /** No fill comes after it: it waits for those whose trades are known. */
  readonly isFinal: boolean;
  readonly reason: string;
  readonly why: "canceled" | "vanished";
};

/** One of the account's orders that may be live. */
export type TrackedRecord = {
  readonly kind: "tracked";
  state: LifeState;
  /** As views show it. */
  order: TrackedOrder;
  /** Sum of the fills booked for it, and at adoption what was filled before. */
  filled: Size;
  /** How much of it the answers to its modifies say was filled: a fill that no frame has brought may be among it. */
  toldFilled: Size;
  readonly timeInForce: TimeInForce;
  /** `foreign`: none of our transactions could have made it. `suspected`: so it seems, seen once. */
  origin: "ours" | "suspected" | "foreign";
  /** Its exchange id was inferred from side, price and size; its own transaction's answer did not name it. */
  isIdInferred: boolean;
  /** Whether it was sent to reduce only. While its id is inferred, `order` has what lists say of that id, and false before they do. */
  readonly sentReduceOnly: boolean;
  /** Known from the ledger alone: no list said how much of it was filled. */
  isRecalled: boolean;
  /** Unanswered modifies by nonce. */
  readonly modifies: Map<Nonce, PendingModify>;
  /** When this life first asked for each price and whole size of it, monotonic ms. */
  readonly askedMs: BoundedMap<string, number>;
  /** When this life placed it, monotonic ms; null: it did not. */
  placedMs: number | null;
  /** Since when lists have lacked it that do not prove to be newer, monotonic ms; null: the last one showed it. */
  lackedMs: number | null;
  /** Its `changedMs` when a list that proves to be newer lacked it; null: none did. */
  missedMs: number | null;
  /**
   * A modify or cancel of it was refused, or nobody answered a cancel: a list that lacks the order, however old, is reason enough to
   * cancel it again; and if it reduces only, it may have been filled before. A modify that executes proves that it rests.
   */
  mayBeOver: boolean;
  cancelsInFlight: number;
  /** When the first of them was sent, monotonic ms. */
  cancelSentMs: number;
  /** Set in the state `canceled`. */
  canceled: Canceled | null;
  /** Orders that are heard of earlier than this are not this one. Monotonic ms. */
  sentMs: number;
  /** Any change, by us or the exchange: evidence as of an earlier time does not judge the order. Monotonic ms. */
  changedMs: number;
};

/** Events of an order id before any acknowledgement named it: frames may come before the answer. */
export type HeardRecord = {
  readonly kind: "heard";
  readonly marketId: MarketId;
  /** Null while only a cancel named the id. */
  side: Side | null;
  /** Monotonic ms. */
  readonly sinceMs: number;
  /** From orderPlaced; null while none came. */
  placed: { readonly price: Price; readonly size: Size } | null;
  filled: Size;
  /** `isFinal`: no fill comes after it. */
  canceled: Pick<Canceled, "goneMs" | "isFinal" | "reason"> | null;
  /** Judged already: ours, adopted or reported as foreign. */
  isJudged: boolean;
};

/** An order that is not tracked: ended, or known from an earlier life. */
export type PastRecord = {
  readonly kind: "past";
  readonly isOurs: boolean;
  readonly marketId: MarketId;
  readonly side: Side;
  /** Monotonic ms; null where nobody saw it end. */
  readonly endedMs: number | null;
  /** When this life placed it, monotonic ms; null: it did not. */
  readonly placedMs: number | null;
  /** Fills booked before the order was known as ours. */
  readonly filled: Size;
};

export type OrderRecord = HeardRecord | TrackedRecord | PastRecord;

/** Landed but unidentified: an id that shows up later may be this order's. */
export type LandedRecord = Pick<TrackedRecord, "order" | "sentMs"> & {
  /** When it was proven to be over, monotonic ms. */
  readonly resolvedMs: number;
};

/** `sinceMs`: when the order left, monotonic ms. */
export type Vacated = VacatedPlace & { readonly sinceMs: number };

/** A public trade of ours whose fill has not been booked. */
export type PendingFill = { readonly fill: Fill; readonly sinceMs: number };

/** More changes of one order than any list is behind. */
const ASKED_MAX = 256;
/** More ids than a burst of frames brings ahead of their answers. */
const HEARD_MAX = 1000;
/** More than any list of recent trades reaches back; some megabytes at most. */
const PAST_MAX = 20_000;
/** More trades of ours than can wait for their fill frames at once. */
const PENDING_FILLS_MAX = 1000;

export type OrderRecords = {
  /** In the order they were first heard of. */
  readonly live: Set<TrackedRecord>;
  /** Of unanswered places and modifies, and of places that are live. */
  readonly byNonce: Map<Nonce, TrackedRecord>;
  readonly heard: BoundedMap<OrderId, HeardRecord>;
  readonly tracked: Map<OrderId, TrackedRecord>;
  readonly past: BoundedMap<OrderId, PastRecord>;
  landed: readonly LandedRecord[];
  /** What each unanswered CancelAllOrders may reach, and when it was sent. */
  readonly cancelAlls: Map<Nonce, { readonly sentMs: number; readonly reached: readonly TrackedRecord[] }>;
  /** By the key of the fill. */
  readonly pendingFills: BoundedMap<string, PendingFill>;
  /** Orders of a market as views show them; dropped at each change. */
  readonly shown: Map<MarketId, readonly TrackedOrder[]>;
  /** Where orders rested until a moment ago, by market, the newest first. */
  readonly vacated: Map<MarketId, readonly Vacated[]>;
  /** Markets whose orders changed since the account's sums were last brought up to date. */
  readonly touched: Set<MarketId>;
};

export const createOrderRecords = (): OrderRecords => ({
  live: new Set(),
  byNonce: new Map(),
  heard: createOldestOutMap(HEARD_MAX),
  tracked: new Map(),
  past: createOldestOutMap(PAST_MAX),
  landed: [],
  cancelAlls: new Map(),
  pendingFills: createOldestOutMap(PENDING_FILLS_MAX),
  shown: new Map(),
  vacated: new Map(),
  touched: new Set(),
});

export const createAskedTerms = (): BoundedMap<string, number> => createOldestOutMap(ASKED_MAX);

const termsOf = ({ price, size }: Pick<Order, "price" | "size">): string => `${price} ${size}`;

/** This life asks for an order with this price and whole size, or for its change to them. */
export function noteAsked({ askedMs }: TrackedRecord, terms: Pick<Order, "price" | "size">, nowMs: number): void {
  if (!askedMs.has(termsOf(terms))) askedMs.set(termsOf(terms), nowMs);
}

/** True for terms that this life asked for, in whatever order. */
export const wasAsked = ({ askedMs }: TrackedRecord, terms: Pick<Order, "price" | "size">): boolean =>
  askedMs.has(termsOf(terms));

/**
 * The newest time of which a list proves to be by the orders of ours that it shows, monotonic ms: an order was placed, or moved to where
 * it is listed, after we asked for that. One that an earlier life placed may have been there before. Minus infinity: it shows none that
 * proves anything.
 */
export function provenBy(records: OrderRecords, openOrders: readonly Order[]): number {
  let newestMs = Number.NEGATIVE_INFINITY;
  for (const order of openOrders) {
    const record = recordOf(records, order.orderId);
    let sinceMs: number | null | undefined;
    if (record?.kind === "past") sinceMs = record.placedMs;
    else if (record?.kind === "tracked" && record.placedMs !== null && !record.isIdInferred)
      sinceMs = record.askedMs.get(termsOf(order));
    if (sinceMs !== null && sinceMs !== undefined && sinceMs > newestMs) newestMs = sinceMs;
  }
  return newestMs;
}

export const recordOf = ({ tracked, heard, past }: OrderRecords, orderId: OrderId): OrderRecord | undefined =>
  tracked.get(orderId) ?? heard.get(orderId) ?? past.get(orderId);

/** Makes `record` the one of the id. */
export function putRecord(records: OrderRecords, orderId: OrderId, record: OrderRecord): void {
  if (record.kind !== "heard") records.heard.delete(orderId);
  if (record.kind !== "tracked") records.tracked.delete(orderId);
  if (record.kind !== "past") records.past.delete(orderId);
  if (record.kind === "heard") records.heard.set(orderId, record);
  else if (record.kind === "tracked") records.tracked.set(orderId, record);
  else records.past.set(orderId, record);
}

export function dropRecord(records: OrderRecords, orderId: OrderId): void {
  records.heard.delete(orderId);
  records.tracked.delete(orderId);
  records.past.delete(orderId);
}

/** True for an order that may rest; false: it is over, but for fills that are not known yet. */
export const isResting = ({ state }: Pick<TrackedRecord, "state">): boolean => state !== "canceled";

/** Frames of the book are behind the answers of the exchange by less than this. */
const BOOK_LAG_MS = 1000;

/** The order leaves the place where it rests; the book may show it there for a moment. To be called before it is changed. */
export function vacate(records: OrderRecords, { state, order, filled }: TrackedRecord, nowMs: number): void {
  const { orderId, marketId, side, price } = order;
  if (state === "inFlight" || state === "canceled" || order.isConditional || order.size <= filled) return;
  const place: Vacated = { orderId, side, price, size: size(order.size - filled), sinceMs: nowMs };
  records.vacated.set(marketId, [place, ...recentlyVacated(records, marketId, nowMs)]);
}

const NONE: readonly Vacated[] = [];

/** Where orders rested until less than a second ago, the newest first. */
export function recentlyVacated({ vacated }: OrderRecords, marketId: MarketId, nowMs: number): readonly Vacated[] {
  const places = vacated.get(marketId);
  if (places === undefined) return NONE;
  const isRecent = ({ sinceMs }: Vacated): boolean => nowMs - sinceMs < BOOK_LAG_MS;
  if (places.every(isRecent)) return places;
  const recent = places.filter(isRecent);
  if (recent.length === 0) vacated.delete(marketId);
  else vacated.set(marketId, recent);
  return recent;
}

/** When the next of those that were recent when last asked no longer is, monotonic ms; infinity: there is none. */
export function vacatedUntilMs({ vacated }: OrderRecords, marketId: MarketId): number {
  const oldest = vacated.get(marketId)?.at(-1);
  return oldest === undefined ? Number.POSITIVE_INFINITY : oldest.sinceMs + BOOK_LAG_MS;
}

/** True for an id that one of our orders has or had. */
export const isOurs = ({ tracked, past }: OrderRecords, orderId: OrderId): boolean =>
  tracked.get(orderId)?.origin === "ours" || past.get(orderId)?.isOurs === true;

/** The id belongs to one of our orders from now on. */
export function claimId(
  records: OrderRecords,
  { orderId, marketId, side }: Omit<KnownOrder, "accountId">,
  known: Pick<PastRecord, "endedMs" | "placedMs" | "filled">,
): void {
  const tracked = records.tracked.get(orderId);
  if (tracked === undefined) putRecord(records, orderId, { kind: "past", isOurs: true, marketId, side, ...known });
  else {
    tracked.origin = "ours";
    tracked.order = { ...tracked.order, isForeign: false };
    records.shown.delete(marketId);
  }
}

/** What is heard of an order: where, and its side and terms if they were said. */
export type HeardOf = {
  readonly marketId: MarketId;
  readonly side: Side | null;
  /** Null: a fill or a cancel does not say them. */
  readonly terms: Pick<Order, "price" | "size"> | null;
  readonly sinceMs: number;
};

/** Whether an order without an id could be the one that was heard of: it was sent before, and with these terms. */
export function mayBe({ order, sentMs }: Pick<TrackedRecord, "order" | "sentMs">, heard: HeardOf): boolean {
  const { marketId, side, terms, sinceMs } = heard;
  if (order.orderId !== null || order.marketId !== marketId || sentMs > sinceMs) return false;
  return (side === null || order.side === side) && (terms === null || hasTerms(order, terms));
}

/** An order that only reduces is clipped to the position. */
const hasTerms = (order: TrackedOrder, seen: Pick<Order, "price" | "size">): boolean =>
  order.price === seen.price && (order.size === seen.size || (order.reduceOnly && seen.size < order.size));

/** Tracked orders without an id that could be the one that was heard of. */
export const unidentified = ({ live }: OrderRecords, heard: HeardOf): readonly TrackedRecord[] =>
  [...live].filter((record) => mayBe(record, heard));

/** True while an order sent by `sentByMs` has neither id nor end: its trades cannot be known, and it may have moved the position. */
export function isAnyUnidentified({ live }: OrderRecords, marketId: MarketId, sentByMs: number): boolean {
  for (const { order, sentMs } of live) {
    if (order.orderId === null && order.marketId === marketId && sentMs <= sentByMs) return true;
  }
  return false;
}

/** True while a trade of the order is known whose fill has not been booked. */
export function isFillPending({ pendingFills }: OrderRecords, orderId: OrderId | null): boolean {
  for (const key of pendingFills.keys()) if (pendingFills.get(key)?.fill.orderId === orderId) return true;
  return false;
}
