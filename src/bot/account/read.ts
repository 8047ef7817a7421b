// Compares a read of the account with our state, place by place: orders, positions, collateral (risk controls C1 to C3). Additions count at
// once; removals wait for a resync.

import { type Account, inventoryOf } from "../../domain/account.ts";
import type { ReadEvent } from "../../domain/event.ts";
import { inventoryIn } from "../accounting/account-book.ts";
import { noEffects } from "../market/effects.ts";
import { heldRead, marketOf } from "../market/state.ts";
import { foldOrderEvent, noteOrderEffects, wantReconcile, wantResync } from "./account-orders.ts";
import type { AccountState, BotState } from "./account-state.ts";
import { judgeCollateral } from "./collateral.ts";
import type { PlaceWord } from "./doubts.ts";
import type { AccountEffect, AccountEffects } from "./effects.ts";
import { type Span, spanOf } from "./evidence.ts";
import { isUnconfirmed } from "./resync.ts";
import { resyncOf } from "./resync-reasons.ts";
import { isUnreadable, newlyUnreadable } from "./unreadable.ts";

type AccountRead = Extract<ReadEvent, { kind: "accountRead" }>;

export function foldAccountRead(state: BotState, account: AccountState, event: AccountRead): AccountEffects {
  const { account: reported, askedMs, receivedMs } = event;
  if (account.read !== null && account.read.askedMs > askedMs) return noEffects;
  account.createdAtMs ??= reported.createdAtMs;
  const effects: AccountEffect[] = [...newlyUnreadable(account, reported)];
  const before = account.read;
  account.read = heldRead(reported, event, state.stream.epoch);
  // Their terms are needed wherever the account has something, or may have.
  for (const { marketId } of [
    ...reported.positions,
    ...reported.openOrders,
    ...Array.from(account.orders.live, ({ order }) => order),
  ])
    marketOf(state, marketId);
  // The first adoption judges what it takes.
  if (account.adoptedMs === null) return effects;
  const span = spanOf(event, state.readLagMaxMs);
  const list = account.orders.compare(reported, "account", span);
  effects.push(...noteOrderEffects(account, list.effects, receivedMs));
  const words = [...list.words, ...wordsOfPositions(account, event, span)];
  effects.push(...wordsReceived(account, words, event));
  for (const { key, marketId, differs } of words)
    if (differs === null && key === positionKey(marketId))
      effects.push(...positionReported(account, event, before, marketId));
  if (isUnconfirmed(account)) return [...effects, wantReconcile(account, "difference", receivedMs)];
  effects.push(...judgeCollateral(state, account, event));
  agree(state, account, askedMs);
  return effects;
}

/** A read of the account equals our state. */
function agree({ stream }: BotState, { reconcile }: AccountState, askedMs: number): void {
  reconcile.rounds += 1;
  reconcile.agreedMs = askedMs;
  reconcile.agreedEpoch = stream.connected && askedMs >= stream.openedMs ? stream.epoch : 0;
}

const positionKey = (marketId: AccountRead["account"]["positions"][number]["marketId"]): string =>
  `position:${marketId}`;

function wordsOfPositions(account: AccountState, { account: reported }: AccountRead, span: Span): readonly PlaceWord[] {
  const words: PlaceWord[] = [];
  const read = new Map(reported.positions.map((position) => [position.marketId, position]));
  const ordered = Array.from(account.orders.live, ({ order }) => order.marketId);
  for (const marketId of new Set([...read.keys(), ...account.positions.keys(), ...ordered])) {
    const key = positionKey(marketId);
    if (isUnreadable(reported, marketId)) {
      words.push({ key, marketId, differs: undefined });
      continue;
    }
    const [expected, found] = [inventoryIn(account.book, marketId), inventoryOf(read.get(marketId))];
    const held = account.positions.get(marketId)?.held;
    const isNothing = held === undefined ? found === expected : held.wasHeld(found, expected, span);
    const differs = isNothing
      ? null
      : ({ what: "position", expected: `${expected}`, found: `${found}`, inventory: found } as const);
    words.push({ key, marketId, differs });
  }
  return words;
}

/**
 * Compares a position: every fill before the read was asked is booked. A missing entry alone is no evidence of flat: the read before must
 * lack it too.
 */
function positionReported(
  account: AccountState,
  { account: reported, askedMs, receivedMs }: AccountRead,
  before: AccountState["read"],
  marketId: PlaceWord["marketId"],
): AccountEffects {
  const positionIn = ({ positions }: Account) => positions.find((position) => position.marketId === marketId);
  const foldFillsRead = (askedMs: number): AccountEffects =>
    foldOrderEvent(account, { kind: "fillsRead", marketId, askedMs, sinceMs: Number.NEGATIVE_INFINITY, receivedMs });
  const shown = positionIn(reported);
  if (inventoryOf(shown) !== inventoryIn(account.book, marketId)) return noEffects;
  if (shown !== undefined) return foldFillsRead(askedMs);
  if (before === null || positionIn(before.value) !== undefined) return noEffects;
  return foldFillsRead(before.askedMs);
}

/** A running resync reports its own differences. */
function wordsReceived(account: AccountState, words: readonly PlaceWord[], event: AccountRead): AccountEffects {
  const { accountId, doubts } = account;
  const effects: AccountEffect[] = [];
  for (const word of words) {
    const { marketId } = word;
    if (resyncOf(account, marketId) !== undefined) continue;
    const repeated = doubts.hear(word, event);
    // The read may be ahead of answers that will explain it.
    if (repeated === undefined || account.orders.isAwaited(marketId, repeated.sinceMs)) continue;
    const { what, expected, found } = word.differs ?? repeated;
    effects.push({ kind: "mismatch", accountId, marketId, what, expected, found });
    effects.push(...wantResync(account, marketId, what === "position" ? "position" : "orders", event.receivedMs));
  }
  doubts.receivedAll(words, event.askedMs);
  return effects;
}
