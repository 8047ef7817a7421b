// What is known of the orders of one account: a record per order, from the first message about it to long after its end, and the ways to
// find it. An id has one record: unidentified, tracked or past. An order whose id is unknown is found by its nonce.

import type { Dialect } from "../../../domain/dialect.ts";
import type { TimeInForce, TrackedOrder, VacatedPlace } from "../../../domain/order.ts";
import {
  type AccountId,
  type MarketId,
  type Nonce,
  type OrderId,
  type Price,
  type Side,
  type Size,
  size,
} from "../../../domain/units.ts";
import { type BoundedMap, createOldestOutMap } from "../../../kernel/bounded.ts";
import { marketTiming } from "../../timing.ts";
import type { AccountEffect, ShownAction } from "../effects.ts";
import type { HeldStates } from "../evidence.ts";
import type { EarlierHolders } from "./earlier-holders.ts";
import { mayRest, type TrackedState } from "./states.ts";

/** An order of the account as a frame, an answer or a list shows it. `size`: the whole, including what is filled. */
export type ReportedOrder = Pick<TrackedOrder, "marketId" | "side" | "price" | "size"> & { readonly orderId: OrderId };

/**
 * A success whose effect no answer, frame or read has shown yet. `sinceMs`: when it was answered, monotonic. `said`: the answer's content,
 * for people. `isOverdue`: its time is over, and a resync will decide.
 */
export type Unshown = {
  readonly nonce: Nonce;
  readonly sinceMs: number;
  readonly said: string;
  readonly isOverdue: boolean;
};

/** A modify whose effect is unknown. `level`: of the quote that the order belongs to once it has landed. */
export type PendingModify = {
  readonly price: Price;
  readonly size: Size;
  readonly level: number | null;
  /** True: it sets a size, and the dialect does not show yet whether that includes what is filled. */
  readonly isSizeOpen: boolean;
  /** Null: it is unanswered, or its answer was lost. */
  readonly unshown: Unshown | null;
};

/** How an order ended. `reasonUnknown`: a list showed it, and two later ones do not. `atMs`: when the bot learned it, monotonic. */
export type End = {
  readonly why: "canceled" | "expired" | "reasonUnknown";
  readonly reason: string | null;
  readonly atMs: number;
  /** Only a frame showed the end: after a recent modify, a place of the same id may follow. */
  readonly isByFrame?: boolean;
};

/** One of the account's orders that may rest, or whose last fills may not be known. */
export type TrackedRecord = {
  readonly kind: "tracked";
  state: TrackedState;
  /** As views show it. */
  order: TrackedOrder;
  /** Sum of its booked fills and, at a resync, of earlier ones. */
  filled: Size;
  readonly timeInForce: TimeInForce;
  /**
   * `received` from a frame, or `listed` by a read: as far as we know, none of our transactions made it. `missed`: listed, and the next
   * read lacked it. `foreign`: certainly somebody else's.
   */
  origin: "ours" | "received" | "listed" | "missed" | "foreign";
  /** Modifies without an answer or a visible effect, by nonce. */
  readonly modifies: Map<Nonce, PendingModify>;
  /** Cancels without an answer or a visible effect. */
  cancelsInFlight: number;
  /** Its place succeeded, and no message has given its id. */
  placeUnshown: Unshown | null;
  /** Its cancel succeeded, and no message shows the order's end. `missedBy`: the lists that have lacked it since. */
  cancelUnshown: (Unshown & { readonly missedBy: ReadonlySet<OrderListName> }) | null;
  /** A frame canceled it while a modify was in flight: that may be the first half of the modify. */
  heldEnd: End | null;
  /** Modifies whose frames, a cancel and a place of the same id, have not arrived: that many cancel frames do not end the order. */
  replacements: number;
  /** When a modify was last answered as executed, monotonic ms; null: never. */
  modifiedMs: number | null;
  /** Set in the state `ended`, and in `executed` once its market was cleared after it. */
  end: End | null;
  /** When it was sent, or first reported, monotonic ms. */
  readonly sentMs: number;
  /** Its past terms (`termsOf`); `ABSENT` until it had an id. */
  readonly held: HeldStates<string>;
};

/** The two lists of open orders: that of the account's own read, and the one read alone. */
export type OrderListName = "account" | "orders";

