// The account as read against the account as folded: orders, positions, collateral (risk controls C1 to C3). A single difference may
// be a frame on its way; the same difference in a later read, with the public trades looked through in between, is a mismatch: it is
// told, and the exchange is believed.

import type { Account } from "../../../domain/account.ts";
import { inventoryOf } from "../../../domain/account.ts";
import type { ReadEvent } from "../../../domain/event.ts";
import type { Order } from "../../../domain/order.ts";
import { type MarketId, type OrderId, price, size } from "../../../domain/units.ts";
import type { FeedEffect } from "../effects.ts";
import { heldRead } from "../held.ts";
import { chainTimeMs } from "../market/chain-clock.ts";
import { adopt, claim, confirmForeign, judgeForeign } from "../orders/order-frames.ts";
import { endOrder, move, reshape, suspect } from "../orders/orders.ts";
import { type FeedState, marketOf } from "../state.ts";
import type { AccountState, OrderEntry } from "./account-state.ts";
import { rebaseMoney, reconcileMoney } from "./collateral.ts";
import { type Difference, isAnyOwed, positionKey, settleDoubts } from "./differences.ts";
import { flatPosition, magnitude } from "./positions.ts";

type AccountRead = Extract<ReadEvent, { kind: "accountRead" }>;

export function foldAccountRead(
  state: FeedState,
  account: AccountState,
  event: AccountRead,
  effects: FeedEffect[],
): void {
  if (account.read !== null && account.read.askedMs > event.askedMs) return;
  const filled = account.filledMs !== null && account.filledMs >= event.askedMs;
  const raced = filled || isAnyOwed(account, event.receivedMs);
  if (account.read === null) {
    if (filled) {
      suspect(account, "raced", event.receivedMs, effects);
      return;
    }
    takePositions(state, account, event);
  }
  account.read = heldRead(event.account, event, state.stream.epoch);
  for (const { marketId } of [...event.account.positions, ...event.account.openOrders]) marketOf(state, marketId);
  const skipped = new Set<string>();
  const orders = ordersDiffering(account, event, skipped, effects);
  const positions = positionsDiffering(state, account, event, skipped);
  endRetired(account, event, new Set([...skipped, ...positions.map(({ key }) => key)]), effects);
  const believed = settleDoubts(state, account, event, [...orders, ...positions], skipped, effects);
  if (positions.length === 0 && !raced) reconcileMoney(state, account, event, effects);
  judgeForeign(account, event.receivedMs, effects);
  concludeRead(state, account, event, { agreed: account.doubts.size === 0 && believed === 0, raced }, effects);
}

/** Open orders against tracked orders. An order that changed while the read was away is not judged by it: its place is skipped. */
function ordersDiffering(
  account: AccountState,
  event: AccountRead,
  skipped: Set<string>,
  effects: FeedEffect[],
): readonly Difference[] {
  const differences: Difference[] = [];
  const listed = new Set<bigint>();
  for (const order of event.account.openOrders) {
    listed.add(order.orderId);
    const entry = account.byId.get(order.orderId);
    if (entry === undefined) foldListed(account, order, event, effects);
    else if (entry.changedMs >= event.askedMs) skipped.add(orderKey(order.orderId));
    else differences.push(...entryDiffers(account, entry, order, event.receivedMs, effects));
  }
  for (const entry of [...account.orders]) {
    const { orderId } = entry.order;
    if (orderId === null || listed.has(orderId)) continue;
    if (entry.changedMs >= event.askedMs || isLeaving(account, entry)) skipped.add(orderKey(orderId));
    else if (entry.filled < entry.order.size) differences.push(missing(account, entry, orderId, event.receivedMs));
    // Filled whole while a modify that would have made more of it was on its way: that came too late.
    else endOrder(account, entry, { why: "filled" }, event.receivedMs, effects);
  }
  return differences;
}

/** Its absence is what our own cancels are for; their answers, or the stream, say the rest. */
const isLeaving = (account: AccountState, entry: OrderEntry): boolean =>
  entry.retired !== null || entry.cancelsInFlight > 0 || account.cancelAlls.size > 0;

/** An order that we do not track: one of ours whose answer was lost, one that we took for ended, or a stranger. */
function foldListed(account: AccountState, order: Order, event: AccountRead, effects: FeedEffect[]): void {
  const { receivedMs: nowMs } = event;
  const own = account.own.get(order.orderId);
  if (own?.endedMs !== undefined && own.endedMs !== null) {
    if (own.endedMs >= event.askedMs) return;
    const { accountId } = account;
    const { marketId, orderId } = order;
    effects.push({
      kind: "mismatch",
      accountId,
      marketId,
      what: "orderReappeared",
      expected: "ended",
      found: orderId.toString(),
    });
  } else if (own === undefined && claim(account, order, nowMs, nowMs, effects) !== "nobody") {
    return;
  }
  const early = account.early.get(order.orderId);
  const filled = early !== undefined && early.filled > order.filledSize ? early.filled : order.filledSize;
  adopt(account, order, filled, nowMs, effects);
}

