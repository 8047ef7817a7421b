// How a resync begins, and what an account adopts from the exchange when it ends. Until then nothing is added: the service cancels our
// orders, waits `readLagMaxMs` in which nothing of ours changes anything, and asks both witnesses until they agree twice.

import { type Account, inventoryOf } from "../../domain/account.ts";
import { type MarketId, type Size, size } from "../../domain/units.ts";
import { inventoryIn } from "../accounting/account-book.ts";
import { collateralOf } from "../accounting/totals.ts";
import type { AccountReads } from "../market/schedule.ts";
import { heldRead, marketOf } from "../market/state.ts";
import { foldOrderEvent } from "./account-orders.ts";
import type { AccountState, BotState } from "./account-state.ts";
import { adoptPosition, openBook } from "./booking.ts";
import { settleCollateral } from "./collateral.ts";
import type { AccountEffect, AccountEffects } from "./effects.ts";
import { resyncOf } from "./resync-reasons.ts";
import { newlyUnreadable } from "./unreadable.ts";

/** Returns what the account needs to read at `nowMs`, monotonic. */
export function readsWanted(
  account: AccountState,
  { readLagMaxMs }: Pick<BotState, "readLagMaxMs">,
  nowMs: number,
): AccountReads {
  const { accountId, reconcile, doubts, collateral, orders } = account;
  const ended = new Set<MarketId>();
  let isAnyUnshown = false;
  let isCancelUnshown = false;
  for (const record of orders.live) {
    const { end, order, placeUnshown, cancelUnshown, modifies } = record;
    if (end !== null && nowMs - end.atMs > readLagMaxMs) ended.add(order.marketId);
    if (cancelUnshown !== null && nowMs - cancelUnshown.sinceMs > readLagMaxMs) isCancelUnshown = true;
    if (placeUnshown !== null) isAnyUnshown = true;
    for (const { unshown } of modifies.values()) if (unshown !== null) isAnyUnshown = true;
  }
  return {
    accountId,
    unconfirmedMs: reconcile.unconfirmedMs,
    isUnconfirmed: isUnconfirmed(account),
    doubts: doubts.all(),
    unexplainedSinceMs: collateral.unexplained?.sinceMs ?? null,
    ended,
    isUnshown: isAnyUnshown || isCancelUnshown,
    isCancelUnshown,
  };
}

/** True while a doubt waits for the next read; a running resync reads anyway. */
export function isUnconfirmed(account: Pick<AccountState, "resyncs" | "doubts">): boolean {
  for (const { marketId } of account.doubts.all()) if (resyncOf(account, marketId) === undefined) return true;
  return false;
}

/** True where orders of ours without a known id may rest: at a start those of earlier runs, later those without an answer. */
export function mayRestUnnamed({ orders, resyncs }: AccountState, marketId: MarketId | null): boolean {
  if (resyncs.get(marketId)?.reason === "start") return true;
  for (const { order } of orders.live)
    if (order.orderId === null && (marketId === null || order.marketId === marketId)) return true;
  return false;
}

/** What both witnesses said twice, for a market or with null the account. Times are monotonic, ms. */
export type Adopted = {
  readonly account: Account;
  readonly marketId: MarketId | null;
  readonly askedMs: number;
  readonly receivedMs: number;
};

/** Adopts what the witnesses said. Contracts that no fill names, beyond what unresolved orders could have filled, are `unattributed`. */
export function adopt(state: BotState, account: AccountState, event: Adopted): AccountEffects {
  const { account: reported, marketId, askedMs, receivedMs } = event;
  const effects: AccountEffect[] = [...newlyUnreadable(account, reported)];
  const times = { askedMs, receivedMs };
  account.createdAtMs ??= reported.createdAtMs;
  account.read = heldRead(reported, times, state.stream.epoch);
  if (account.adoptedMs === null) {
    account.adoptedMs = askedMs;
    effects.push(...openBook(state, account, reported, receivedMs));
    // From earlier runs: from here on settlements count from this read.
    account.collateral.settledSec.clear();
    account.collateral.fundingIndex.clear();
  } else {
    const { accountId, book } = account;
    for (const one of marketsOf(account, reported, marketId)) {
      const position = reported.positions.find((held) => held.marketId === one);
      const contracts = unattributedIn(account, reported, one);
      const [from, to] = [inventoryIn(book, one), inventoryOf(position)];
      effects.push(...adoptPosition(state, account, one, position, askedMs));
      if (contracts !== 0n) effects.push({ kind: "unattributed", accountId, marketId: one, contracts, from, to });
    }
  }
  effects.push(...foldOrderEvent(account, { kind: "resynced", marketId, lists: reported, receivedMs }));
  account.doubts.clear(marketId);
  account.collateral.states.forget();
  if (marketId === null) account.resyncs.clear();
  else account.resyncs.delete(marketId);
  // For one market alone it may lack the latest changes of the others: the next reads are judged.
  if (marketId === null) effects.push(...settleCollateral(state, account, reported.collateral, receivedMs));
  const { reconcile } = account;
  reconcile.rounds += 1;
  reconcile.agreedMs = askedMs;
  reconcile.agreedEpoch = state.stream.connected && askedMs >= state.stream.openedMs ? state.stream.epoch : 0;
  for (const one of reported.positions) marketOf(state, one.marketId);
  return [...effects, { kind: "adopted", accountId: account.accountId, marketId }];
}

/**
 * True where both witnesses show contracts without a fill, and the money shows no trade: each trade pays a fee, so there was none. False
 * where a tier of the schedule has no fee, and at a start, which adopts everything.
 */
export function isUnpaid(
  { feeTiers }: Pick<BotState, "feeTiers">,
  account: AccountState,
  reported: Account,
  marketId: MarketId | null,
): boolean {
  const hasFees = feeTiers?.value.every(({ makerFeeBps, takerFeeBps }) => makerFeeBps !== 0 && takerFeeBps !== 0);
  const moved = reported.collateral - collateralOf(account.book);
  const isSame = (moved < 0n ? -moved : moved) <= BigInt(account.collateral.fillCount);
  if (account.adoptedMs === null || hasFees !== true || !isSame) return false;
  return marketsOf(account, reported, marketId).some((one) => unattributedIn(account, reported, one) !== 0n);
}

/** Returns contracts by which the read position has moved beyond what fills and lost orders explain; below zero: sold. */
function unattributedIn(account: AccountState, { positions }: Account, marketId: MarketId): Size {
  const position = positions.find((held) => held.marketId === marketId);
  const moved = inventoryOf(position) - inventoryIn(account.book, marketId);
  const left = (moved < 0n ? -moved : moved) - mayHaveFilled(account, marketId, moved > 0n ? "buy" : "sell");
  return size(left <= 0n ? 0n : moved < 0n ? -left : left);
}

function marketsOf(account: AccountState, reported: Account, marketId: MarketId | null): readonly MarketId[] {
  if (marketId !== null) return [marketId];
  return [...new Set([...reported.positions.map((held) => held.marketId), ...account.book.markets.keys()])];
}

/** Returns what orders with lost answers could have filled unreported. */
function mayHaveFilled({ orders }: AccountState, marketId: MarketId, side: "buy" | "sell"): bigint {
  let sum: Size = size(0n);
  for (const { order, state } of orders.live) {
    const mayFill = state === "unknown" || state === "executed";
    if (mayFill && order.marketId === marketId && order.side === side) sum = size(sum + order.remainingSize);
  }
  return sum;
}
