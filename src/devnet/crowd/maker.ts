// A competing maker: rests a few levels a side around its own opinion, leans against its inventory, and moves an order only
// when it stands too far from where it should or is half gone. It remembers nothing: its open orders show what it did.

import { inventoryOf } from "../../domain/account.ts";
import { bestAsk, bestBid } from "../../domain/book.ts";
import type { Order } from "../../domain/order.ts";
import { type AccountId, type Price, price, type Side, type Size, size } from "../../domain/units.ts";
import type { CrowdAction } from "../chain/sources.ts";
import { fairPrice, limitOrder, movedBy, onTick, type Scene } from "./crowd-view.ts";
import { times } from "./noise.ts";

export type MakerFlow = {
  readonly takerSize: Size;
  readonly account: AccountId;
  /** From 0: the widest of several has the highest. */
  readonly rank: number;
};

/** Distance from fair and size in typical taker orders, level by level: thin at the touch, deep behind. 4, 8, 14 and 24 bps. */
const LEVELS = [
  { ppm: 400, sizeFactor: 1 },
  { ppm: 800, sizeFactor: 2 },
  { ppm: 1400, sizeFactor: 4 },
  { ppm: 2400, sizeFactor: 8 },
] as const;
/** Each further maker stands 2 bps behind the one before. */
const RANK_PPM = 200;
/** Leans 1 bp for ten typical orders of inventory, 15 bps at most. */
const LEAN_PPM = 100;
const LEAN_AFTER = 10;
const LEAN_PPM_MAX = 1500;
/** An order stays while it is nearer than 1 bp, or than a sixth of its distance from fair, to its place. */
const TOLERANCE_PPM = 100;
const TOLERANCE_SHARE = 6;

type Slot = { readonly side: Side; readonly price: Price; readonly size: Size; readonly tolerance: Price };

/** What the maker does about one market now: nothing while its quotes stand well. */
export function makerActions(scene: Scene, maker: MakerFlow): readonly CrowdAction[] {
  const account = scene.reads.account(maker.account);
  if (account === undefined) return [];
  const { marketId } = scene.market;
  const held = inventoryOf(account.positions.find((position) => position.marketId === marketId));
  const center = movedBy(fairPrice(scene, maker.rank + 1), leanPpm(held, maker.takerSize));
  const orders = account.openOrders.filter((order) => order.marketId === marketId);
  const bids = actionsFor("buy", scene, maker, center, orders);
  const asks = actionsFor("sell", scene, maker, center, orders);
  // The side that steps back goes first, so that the other never steps onto it.
  return center > middleOf(orders, center) ? [...asks, ...bids] : [...bids, ...asks];
}

function actionsFor(
  side: Side,
  scene: Scene,
  maker: MakerFlow,
  center: Price,
  orders: readonly Order[],
): readonly CrowdAction[] {
  const resting = orders
    .filter((order) => order.side === side)
    .sort((a, b) => Number(side === "buy" ? b.price - a.price : a.price - b.price));
  const actions: CrowdAction[] = [];
  for (const [level, slot] of slotsFor(side, scene, maker, center).entries()) {
    const order = resting[level];
    const action =
      order === undefined ? limitOrder(scene, maker.account, slot, "GTC") : moved(maker.account, order, slot);
    if (action !== undefined) actions.push(action);
  }
  return actions;
}

function slotsFor(side: Side, scene: Scene, maker: MakerFlow, center: Price): readonly Slot[] {
  const { tickSize } = scene.market;
  const limit = passiveLimit(side, scene);
  return LEVELS.map(({ ppm, sizeFactor }) => {
    const away = ppm + maker.rank * RANK_PPM;
    const target = onTick(movedBy(center, side === "buy" ? -away : away), tickSize, side);
    const crosses = limit !== undefined && (side === "buy" ? target > limit : target < limit);
    const tolerancePpm = Math.max(TOLERANCE_PPM, away / TOLERANCE_SHARE);
    const tolerance = price(movedBy(center, tolerancePpm) - center);
    return { side, price: crosses ? limit : target, size: times(maker.takerSize, sizeFactor), tolerance };
  });
}

/** The last price that does not take: one tick from the other side's best; undefined while that side is empty. */
function passiveLimit(side: Side, scene: Scene): Price | undefined {
  const book = scene.reads.book(scene.market.marketId, 1);
  const facing = book && (side === "buy" ? bestAsk(book) : bestBid(book));
  if (facing === undefined) return undefined;
  const { tickSize } = scene.market;
  const limit = side === "buy" ? facing.price - tickSize : facing.price + tickSize;
  return limit > 0n ? price(limit) : undefined;
}

/** Undefined while the order stands well enough. The new size is the whole order's: what is filled and the slot's. */
function moved(accountId: AccountId, order: Order, slot: Slot): CrowdAction | undefined {
  const off = order.price > slot.price ? order.price - slot.price : slot.price - order.price;
  const thin = order.remainingSize * 2n < slot.size;
  const thick = order.remainingSize > slot.size;
  if (off <= slot.tolerance && !thin && !thick) return undefined;
  const newSize = thin || thick ? size(order.filledSize + slot.size) : null;
  const newPrice = off === 0n ? null : slot.price;
  return { accountId, transaction: { type: "ModifyOrder", orderId: order.orderId, newPrice, newSize } };
}

function leanPpm(held: Size, typical: Size): number {
  const orders = Number(held) / Number(typical);
  const ppm = (-orders * LEAN_PPM) / LEAN_AFTER;
  return Math.max(-LEAN_PPM_MAX, Math.min(LEAN_PPM_MAX, ppm));
}

/** Mean of the maker's own best orders, `otherwise` while a side is empty. */
function middleOf(orders: readonly Order[], otherwise: Price): Price {
  let bid: bigint | undefined;
  let ask: bigint | undefined;
  for (const order of orders) {
    if (order.side === "buy" && (bid === undefined || order.price > bid)) bid = order.price;
    if (order.side === "sell" && (ask === undefined || order.price < ask)) ask = order.price;
  }
  return bid === undefined || ask === undefined ? otherwise : price((bid + ask) / 2n);
}