/** An order that an answer said was canceled is over when a later read neither lists it nor knows of a fill that we do not. */
function endRetired(
  account: AccountState,
  event: AccountRead,
  unsettled: ReadonlySet<string>,
  effects: FeedEffect[],
): void {
  const listed = new Set(event.account.openOrders.map(({ orderId }) => orderId));
  for (const entry of [...account.orders]) {
    const { retired, order } = entry;
    if (retired === null || retired.sinceMs >= event.askedMs || order.orderId === null) continue;
    if (listed.has(order.orderId) || unsettled.has(positionKey(order.marketId))) continue;
    endOrder(account, entry, { why: "canceled", reason: retired.reason }, event.receivedMs, effects);
  }
}

function entryDiffers(
  account: AccountState,
  entry: OrderEntry,
  listed: Order,
  nowMs: number,
  effects: FeedEffect[],
): readonly Difference[] {
  confirmForeign(account, entry, effects);
  const { order } = entry;
  if (entry.modifies.size > 0) return [];
  const believe = () => {
    entry.filled = size(listed.size - listed.remainingSize);
    reshape(account, entry, { price: listed.price, size: listed.size }, nowMs);
  };
  const place = { key: orderKey(listed.orderId), marketId: order.marketId, stamp: entry.changedMs, believe };
  if (entry.retired !== null) {
    const revive = (later: FeedEffect[]): void => {
      entry.retired = null;
      move(account, entry, "cancelAnswered", nowMs, later);
    };
    return [{ ...place, what: "orderReappeared", expected: "canceled", found: "listed", believe: revive }];
  }
  if (order.price !== listed.price) {
    return [{ ...place, what: "orderPrice", expected: `${order.price}`, found: `${listed.price}` }];
  }
  if (order.remainingSize !== listed.remainingSize) {
    return [{ ...place, what: "orderRemaining", expected: `${order.remainingSize}`, found: `${listed.remainingSize}` }];
  }
  return [];
}

function missing(account: AccountState, entry: OrderEntry, orderId: OrderId, nowMs: number): Difference {
  return {
    key: orderKey(orderId),
    what: "orderMissing",
    marketId: entry.order.marketId,
    expected: "listed",
    found: "none",
    stamp: entry.changedMs,
    believe: (effects) => endOrder(account, entry, { why: "vanished" }, nowMs, effects),
  };
}

function positionsDiffering(
  state: FeedState,
  account: AccountState,
  event: AccountRead,
  skipped: Set<string>,
): readonly Difference[] {
  const differences: Difference[] = [];
  const read = new Map(event.account.positions.map((position) => [position.marketId, position]));
  for (const marketId of new Set([...read.keys(), ...account.positions.keys()])) {
    const position = account.positions.get(marketId) ?? flatPosition(account.basedAtChainMs);
    const found = inventoryOf(read.get(marketId));
    if (position.filledMs !== null && position.filledMs >= event.askedMs) {
      skipped.add(positionKey(marketId));
    } else if (position.inventory === found) {
      position.entryPrice = read.get(marketId)?.entryPrice ?? price(0n);
      account.positions.set(marketId, position);
    } else {
      differences.push({
        key: positionKey(marketId),
        what: "position",
        marketId,
        expected: `${position.inventory}`,
        found: `${found}`,
        stamp: position.fillCount,
        believe: () => {
          const unseen = account.unseen.get(marketId) ?? 0n;
          account.unseen.set(marketId, size(unseen + found - position.inventory));
          takePosition(state, account, marketId, event);
          account.money.adopted = marketId;
        },
      });
    }
  }
  return differences;
}

function concludeRead(
  state: FeedState,
  account: AccountState,
  event: AccountRead,
  result: { readonly agreed: boolean; readonly raced: boolean },
  effects: FeedEffect[],
): void {
  const { reconcile } = account;
  const { stream } = state;
  if (result.agreed && !result.raced) {
    reconcile.rounds += 1;
    reconcile.agreedMs = event.askedMs;
    reconcile.agreedEpoch = stream.connected && event.askedMs >= stream.openedMs ? stream.epoch : 0;
    reconcile.differsSinceMs = null;
  } else {
    if (!result.agreed) reconcile.differsSinceMs ??= event.receivedMs;
    suspect(account, result.agreed ? "raced" : "difference", event.receivedMs, effects);
  }
}

/** The first read is where our own account of positions and money begins. */
function takePositions(state: FeedState, account: AccountState, event: AccountRead): void {
  account.basedAtChainMs = chainTimeMs(state, event.askedMs);
  for (const [marketId, before] of account.unseen) {
    account.unseen.set(marketId, size(before + inventoryOf(positionIn(event.account, marketId))));
  }
  for (const { marketId } of event.account.positions) takePosition(state, account, marketId, event);
  rebaseMoney(state, account, event);
}

function takePosition(state: FeedState, account: AccountState, marketId: MarketId, event: AccountRead): void {
  const read = positionIn(event.account, marketId);
  const inventory = inventoryOf(read);
  account.positions.set(marketId, {
    inventory,
    entryPrice: read?.entryPrice ?? price(0n),
    filledMs: account.positions.get(marketId)?.filledMs ?? null,
    fillCount: account.positions.get(marketId)?.fillCount ?? 0,
    basedAtChainMs: chainTimeMs(state, event.askedMs),
    peak: magnitude(inventory),
  });
}

const orderKey = (orderId: OrderId): string => `order:${orderId}`;

const positionIn = (account: Account, marketId: MarketId) =>
  account.positions.find((position) => position.marketId === marketId);
