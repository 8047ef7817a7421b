// What the exchange says of orders on its own initiative: placed and canceled frames (S6.2), which may come before the answer that
// names the order, and orders that none of our transactions could have made.

import type { Order } from "../../../domain/order.ts";
import { type MarketId, type OrderId, type Size, size } from "../../../domain/units.ts";
import {
  cancelOrder,
  fillOrder,
  foreignOrder,
  hear,
  identify,
  reshape,
  suspect,
  type Tracking,
  track,
} from "./order-changes.ts";
import type { OrderEventOf, SeenOrder } from "./order-event.ts";
import {
  claimId,
  type HeardOf,
  isOurs,
  mayBe,
  recordOf,
  type TrackedRecord,
  unidentified,
  wasAsked,
} from "./order-records.ts";
import { takeLanded } from "./unidentified-orders.ts";

/**
 * A frame and the answer of the transaction that placed the order race; whoever comes first, the order is known once. What our own
 * answer says was placed is ours: an exchange may make a cancel and a new order of a modify.
 */
export function placed(tracking: Tracking, { order: seen, source, level }: OrderEventOf<"placed">): void {
  const { records, evidence } = tracking;
  const known = recordOf(records, seen.orderId);
  if (known !== undefined && known.kind !== "heard") return;
  if (source === "answer") {
    const filled = known?.filled ?? size(0n);
    claimId(records, seen, { endedMs: null, placedMs: null, filled });
    adopt(tracking, { ...seen, level: level ?? null }, filled);
    return;
  }
  const { orderId, marketId, side } = seen;
  const terms = { price: seen.price, size: seen.size };
  const heard = hear(tracking, orderId, { marketId, side, terms, sinceMs: evidence.receivedMs });
  heard.placed = terms;
  if (claim(tracking, seen, heard.sinceMs) === "nobody") adopt(tracking, seen, heard.filled);
}

/** A stream that lost the frames of a fill may lose more of them for so long: what it says last is not all there was. */
const LOSES_FRAMES_MS = 60_000;

/**
 * Any reason means that the order is gone (NS-20). On a stream that loses nothing a cancel comes after all fills of an order that was placed
 * since the stream was opened. What an older one filled while nobody listened no frame tells, and reads may be behind. Our answer has every
 * fill of the order that it placed itself; of others it has only what it did to them. A cancel of an id that nobody named yet is kept until
 * somebody does.
 */
export function canceled(tracking: Tracking, event: OrderEventOf<"canceled">): void {
  const { records, evidence } = tracking;
  const { orderId, marketId, reason, nonce } = event;
  const known = recordOf(records, orderId);
  if (known?.kind === "past") return;
  const isAfterFills = event.source === "frame" && evidence.receivedMs - tracking.frameLostMs > LOSES_FRAMES_MS;
  if (known?.kind === "tracked") {
    const isNewer = known.origin !== "ours" || (known.placedMs ?? Number.NEGATIVE_INFINITY) >= tracking.openedMs;
    const isFinal = (isAfterFills && isNewer) || (nonce !== null && known.order.nonce === nonce);
    cancelOrder(tracking, known, { isFinal, reason });
    return;
  }
  const heard = hear(tracking, orderId, { marketId, side: null, terms: null, sinceMs: evidence.receivedMs });
  if (heard.canceled?.isFinal === true) return;
  const goneMs = heard.canceled?.goneMs ?? evidence.receivedMs;
  heard.canceled = { goneMs, isFinal: isAfterFills, reason };
}

/**
 * Our own modify is known from its answer, and its frame may come after the answer of a newer one: terms that we asked for are no news.
 * The exchange itself shrinks what only reduces to the position. Any other change is somebody else's. The next read of the account shows
 * what the order is now.
 */
export function changed(tracking: Tracking, { order }: OrderEventOf<"changed">): void {
  const { records, evidence } = tracking;
  const known = recordOf(records, order.orderId);
  if (known?.kind !== "tracked" || wasAsked(known, order)) return;
  const { reduceOnly, price, size: whole } = known.order;
  const isShrunk = reduceOnly && known.modifies.size === 0 && order.price === price && order.size < whole;
  if (isShrunk && order.size > known.filled) reshape(records, known, { size: order.size }, evidence.receivedMs);
  suspect(tracking, "unknownOrder");
}

/** Fills race ahead of answers, and come after cancels: those of an id that nobody named yet are added up until somebody does. */
export function filled(tracking: Tracking, { fill, isInList }: OrderEventOf<"filled">): void {
  const { records, evidence } = tracking;
  const { orderId, marketId, side } = fill;
  records.pendingFills.delete(fill.key);
  const known = recordOf(records, orderId);
  if (known?.kind === "past") return;
  if (known?.kind === "tracked") {
    if (isInList && known.order.nonce === null && !known.isRecalled) return;
    if (known.origin === "suspected" && !tracking.doubted.has(known)) tracking.doubted.set(known, evidence.receivedMs);
    fillOrder(tracking, known, fill.size);
    return;
  }
  const heard = hear(tracking, orderId, { marketId, side, terms: null, sinceMs: evidence.receivedMs });
  heard.filled = size(heard.filled + fill.size);
}

