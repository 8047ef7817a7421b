// Orders that landed without an answer and were over before anybody told their id, as when the bot died in between: their fills stand
// in the public trades (S2.5) under ids that we do not know. Ids are taken for ours when what they traded, as makers at the orders' own
// prices and in their lifetimes, is together exactly what our position moved by unseen: somebody else's order of the same shape moves
// nothing of ours.

import { inventoryOf } from "../../../domain/account.ts";
import type { Trade } from "../../../domain/fill.ts";
import { type MarketId, type OrderId, opposite, signOf, size } from "../../../domain/units.ts";
import type { AccountState, Ghost, OrderEntry } from "../account/account-state.ts";
import { isAnyNameless, positionKey } from "../account/differences.ts";
import type { FeedEffect } from "../effects.ts";
import { chainTimeMs } from "../market/chain-clock.ts";
import type { FeedState } from "../state.ts";

/** Nonces are chain time in ms (S5); they and the times of trades disagree by less than this. */
const TIMES_DIFFER_MS = 2000;

/** An id that may be a ghost's, and what it moved our position by if it is. */
type Candidate = { readonly ghost: Ghost; readonly orderId: OrderId; readonly moved: bigint };

/**
 * True when ids were found: from then on they are ours, so that their trades are booked. Where more than one choice of ids would
 * explain the movement, none is taken; nor is any where the trades do not reach back to when the order was sent, since others that
 * fit may have left the list.
 */
export function nameGhosts(
  state: FeedState,
  account: AccountState,
  read: { readonly marketId: MarketId; readonly trades: readonly Trade[] },
  nowMs: number,
): boolean {
  const { marketId, trades } = read;
  const ghosts = account.ghosts.filter(({ order }) => order.marketId === marketId);
  const unseen = unseenMove(account, marketId);
  if (unseen === 0n || ghosts.length === 0) return false;
  if (isAnyNameless(account, marketId, Math.max(...ghosts.map(({ settledMs }) => settledMs)))) return false;
  const choices = ghosts.map((ghost) => candidatesOf(state, account, ghost, trades));
  const chosen = onlyChoice(choices, unseen);
  for (const { ghost, orderId } of chosen) {
    account.own.set(orderId, { marketId, side: ghost.order.side, endedMs: nowMs });
    account.ghosts = account.ghosts.filter((other) => other !== ghost);
  }
  return chosen.length > 0;
}

/** An id that shows up late may be that of an order that landed without one for so long. */
const GHOST_MS = 60_000;
const GHOSTS_MAX = 100;

/** An order landed and is over, and nobody told its id. */
export function rememberGhost(account: AccountState, { order, sentMs }: OrderEntry, nowMs: number): void {
  forgetGhosts(account, nowMs);
  account.ghosts = [...account.ghosts.slice(1 - GHOSTS_MAX), { order, sentMs, settledMs: nowMs }];
}

function forgetGhosts(account: AccountState, nowMs: number): void {
  account.ghosts = account.ghosts.filter(({ settledMs }) => nowMs - settledMs < GHOST_MS);
}

/** Where no order without a name is left that can have moved a position, what moved it is no longer looked for. */
export function acceptMovement(account: AccountState, marketId: MarketId, nowMs: number, effects: FeedEffect[]): void {
  forgetGhosts(account, nowMs);
  if (account.read === null || isAnyNameless(account, marketId, nowMs)) return;
  if (account.ghosts.some(({ order }) => order.marketId === marketId)) return;
  if ((account.unseen.get(marketId) ?? 0n) === 0n) return;
  account.unseen.set(marketId, size(0n));
  effects.push({ kind: "movementAccepted", accountId: account.accountId, marketId });
}

function candidatesOf(
  state: FeedState,
  account: AccountState,
  ghost: Ghost,
  trades: readonly Trade[],
): readonly Candidate[] {
  const life = lifeOf(state, ghost);
  if (life === null || !trades.some(({ timestampMs }) => timestampMs !== null && timestampMs < life.fromMs)) return [];
  const traded = new Map<OrderId, bigint>();
  for (const trade of trades) {
    if (!canBeOf(ghost, life, trade) || account.own.has(trade.makerOrderId)) continue;
    traded.set(trade.makerOrderId, (traded.get(trade.makerOrderId) ?? 0n) + trade.size);
  }
  const { side, size: whole } = ghost.order;
  return [...traded]
    .filter(([, sum]) => sum <= whole)
    .map(([orderId, sum]) => ({ ghost, orderId, moved: signOf(side) * sum }));
}

/** More ways to choose than this are not looked through. */
const WAYS_MAX = 20_000;

/** The one set of ids, at most one a ghost, that moved the position by exactly `unseen`; empty where there is none or another. */
function onlyChoice(choices: readonly (readonly Candidate[])[], unseen: bigint): readonly Candidate[] {
  if (choices.reduce((ways, candidates) => ways * (candidates.length + 1), 1) > WAYS_MAX) return [];
  const found = new Map<string, readonly Candidate[]>();
  const choose = (at: number, chosen: readonly Candidate[], left: bigint): void => {
    const candidates = choices[at];
    if (candidates === undefined) {
      if (left === 0n) found.set(nameOf(chosen), chosen);
      return;
    }
    choose(at + 1, chosen, left);
    for (const candidate of candidates) {
      if (chosen.some(({ orderId }) => orderId === candidate.orderId)) continue;
      choose(at + 1, [...chosen, candidate], left - candidate.moved);
    }
  };
  choose(0, [], unseen);
  const [only, another] = found.values();
  return another === undefined ? (only ?? []) : [];
}

/** Two orders of one shape may have each other's id: the ids are the same. */
const nameOf = (chosen: readonly Candidate[]): string =>
  chosen
    .map(({ orderId }) => `${orderId}`)
    .sort()
    .join();

/** By how much the position has moved, signed, for which no fill is known: 0 until the account was read. */
function unseenMove(account: AccountState, marketId: MarketId): bigint {
  if (account.read === null) return 0n;
  const unseen = account.unseen.get(marketId) ?? 0n;
  if (!account.doubts.has(positionKey(marketId))) return unseen;
  const read = account.read.value.positions.find((position) => position.marketId === marketId);
  return unseen + inventoryOf(read) - (account.positions.get(marketId)?.inventory ?? 0n);
}

/** Chain time, ms: from its sending until it was proven to be over. */
type Life = { readonly fromMs: number; readonly toMs: number };

function lifeOf(state: FeedState, { order, settledMs }: Ghost): Life | null {
  const overMs = chainTimeMs(state, settledMs);
  if (overMs === null || order.nonce === null) return null;
  return { fromMs: Number(order.nonce) - TIMES_DIFFER_MS, toMs: overMs + TIMES_DIFFER_MS };
}

function canBeOf({ order }: Ghost, { fromMs, toMs }: Life, trade: Trade): boolean {
  if (trade.price !== order.price || opposite(trade.takerSide) !== order.side) return false;
  return trade.timestampMs !== null && trade.timestampMs >= fromMs && trade.timestampMs <= toMs;
}
