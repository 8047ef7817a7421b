// The account as read against the account as folded: orders, positions, collateral (risk controls C1 to C3). A read refutes only what it
// is proven to be newer than; what it adds counts at once. A single difference may be a frame on its way; the same difference in a later
// read, with the public trades looked through in between, is a mismatch: it is reported, and the exchange is believed.

import { inventoryOf } from "../../../domain/account.ts";
import type { ReadEvent } from "../../../domain/event.ts";
import type { MarketId, OrderId } from "../../../domain/units.ts";
import { inventoryIn } from "../../accounting/account-book.ts";
import { type FeedEffect, type FoldEffects, noEffects } from "../effects.ts";
import { heldRead } from "../held.ts";
import type { Evidence } from "../orders/order-event.ts";
import type { ListEvidence, ListedOrders } from "../orders/order-list.ts";
import { type FeedState, isSettling, marketOf } from "../state.ts";
import { foldOrderEvent, noteOrderEffects, wantReconcile } from "./account-orders.ts";
import type { AccountState } from "./account-state.ts";
import { bookPosition, openBook } from "./booking.ts";
import { agreeOnCollateral, reconcileCollateral } from "./collateral.ts";
import { type Difference, positionKey, settleDoubts } from "./differences.ts";
import { type Newness, newnessOf, noteLead, rebaseVolume } from "./newness.ts";
import { refutePositions, seePosition } from "./position-range.ts";
import { isUnreadable, newlyUnreadable } from "./unreadable.ts";

type AccountRead = Extract<ReadEvent, { kind: "accountRead" }>;

/** A read that may lack our last fills is believed if the position has not changed for so long. What it contradicts stays possible. */
const READ_AGE_MAX_MS = 30_000;

export function foldAccountRead(state: FeedState, account: AccountState, event: AccountRead): FoldEffects {
  if (account.read !== null && account.read.askedMs > event.askedMs) return noEffects;
  account.createdAtMs ??= event.account.createdAtMs;
  const { askedMs, receivedMs } = event;
  const newness = newnessOf(state, account, event);
  noteLead(account.volume, event);
  const evidence: Evidence = { source: "accountRead", asOfMs: newness.provenMs, receivedMs };
  const filled = account.filledMs !== null && account.filledMs >= askedMs;
  const raced = filled || account.orders.isAnyFillPending(receivedMs);
  const effects: FeedEffect[] = [];
  if (account.read === null) {
    if (filled) return [wantReconcile(account, "raced", receivedMs)];
    effects.push(...openBook(state, account, event.account, event));
    agreeOnCollateral(state, account, newness.trustedMs);
  }
  refutePositions(account, event.account, newness);
  effects.push(...newlyUnreadable(account, event.account));
  account.read = heldRead(event.account, event, state.stream.epoch);
  // Their terms are wanted wherever the account has something, or may have.
  for (const { marketId } of [...event.account.positions, ...event.account.openOrders, ...account.orders.resting()])
    marketOf(state, marketId);
  const skipped = new Set<string>();
  const { landingBoundMs } = state.ages;
  const list = compareOrders(account, event.account, { ...evidence, askedMs, landingBoundMs }, skipped);
  const positions = positionsDiffering(state, account, event, newness, skipped);
  const unsettled = new Set([...skipped, ...positions.map(({ key }) => key)]);
  const notListed = foldOrderEvent(account, {
    ...evidence,
    asOfMs: newness.trustedMs,
    kind: "notListed",
    listed: new Set([...event.account.openOrders, ...event.account.unreadable].flatMap(({ orderId }) => orderId ?? [])),
    isUnsettled: (marketId) => unsettled.has(positionKey(marketId)),
  });
  const judged = settleDoubts(state, account, event, [...list.differences, ...positions], skipped);
  effects.push(...list.effects, ...notListed, ...judged.effects);
  const isWhole = event.account.unreadable.every(({ what }) => what === "order");
  const isJudged = positions.length === 0 && !raced && isWhole && isAsNew(account, newness);
  if (isJudged) {
    rebaseVolume(account, newness.lifetimeVolume, receivedMs);
    effects.push(...reconcileCollateral(state, account, event, newness));
  }
  const timePassed = { kind: "timePassed", isSettling: (marketId: MarketId) => isSettling(state, marketId) } as const;
  effects.push(...foldOrderEvent(account, { ...evidence, ...timePassed }));
  const lacksMs = positions.length > 0 || isAsNew(account, newness) ? null : firstLackedMs(account, skipped);
  const isBehind = receivedMs - Math.min(list.beforeMs, lacksMs ?? receivedMs) > state.ages.reconciledMs;
  const agreed = account.doubts.size === 0 && judged.believed === 0 && !isBehind;
  effects.push(...concludeRead(state, account, event, { agreed, raced }));
  return effects;
}

