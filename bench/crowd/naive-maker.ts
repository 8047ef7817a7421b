// The simplest maker, as an account next to the crowd: the same distance on both sides of the others' mid, whatever it holds (up to a cap)
// and whatever the next print brings.

import type { ChainReads } from "../../src/devnet/chain/reads.ts";
import type { Crowd, CrowdAction } from "../../src/devnet/chain/sources.ts";
import { type Account, inventoryOf } from "../../src/domain/account.ts";
import type { Level } from "../../src/domain/book.ts";
import { type AccountId, type MarketId, price, type Side, size } from "../../src/domain/units.ts";
import { plainTerms } from "../../src/wire/transaction/trading.ts";
import { logBps } from "./market-run.ts";

export type NaiveMaker = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Half of its spread, basis points of the mid. */
  readonly halfSpreadBps: number;
  /** Size units of an order, and its largest position. */
  readonly size: number;
  readonly cap: number;
};

/** It checks its quotes once a second, as a bot might, and moves those that are more than half a basis point off. */
const PERIOD_MS = 1000;
const TOLERANCE = 0.5 / 10_000;

/** The crowd and, after it in every block, the naive maker. */
export const withNaiveMaker =
  (naive: NaiveMaker) =>
  (crowd: Crowd): Crowd => ({
    ...crowd,
    act(height, logicalMs, reads) {
      const actions = crowd.act(height, logicalMs, reads);
      return logicalMs % PERIOD_MS === 0 ? [...actions, ...quotesOf(naive, reads)] : actions;
    },
  });

/** The account, and the mid of others' best orders: its price and its log in basis points; undefined if a side is empty. */
export function othersOf({ accountId, marketId }: Pick<NaiveMaker, "accountId" | "marketId">, reads: ChainReads) {
  const book = reads.book(marketId, 3);
  const own = reads.account(accountId);
  const bid = own && book?.bids.find((level) => isOthers(level, own));
  const ask = own && book?.asks.find((level) => isOthers(level, own));
  if (own === undefined || bid === undefined || ask === undefined) return undefined;
  const middle = Number(bid.price + ask.price) / 2;
  const logMid = (logBps(bid.price) + logBps(ask.price)) / 2;
  return { own, middle, logMid, tick: Number(reads.market(marketId)?.tickSize ?? 1n) };
}

function quotesOf(naive: NaiveMaker, reads: ChainReads): readonly CrowdAction[] {
  const { accountId } = naive;
  const others = othersOf(naive, reads);
  if (others === undefined) return [];
  const { own, middle, tick } = others;
  const held = Number(inventoryOf(own.positions[0]));
  return (["buy", "sell"] as const).flatMap((side): CrowdAction[] => {
    const sign = side === "buy" ? 1 : -1;
    const order = own.openOrders.find((open) => open.side === side);
    if (held * sign >= naive.cap) {
      return order ? [{ accountId, transaction: { type: "CancelOrder", orderId: order.orderId } }] : [];
    }
    const exact = (middle * (1 - (sign * naive.halfSpreadBps) / 10_000)) / tick;
    const at = price(BigInt(sign > 0 ? Math.floor(exact) : Math.ceil(exact)) * BigInt(tick));
    if (order === undefined) return [placed(naive, side, at)];
    if (Math.abs(Number(order.price - at)) <= middle * TOLERANCE) return [];
    return [{ accountId, transaction: { type: "ModifyOrder", orderId: order.orderId, newPrice: at, newSize: null } }];
  });
}

/** Whether others rest at the level too. */
function isOthers(level: Level, own: Account): boolean {
  let mine = 0n;
  for (const order of own.openOrders) if (order.price === level.price) mine += order.remainingSize;
  return level.size > mine;
}

/** A post-only order. */
export function placed(
  naive: Pick<NaiveMaker, "accountId" | "marketId" | "size">,
  side: Side,
  at: ReturnType<typeof price>,
): CrowdAction {
  const { accountId, marketId } = naive;
  const terms = { ...plainTerms, reduceOnly: false, postOnly: true, timeInForce: "GTC" } as const;
  const order = { accountId, marketId, side, orderType: "Limit", price: at, size: size(BigInt(naive.size)) } as const;
  return { accountId, transaction: { type: "PlaceOrder", ...order, ...terms } };
}

/** USDC of the account with its position at the mark price. */
export function equityOf(
  reads: ChainReads,
  { accountId, marketId }: Pick<NaiveMaker, "accountId" | "marketId">,
): number {
  const own = reads.account(accountId);
  const [position] = own?.positions ?? [];
  const mark = Number(reads.market(marketId)?.markPrice ?? 0n);
  const open =
    position === undefined ? 0 : (Number(inventoryOf(position)) * (mark - Number(position.entryPrice))) / 1e14;
  return Number(own?.collateral ?? 0n) / 1e6 + open;
}
