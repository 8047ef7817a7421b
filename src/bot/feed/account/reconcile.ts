// The account as read against the account as folded: orders, positions, collateral (risk controls C1 to C3). A single difference may
// be a frame on its way; the same difference in a later read, with the public trades looked through in between, is a mismatch: it is
// reported, and the exchange is believed.

import type { Account } from "../../../domain/account.ts";
import { inventoryOf } from "../../../domain/account.ts";
import type { ReadEvent } from "../../../domain/event.ts";
import type { Order } from "../../../domain/order.ts";
import { type MarketId, type OrderId, price, size } from "../../../domain/units.ts";
import { type FoldEffects, noEffects } from "../effects.ts";
import { heldRead } from "../held.ts";
import { chainTimeMs } from "../market/chain-clock.ts";
import type { Evidence } from "../orders/order-event.ts";
import { type FeedState, marketOf } from "../state.ts";
import { foldOrderEvent, noteOrderEffects, wantReconcile } from "./account-orders.ts";
import type { AccountState } from "./account-state.ts";
import { rebaseMoney, reconcileMoney } from "./collateral.ts";
import { type Difference, positionKey, settleDoubts } from "./differences.ts";
import { flatPosition, magnitude } from "./positions.ts";

type AccountRead = Extract<ReadEvent, { kind: "accountRead" }>;

export function foldAccountRead(state: FeedState, account: AccountState, event: AccountRead): FoldEffects {
  if (account.read !== null && account.read.askedMs > event.askedMs) return noEffects;
  const { askedMs, receivedMs } = event;
  const evidence: Evidence = { source: "accountRead", asOfMs: askedMs, receivedMs };
  const filled = account.filledMs !== null && account.filledMs >= askedMs;
  const raced = filled || account.orders.isAnyFillPending(receivedMs);
  if (account.read === null) {
    if (filled) return [wantReconcile(account, "raced", receivedMs)];
    takePositions(state, account, event);
  }
  account.read = heldRead(event.account, event, state.stream.epoch);
  for (const { marketId } of [...event.account.positions, ...event.account.openOrders]) marketOf(state, marketId);
  const skipped = new Set<string>();
  const list = compareOrders(account, event.account.openOrders, evidence, skipped);
  const positions = positionsDiffering(state, account, event, skipped);
  const unsettled = new Set([...skipped, ...positions.map(({ key }) => key)]);
  const effects = [
    ...list.effects,
    ...foldOrderEvent(account, {
      ...evidence,
      kind: "notListed",
      listed: new Set(event.account.openOrders.map(({ orderId }) => orderId)),
      isUnsettled: (marketId) => unsettled.has(positionKey(marketId)),
    }),
  ];
  const judged = settleDoubts(state, account, event, [...list.differences, ...positions], skipped);
  effects.push(...judged.effects);
  if (positions.length === 0 && !raced) effects.push(...reconcileMoney(state, account, event));
  effects.push(...foldOrderEvent(account, { ...evidence, kind: "timePassed" }));
  const agreed = account.doubts.size === 0 && judged.believed === 0;
  effects.push(...concludeRead(state, account, event, { agreed, raced }));
  return effects;
}

/** Open orders against tracked orders. Orders that this read cannot judge are added to `skipped`. */
function compareOrders(
  account: AccountState,
  openOrders: readonly Order[],
  evidence: Evidence,
  skipped: Set<string>,
): { readonly differences: readonly Difference[]; readonly effects: FoldEffects } {
  const comparison = account.orders.compare(openOrders, evidence);
  for (const orderId of comparison.skipped) skipped.add(orderKey(orderId));
  const differences = comparison.differences.map(({ orderId, listed, changedMs, ...difference }) => ({
    ...difference,
    key: orderKey(orderId),
    stamp: changedMs,
    believe: () => foldOrderEvent(account, { ...evidence, kind: "believed", orderId, listed }),
  }));
  return { differences, effects: noteOrderEffects(account, comparison.effects, evidence.receivedMs) };
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
          return noEffects;
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
