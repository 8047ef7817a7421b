// Orders that landed without an answer and were over before anybody told their id, as when the bot died in between: their fills stand
// in the public trades (S2.5) under an id that we do not know. It is taken for ours when it alone traded exactly what the order was,
// as a maker, at the order's own price, not before it was sent.

import type { Trade } from "../domain/fill.ts";
import { type MarketId, type OrderId, opposite } from "../domain/units.ts";
import type { AccountState, Ghost } from "./account-state.ts";

/** Nonces are chain time in ms (S5); they and the times of trades disagree by less than this. */
const TIMES_DIFFER_MS = 2000;

/** From then on the ids are ours, so that their trades are booked. Where two ids would fit, neither is taken. */
export function nameGhosts(
  account: AccountState,
  read: { readonly marketId: MarketId; readonly trades: readonly Trade[] },
  nowMs: number,
): void {
  for (const ghost of account.ghosts) {
    const { marketId, side, size } = ghost.order;
    if (marketId !== read.marketId) continue;
    const traded = new Map<OrderId, bigint>();
    for (const trade of read.trades) {
      if (!canBeOf(ghost, trade) || account.own.has(trade.makerOrderId)) continue;
      traded.set(trade.makerOrderId, (traded.get(trade.makerOrderId) ?? 0n) + trade.size);
    }
    const whole = [...traded].filter(([, sum]) => sum === size).map(([orderId]) => orderId);
    const [orderId] = whole;
    if (orderId === undefined || whole.length > 1) continue;
    account.own.set(orderId, { marketId, side, endedMs: nowMs });
    account.ghosts = account.ghosts.filter((other) => other !== ghost);
  }
}

function canBeOf({ order }: Ghost, trade: Trade): boolean {
  if (trade.price !== order.price || opposite(trade.takerSide) !== order.side) return false;
  if (trade.timestampMs === null || order.nonce === null) return false;
  return trade.timestampMs >= Number(order.nonce) - TIMES_DIFFER_MS;
}
