// What the exchange says of orders by itself: placed and canceled frames (S6.2), which may come before the answer that names the
// order, and orders that none of our transactions could have made.

import type { Order, TimeInForce, TrackedOrder } from "../../../domain/order.ts";
import type { MarketId, OrderId, Price, Side, Size } from "../../../domain/units.ts";
import type { AccountState, CancelSource, OrderEntry } from "../account/account-state.ts";
import type { FeedEffect } from "../effects.ts";
import { cancelOrder, earlyFacts, nameOrder, suspect, track, unnamed } from "./orders.ts";

/** An order of the account as a frame, an answer or a list shows it. */
export type SeenOrder = {
  readonly orderId: OrderId;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: Price;
  readonly size: Size;
};

/** A frame and the answer of the transaction that placed the order race; whoever comes first, the order is known once. */
export function foldPlaced(account: AccountState, seen: SeenOrder, nowMs: number, effects: FeedEffect[]): void {
  if (account.byId.has(seen.orderId) || account.own.has(seen.orderId)) return;
  const { orderId, marketId, side } = seen;
  const facts = earlyFacts(account, orderId, { marketId, side, sinceMs: nowMs }, effects);
  facts.placed = { price: seen.price, size: seen.size };
  if (claim(account, seen, facts.sinceMs, nowMs, effects) === "nobody")
    adopt(account, seen, facts.filled, nowMs, effects);
}

/** Any reason means that the order is gone (NS-20). Of an id that nobody has named yet it is remembered until somebody does. */
export function foldCanceled(
  account: AccountState,
  canceled: { readonly orderId: OrderId; readonly marketId: MarketId; readonly reason: string },
  by: CancelSource,
  nowMs: number,
  effects: FeedEffect[],
): void {
  const { orderId, marketId, reason } = canceled;
  const entry = account.byId.get(orderId);
  if (entry !== undefined) {
    cancelOrder(account, entry, { by, reason }, nowMs, effects);
  } else if (!account.own.has(orderId)) {
    const facts = earlyFacts(account, orderId, { marketId, side: null, sinceMs: nowMs }, effects);
    if (facts.canceled?.by !== "frame") facts.canceled = { by, reason };
  }
}

/**
 * Which of our unnamed orders is this? `waiting`: one whose answer is still to come may be it. `named`: an order whose answer was
 * lost has its shape and is taken for it, the last of several: those sent before it may own ids that were heard of before.
 * `nobody`: none.
 */
export function claim(
  account: AccountState,
  seen: SeenOrder,
  sinceMs: number,
  nowMs: number,
  effects: FeedEffect[],
): "waiting" | "named" | "nobody" {
  const alike = unnamed(account, { ...seen, sinceMs }).filter(
    ({ order }) => order.price === seen.price && hasSize(order, seen.size),
  );
  if (alike.some(({ order }) => order.state === "inFlight")) return "waiting";
  const entry = alike.at(-1);
  if (entry === undefined) return "nobody";
  nameOrder(account, entry, seen.orderId, "guessed", nowMs, effects);
  if (entry.order.nonce !== null) {
    const { nonce } = entry.order;
    effects.push({ kind: "named", accountId: account.accountId, nonce, orderId: seen.orderId });
  }
  return "named";
}

/** An order that nobody claims is counted at once and told as foreign only when it is seen again. */
export function adopt(
  account: AccountState,
  seen: SeenOrder &
    Partial<Pick<Order, "reduceOnly" | "postOnly" | "timeInForce">> & { readonly level?: number | null },
  filled: Size,
  nowMs: number,
  effects: FeedEffect[],
): OrderEntry {
  const { orderId, marketId, side, price, size } = seen;
  const timeInForce: TimeInForce = seen.timeInForce ?? "GTC";
  account.early.delete(orderId);
  claimAsGhost(account, seen, nowMs);
  if (!account.own.has(orderId)) suspect(account, "unknownOrder", nowMs, effects);
  return track(
    account,
    {
      nonce: null,
      orderId,
      marketId,
      side,
      price,
      size,
      reduceOnly: seen.reduceOnly ?? false,
      postOnly: seen.postOnly ?? false,
      state: "working",
      level: seen.level ?? null,
      sinceMs: nowMs,
    },
    { timeInForce, filled, origin: account.own.has(orderId) ? "ours" : "suspected" },
  );
}