/** True for a read that, as far as its volume tells, has every fill that we know. */
const isAsNew = (
  { filledMs, volume: { knownMs } }: AccountState,
  { volume, mayLackFills, trustedMs }: Newness,
): boolean =>
  (volume !== "less" && !mayLackFills) || trustedMs >= Math.max(knownMs, filledMs ?? Number.NEGATIVE_INFINITY);

/** Since when we have held the positions that this read contradicts because it lacks our last fills, monotonic ms; null: none. */
function firstLackedMs({ positionReads }: AccountState, skipped: ReadonlySet<string>): number | null {
  const changes = [...positionReads].filter(([marketId]) => skipped.has(positionKey(marketId)));
  return changes.length === 0 ? null : Math.min(...changes.map(([, { changedMs }]) => changedMs));
}

/** Open orders against tracked orders. Orders that this read cannot judge are added to `skipped`. */
function compareOrders(
  account: AccountState,
  listed: ListedOrders,
  evidence: ListEvidence,
  skipped: Set<string>,
): { readonly differences: readonly Difference[]; readonly beforeMs: number; readonly effects: FoldEffects } {
  const comparison = account.orders.compare(listed, evidence);
  for (const orderId of comparison.skipped) skipped.add(orderKey(orderId));
  const differences = comparison.differences.map(({ orderId, listed, changedMs, ...difference }) => ({
    ...difference,
    key: orderKey(orderId),
    stamp: changedMs,
    mayBeOlder: false,
    believe: () => foldOrderEvent(account, { ...evidence, kind: "believed", orderId, listed }),
  }));
  const effects = noteOrderEffects(account, comparison.effects, evidence.receivedMs);
  return { differences, beforeMs: comparison.beforeMs, effects };
}

function positionsDiffering(
  state: FeedState,
  account: AccountState,
  { account: told, askedMs, receivedMs }: AccountRead,
  newness: Newness,
  skipped: Set<string>,
): readonly Difference[] {
  const differences: Difference[] = [];
  const read = new Map(told.positions.map((position) => [position.marketId, position]));
  for (const marketId of new Set([...read.keys(), ...account.positionReads.keys()])) {
    const {
      filledMs = null,
      fillCount = 0,
      changedMs = Number.NEGATIVE_INFINITY,
    } = account.positionReads.get(marketId) ?? {};
    const position = read.get(marketId);
    const [expected, found] = [inventoryIn(account.book, marketId), inventoryOf(position)];
    const { lifetimeVolume } = newness;
    const isNewer = newness.trustedMs >= changedMs;
    if (expected !== found && !isUnreadable(told, marketId))
      seePosition(account, marketId, { inventory: found, receivedMs, lifetimeVolume });
    if (filledMs !== null && filledMs >= askedMs) {
      skipped.add(positionKey(marketId));
    } else if (isUnreadable(told, marketId)) {
      skipped.add(positionKey(marketId));
    } else if (expected !== found && !isNewer && newness.volume === "less") {
      skipped.add(positionKey(marketId));
    } else if (expected !== found) {
      differences.push({
        key: positionKey(marketId),
        what: "position",
        marketId,
        expected: `${expected}`,
        found: `${found}`,
        stamp: fillCount,
        mayBeOlder: newness.mayLackFills && !isNewer && askedMs - changedMs <= READ_AGE_MAX_MS,
        believe: () => {
          const effects = bookPosition(state, account, marketId, { position, askedMs, receivedMs, isAdopted: true });
          if (!isNewer) seePosition(account, marketId, { inventory: expected, receivedMs, lifetimeVolume });
          if (isAsNew(account, newness)) rebaseVolume(account, lifetimeVolume, receivedMs);
          return effects;
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
): FoldEffects {
  const { reconcile } = account;
  const { stream } = state;
  if (result.agreed && !result.raced) {
    reconcile.rounds += 1;
    reconcile.agreedMs = event.askedMs;
    reconcile.agreedEpoch = stream.connected && event.askedMs >= stream.openedMs ? stream.epoch : 0;
    reconcile.differsSinceMs = null;
    return noEffects;
  }
  if (!result.agreed) reconcile.differsSinceMs ??= event.receivedMs;
  return [wantReconcile(account, result.agreed ? "raced" : "difference", event.receivedMs)];
}

const orderKey = (orderId: OrderId): string => `order:${orderId}`;