/** What frames and fills said of an id that none of our answers has named: they may come before the answer. */
export type UnidentifiedRecord = {
  readonly kind: "unidentified";
  readonly marketId: MarketId;
  /** Null while only a cancel named the id. */
  side: Side | null;
  /** Monotonic ms. */
  readonly sinceMs: number;
  /** From orderPlaced; null while none came. */
  placed: { readonly price: Price; readonly size: Size } | null;
  filled: Size;
  end: End | null;
  /** It belongs to a transaction of ours whose answer was lost. */
  isOurs: boolean;
  /** It was judged already: ours, tracked or reported as foreign. */
  isJudged: boolean;
};

/** An order that is not tracked: over, or known from an earlier run. `endedMs`: monotonic; null: before this run. */
export type PastRecord = {
  readonly kind: "past";
  readonly isOurs: boolean;
  readonly endedMs: number | null;
};

export type OrderRecord = UnidentifiedRecord | TrackedRecord | PastRecord;

/** `sinceMs`: when the order left, monotonic ms. */
type Vacated = VacatedPlace & { readonly sinceMs: number };

/** More ids than a burst of frames brings ahead of their answers. */
const UNIDENTIFIED_MAX = 1000;
/** More than any list of recent trades reaches back; some megabytes at most. */
const PAST_MAX = 20_000;

const NO_ORDERS: ReadonlySet<TrackedRecord> = new Set();

/** In the order of the first message about each. An account may have hundreds, and each turn asks for those of its market. */
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

/** The state of the room: all records of the account's orders, the time of the event at hand, and the effects of applying it. */
export type Orders = {
  readonly accountId: AccountId;
  /** How much older than its request a read may be. */
  readonly readLagMaxMs: number;
  readonly live: LiveOrders;
  /** Unanswered places and modifies, and places that are live. */
  readonly byNonce: Map<Nonce, TrackedRecord>;
  readonly unidentified: BoundedMap<OrderId, UnidentifiedRecord>;
  readonly tracked: Map<OrderId, TrackedRecord>;
  readonly past: BoundedMap<OrderId, PastRecord>;
  /** Orders that each unanswered CancelAllOrders may reach. */
  readonly cancelAlls: Map<Nonce, readonly TrackedRecord[]>;
  readonly earlier: EarlierHolders;
  /** The orders of each market as views show them; dropped at each change (`changed`). */
  readonly shown: Map<MarketId, readonly TrackedOrder[]>;
  /** Orders that may rest, in all markets; null: one has changed since the last count. */
  restingCount: number | null;
  /** Where orders rested until a moment ago, by market, the newest first. */
  readonly vacated: Map<MarketId, readonly Vacated[]>;
  /** Markets whose orders changed since the account's sums were last updated. */
  readonly touched: Set<MarketId>;
  /** Last liquidation of the account, monotonic ms; null: none yet. */
  liquidatedMs: number | null;
  dialect: Dialect;
  /** A listed row has one size, which may be the whole or what remains. */
  areRowsUnclear: boolean;
  /** The exchange's frames show a modify as a cancel and a place of the same id. */
  areModifiesReplaced: boolean;
  /** Successes in a row without a visible effect. */
  readonly notUnderstood: Record<ShownAction, number>;
  /** Time of the current event, monotonic. */
  nowMs: number;
  effects: AccountEffect[];
};

export const createOrders = (of: Pick<Orders, "accountId" | "readLagMaxMs" | "earlier" | "dialect">): Orders => ({
  ...of,
  live: new LiveOrders(),
  byNonce: new Map(),
  unidentified: createOldestOutMap(UNIDENTIFIED_MAX),
  tracked: new Map(),
  past: createOldestOutMap(PAST_MAX),
  cancelAlls: new Map(),
  shown: new Map(),
  restingCount: null,
  vacated: new Map(),
  touched: new Set(),
  liquidatedMs: null,
  areRowsUnclear: false,
  areModifiesReplaced: false,
  notUnderstood: { place: 0, modify: 0, cancel: 0 },
  nowMs: Number.NEGATIVE_INFINITY,
  effects: [],
});

/** Views and counts of the market are out of date. */
export function changed(orders: Orders, marketId: MarketId): void {
  orders.shown.delete(marketId);
  orders.restingCount = null;
}

/** What a list shows of an order that does not rest yet. */
export const ABSENT = "absent";

/** What a list shows of an order that rests. */
export const termsOf = (price: Price, whole: Size, filled: Size): string => `${price} ${whole} ${filled}`;

