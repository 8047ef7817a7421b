// Orders that landed without an answer and were over before anybody told their id, as when the bot died in between: their fills stand
// in the public trades (S2.5) under an id that we do not know. It is taken for ours when what it traded, as a maker at the order's own
// price and in its lifetime, is exactly what our position moved by unseen: somebody else's order of the same shape moves nothing of ours.

import { inventoryOf } from "../domain/account.ts";
import type { Trade } from "../domain/fill.ts";
import { type MarketId, type OrderId, opposite, signOf } from "../domain/units.ts";
import type { AccountState, Ghost } from "./account-state.ts";
import { chainTimeMs } from "./chain-clock.ts";
import { positionKey } from "./doubts.ts";
import type { FeedState } from "./state.ts";

/** Nonces are chain time in ms (S5); they and the times of trades disagree by less than this. */
const TIMES_DIFFER_MS = 2000;

/**
 * From then on the ids are ours, so that their trades are booked. Where two ids would fit, neither is taken; nor is one where the
 * trades do not reach back to when the order was sent, since others that fit may have left the list.
 */
export function nameGhosts(
  state: FeedState,
  account: AccountState,
  read: { readonly marketId: MarketId; readonly trades: readonly Trade[] },
  nowMs: number,
): void {
  for (const ghost of account.ghosts) {
    const { marketId, side, size } = ghost.order;
    if (marketId !== read.marketId) continue;
    const wanted = signOf(side) * unseenMove(account, marketId);
    if (wanted <= 0n || wanted > size) continue;
    const span = lifeOf(state, ghost);
    if (span === null || !read.trades.some(({ timestampMs }) => timestampMs !== null && timestampMs < span.fromMs))
      continue;
    const traded = new Map<OrderId, bigint>();
    for (const trade of read.trades) {
      if (!canBeOf(ghost, span, trade) || account.own.has(trade.makerOrderId)) continue;
      traded.set(trade.makerOrderId, (traded.get(trade.makerOrderId) ?? 0n) + trade.size);
    }
    const fitting = [...traded].filter(([, sum]) => sum === wanted).map(([orderId]) => orderId);
    const [orderId] = fitting;
    if (orderId === undefined || fitting.length > 1) continue;
    account.own.set(orderId, { marketId, side, endedMs: nowMs });
    account.ghosts = account.ghosts.filter((other) => other !== ghost);
  }
}

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