/** A frame may be ahead of its answer by a slow round trip, and of a liquidation's own message. */
const FOREIGN_AFTER_MS = 2000;
/** Fills of a liquidation come apart from the message that tells of it. */
const LIQUIDATION_SPAN_MS = 10_000;
/** Ids that were told of are forgotten after that. */
const EARLY_KEPT_MS = 60_000;

/** Counts orders and tells of fills that no transaction of ours, and no liquidation, can explain. */
export function judgeForeign(account: AccountState, nowMs: number, effects: FeedEffect[]): void {
  for (const [orderId, facts] of account.early) {
    const { marketId, side, sinceMs, placed } = facts;
    if (nowMs - sinceMs > EARLY_KEPT_MS) account.early.delete(orderId);
    if (side === null || facts.reported || nowMs - sinceMs < FOREIGN_AFTER_MS) continue;
    if (unnamed(account, { marketId, side, sinceMs }).length > 0) continue;
    facts.reported = true;
    if (claimAsGhost(account, { orderId, marketId, side }, sinceMs)) continue;
    if (placed !== null && facts.canceled === null) {
      adopt(account, { orderId, marketId, side, ...placed }, facts.filled, nowMs, effects);
    } else if (facts.filled > 0n && !isLiquidating(account, sinceMs)) {
      effects.push({ kind: "foreign", accountId: account.accountId, marketId, orderId, what: "fill" });
    }
  }
}

/** The second sighting of an order that nobody claims: no race explains it any more. */
export function confirmForeign(account: AccountState, entry: OrderEntry, effects: FeedEffect[]): void {
  const { orderId, marketId, side } = entry.order;
  if (entry.origin !== "suspected" || orderId === null) return;
  if (unnamed(account, { marketId, side, sinceMs: entry.sentMs }).length > 0) return;
  if (isLiquidating(account, entry.sentMs)) return;
  entry.origin = "foreign";
  const { accountId } = account;
  effects.push(
    { kind: "foreign", accountId, marketId, orderId, what: "order" },
    { kind: "mismatch", accountId, marketId, what: "orderForeign", expected: "none", found: orderId.toString() },
  );
}

/**
 * True when an id that nobody knows can be that of a ghost: then it is ours from now on. Of several the last is taken, since those
 * sent before it may own ids that were heard of before.
 */
function claimAsGhost(account: AccountState, seen: HeardOf, sinceMs: number): boolean {
  if (account.own.has(seen.orderId)) return false;
  const ghost = account.ghosts.findLast(({ order, sentMs }) => {
    if (order.marketId !== seen.marketId || order.side !== seen.side || sentMs > sinceMs) return false;
    return seen.size === undefined || (hasSize(order, seen.size) && seen.price === order.price);
  });
  if (ghost === undefined) return false;
  account.ghosts = account.ghosts.filter((other) => other !== ghost);
  const { orderId, marketId, side } = seen;
  account.own.set(orderId, { marketId, side, endedMs: null });
  return true;
}

/** An order that only reduces is clipped to the position. */
const hasSize = (order: Pick<TrackedOrder, "size" | "reduceOnly">, seen: Size): boolean =>
  seen === order.size || (order.reduceOnly && seen < order.size);

/** Of a fill that came ahead of its order's name only this is known. */
type HeardOf = Pick<SeenOrder, "orderId" | "marketId" | "side"> & Partial<SeenOrder>;

const isLiquidating = ({ liquidatedMs }: AccountState, atMs: number): boolean =>
  liquidatedMs !== null && Math.abs(liquidatedMs - atMs) < LIQUIDATION_SPAN_MS;