/**
 * Which of our unidentified orders is this? `waiting`: it may be one whose answer is still to come. `identified`: an order whose answer
 * was lost has its shape and is taken for it, the last of several, since those sent before it may own ids that were heard of before.
 * `nobody`: none.
 */
export function claim(
  tracking: Tracking,
  seen: SeenOrder & Partial<Pick<Order, "reduceOnly">>,
  sinceMs: number,
): "waiting" | "identified" | "nobody" {
  const { records, evidence } = tracking;
  const { marketId, side, reduceOnly = false } = seen;
  const alike = unidentified(records, { marketId, side, terms: seen, sinceMs });
  if (alike.some(({ state }) => state === "inFlight")) return "waiting";
  const record = alike.at(-1);
  if (record === undefined) return "nobody";
  // The id may be that of any of them: its fills begin with the first.
  const placedMs = alike.map((one) => one.placedMs).reduce(earlier);
  identify(tracking, record, seen.orderId, "inference");
  record.placedMs = placedMs;
  // It may be another's of the same shape, and frames do not say what only reduces: until a list does, it may add.
  reshape(records, record, { reduceOnly }, evidence.receivedMs);
  return "identified";
}

/** Null: not known. */
const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.min(one, other);

/** Frames may come before an answer that names no order. Once no answer is outstanding, each is matched with an order without an id. */
export function claimHeard(tracking: Tracking): void {
  const { heard } = tracking.records;
  for (const orderId of heard.keys()) {
    const { marketId, side = null, placed = null, sinceMs = 0 } = heard.get(orderId) ?? {};
    if (marketId === undefined || side === null || placed === null) continue;
    claim(tracking, { orderId, marketId, side, ...placed }, sinceMs);
  }
}

/**
 * An order that nobody claims counts at once and is reported as foreign only when it is seen again. Frames do not say that an order
 * waits for a trigger; its price, 0, does.
 */
export function adopt(
  tracking: Tracking,
  seen: SeenOrder &
    Partial<Pick<Order, "reduceOnly" | "postOnly" | "timeInForce" | "triggerPrice">> & {
      readonly level?: number | null;
    },
  filledBefore: Size,
): void {
  const { records, evidence } = tracking;
  const { orderId, marketId, side, price } = seen;
  const heard = { marketId, side, terms: seen, sinceMs: evidence.receivedMs };
  if (!claimAsLanded(tracking, orderId, heard) && isPlain(seen)) claimAsLate(tracking, seen);
  const origin = isOurs(records, orderId) ? "ours" : "suspected";
  if (origin === "suspected") suspect(tracking, "unknownOrder");
  track(
    tracking,
    {
      nonce: null,
      orderId,
      marketId,
      side,
      price,
      size: seen.size,
      reduceOnly: seen.reduceOnly ?? false,
      postOnly: seen.postOnly ?? false,
      isConditional: isConditional({ triggerPrice: null, ...seen }),
      state: "working",
      level: seen.level ?? null,
    },
    { timeInForce: seen.timeInForce ?? "GTC", filled: filledBefore, origin },
  );
}

/** A frame may be ahead of its answer by a slow round trip, and of a liquidation's own message. */
const FOREIGN_AFTER_MS = 2000;
/** Fills of a liquidation come apart from the message that announces it. */
const LIQUIDATION_SPAN_MS = 10_000;
/** What was heard of an id is forgotten after that. */
const HEARD_KEPT_MS = 60_000;

/** Adopts orders and reports fills that no transaction of ours, no liquidation and no settlement can explain. */
export function judgeHeard(tracking: Tracking, { isSettling }: OrderEventOf<"timePassed">): void {
  const { records, late, evidence, accountId, effects } = tracking;
  const { receivedMs: nowMs } = evidence;
  for (const marketId of late.expire(nowMs)) records.touched.add(marketId);
  judgeDoubted(tracking, isSettling);
  claimHeard(tracking);
  for (const orderId of records.heard.keys()) {
    const heard = records.heard.get(orderId);
    if (heard === undefined) continue;
    const { marketId, side, sinceMs } = heard;
    if (nowMs - sinceMs > HEARD_KEPT_MS) records.heard.delete(orderId);
    if (side === null || heard.isJudged || nowMs - sinceMs < FOREIGN_AFTER_MS) continue;
    if (unidentified(records, { marketId, side, terms: null, sinceMs }).length > 0) continue;
    heard.isJudged = true;
    if (claimAsLanded(tracking, orderId, { marketId, side, terms: null, sinceMs })) continue;
    if (heard.filled > 0n && claimAsLate(tracking, { orderId, marketId, side, size: heard.filled })) continue;
    if (heard.placed !== null && heard.canceled === null) {
      adopt(tracking, { orderId, marketId, side, ...heard.placed }, heard.filled);
    } else if (heard.filled > 0n && !isLiquidating(tracking, sinceMs) && !isSettling(marketId)) {
      effects.push({ kind: "foreign", accountId, marketId, orderId, what: "fill" });
    }
  }
}