export const recordOf = ({ tracked, unidentified, past }: Orders, orderId: OrderId): OrderRecord | undefined =>
  tracked.get(orderId) ?? unidentified.get(orderId) ?? past.get(orderId);

/** Makes `record` the one of the id. */
export function putRecord(orders: Orders, orderId: OrderId, record: OrderRecord): void {
  if (record.kind !== "unidentified") orders.unidentified.delete(orderId);
  if (record.kind !== "tracked") orders.tracked.delete(orderId);
  if (record.kind !== "past") orders.past.delete(orderId);
  if (record.kind === "unidentified") orders.unidentified.set(orderId, record);
  else if (record.kind === "tracked") orders.tracked.set(orderId, record);
  else orders.past.set(orderId, record);
}

/** Notes that the order leaves its place; the book may show it there for a moment. Call it before the order changes. */
export function vacate(orders: Orders, { state, order, filled }: TrackedRecord): void {
  const { orderId, marketId, side, price } = order;
  if (state === "inFlight" || !mayRest(state) || order.isConditional || order.size <= filled) return;
  const place: Vacated = Object.freeze({
    orderId,
    side,
    price,
    size: size(order.size - filled),
    sinceMs: orders.nowMs,
  });
  // An order that moves back and forth leaves a place once.
  const others = recentlyVacated(orders, marketId, orders.nowMs).filter(
    (other) => other.orderId !== orderId || other.price !== price || other.size !== place.size,
  );
  orders.vacated.set(marketId, [place, ...others]);
}

const NONE: readonly Vacated[] = Object.freeze([]);

/** Where orders rested until less than a second ago, the newest first. */
export function recentlyVacated(
  { vacated }: Pick<Orders, "vacated">,
  marketId: MarketId,
  nowMs: number,
): readonly Vacated[] {
  const places = vacated.get(marketId);
  if (places === undefined) return NONE;
  const isRecent = ({ sinceMs }: Vacated): boolean => nowMs - sinceMs < marketTiming.bookLagMs;
  if (places.every(isRecent)) return places;
  const recent = places.filter(isRecent);
  if (recent.length === 0) vacated.delete(marketId);
  else vacated.set(marketId, recent);
  return recent;
}

/** True for an id that one of our orders has or had. */
export function isOurs(orders: Orders, orderId: OrderId): boolean {
  const known = recordOf(orders, orderId);
  return known?.kind === "tracked" ? known.origin === "ours" : known?.isOurs === true;
}

/** Marks the id as one of ours. `endedMs`: see `PastRecord`, where it is not tracked. */
export function markOurs(orders: Orders, orderId: OrderId, endedMs: number | null): void {
  const tracked = orders.tracked.get(orderId);
  if (tracked === undefined) {
    putRecord(orders, orderId, { kind: "past", isOurs: true, endedMs });
    return;
  }
  tracked.origin = "ours";
  tracked.order = Object.freeze({ ...tracked.order, isForeign: false });
  changed(orders, tracked.order.marketId);
}

/**
 * True while a place of ours in the market, on `side` if given, may have an unknown id: until its answer, or until the resync after a lost
 * one, since frames may be late. With `restsMs`, monotonic: and may have rested then.
 */
export function awaitsId(
  { live }: Orders,
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

/** Notes a message about an id that no answer has named yet. */
export function noteUnidentified(
  orders: Orders,
  orderId: OrderId,
  of: Pick<UnidentifiedRecord, "marketId" | "side">,
): UnidentifiedRecord {
  const known = orders.unidentified.get(orderId);
  if (known !== undefined) {
    known.side ??= of.side;
    return known;
  }
  const record: UnidentifiedRecord = {
    kind: "unidentified",
    ...of,
    sinceMs: orders.nowMs,
    placed: null,
    filled: size(0n),
    end: null,
    isOurs: false,
    isJudged: false,
  };
  putRecord(orders, orderId, record);
  return record;
}

/** Returns ids of the market that no answer named and that are not judged yet. */
export function unidentifiedIn(
  { unidentified }: Orders,
  marketId: MarketId,
): readonly (readonly [OrderId, UnidentifiedRecord])[] {
  const found: [OrderId, UnidentifiedRecord][] = [];
  for (const orderId of unidentified.keys()) {
    const record = unidentified.get(orderId);
    if (record !== undefined && record.marketId === marketId && !record.isJudged) found.push([orderId, record]);
  }
  return found;
}