/** The exchange's own orders trade at once, and their frames come before those that explain them. */
function judgeDoubted(tracking: Tracking, isSettling: (marketId: MarketId) => boolean): void {
  const { doubted, evidence } = tracking;
  for (const [record, sinceMs] of doubted) {
    if (evidence.receivedMs - sinceMs < FOREIGN_AFTER_MS) continue;
    doubted.delete(record);
    if (!isSettling(record.order.marketId)) confirmForeign(tracking, record);
  }
}

/** Whether an order waits for a trigger price. */
export const isConditional = ({ price, triggerPrice }: Pick<Order, "price" | "triggerPrice">): boolean =>
  triggerPrice !== null || price === 0n;

/** Neither a stop nor something that only reduces: those protect a position of the owner's. */
export const isPlain = (order: Pick<Order, "price"> & Partial<Pick<Order, "reduceOnly" | "triggerPrice">>): boolean =>
  order.reduceOnly !== true && !isConditional({ triggerPrice: null, ...order });

/** A foreign order that a start found and that stays: no news, and no reason to halt. */
export function keep(tracking: Tracking, order: Order): void {
  const { orderId, marketId, side, price, size: whole, reduceOnly, postOnly, timeInForce, filledSize } = order;
  track(
    tracking,
    {
      nonce: null,
      orderId,
      marketId,
      side,
      price,
      size: whole,
      reduceOnly,
      postOnly,
      isConditional: isConditional(order),
      state: "working",
      level: null,
    },
    { timeInForce, filled: filledSize, origin: "foreign" },
  );
}

/** As the ledger has it: price and whole size, and what is booked of its fills. */
export type RecalledOrder = Pick<Order, "orderId" | "marketId" | "side" | "price" | "size"> & { readonly filled: Size };

/** An order of ours of an earlier life that no list has shown to this one. */
export function recall(tracking: Tracking, { filled: filledBefore, ...order }: RecalledOrder): void {
  const unknown = { nonce: null, reduceOnly: false, postOnly: true, isConditional: false, level: null } as const;
  const record = track(
    tracking,
    { ...order, ...unknown, state: "working" },
    { timeInForce: "GTC", filled: filledBefore, origin: "ours" },
  );
  record.isRecalled = true;
}

/** The second sighting of an order that nobody claims: no race explains it. */
export function confirmForeign(tracking: Tracking, record: TrackedRecord): void {
  const { orderId, marketId, side } = record.order;
  if (record.origin !== "suspected" || orderId === null) return;
  if (unidentified(tracking.records, { marketId, side, terms: null, sinceMs: record.sentMs }).length > 0) return;
  if (isLiquidating(tracking, record.sentMs)) return;
  record.origin = "foreign";
  const { accountId, effects } = tracking;
  effects.push(foreignOrder(accountId, record), {
    kind: "mismatch",
    accountId,
    marketId,
    what: "orderForeign",
    expected: "none",
    found: orderId.toString(),
  });
}

/**
 * True when an id that nobody knows can be that of an order that landed unidentified: then it is ours from now on. The last of several
 * is taken, since those sent before it may own ids that were heard of before.
 */
function claimAsLanded({ records }: Tracking, orderId: OrderId, heard: HeardOf): boolean {
  if (isOurs(records, orderId)) return false;
  const landed = records.landed.findLast((one) => mayBe(one, heard));
  if (landed === undefined) return false;
  takeLanded(records, landed, orderId, null);
  return true;
}

/** True where an earlier holder of the account may have sent the order: it is ours from now on. */
function claimAsLate(
  { records, late, evidence, accountId, effects }: Tracking,
  seen: Pick<SeenOrder, "orderId" | "marketId" | "side" | "size">,
): boolean {
  const { orderId, marketId, side } = seen;
  if (isOurs(records, orderId) || !late.take(seen, evidence.receivedMs)) return false;
  const filled = recordOf(records, orderId)?.filled ?? size(0n);
  claimId(records, { orderId, marketId, side }, { endedMs: null, placedMs: null, filled });
  effects.push({ kind: "lateOrder", accountId, marketId, orderId, side });
  return true;
}

const isLiquidating = ({ liquidatedMs }: Tracking, atMs: number): boolean =>
  liquidatedMs !== null && Math.abs(liquidatedMs - atMs) < LIQUIDATION_SPAN_MS;
