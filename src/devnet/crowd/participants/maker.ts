// A competing maker: quotes a few levels per side around the common price, skews against its inventory, widens when the market moves and
// before a print, outbids others by a tick, and moves an order only when it is too far from its target or half filled. It has no memory:
// its open orders are its state.

import type { Order } from "../../../domain/order.ts";
import { type AccountId, type Price, price, type Side, type Size, size } from "../../../domain/units.ts";
import type { CrowdAction } from "../../chain/sources.ts";
import { happens, NORMAL_UNIT, normalOf, times } from "../draws.ts";
import { bounded } from "../index-path.ts";
import { HEAT_GAPS, heatAt } from "../memory.ts";
import {
  guardPhase,
  heldBy,
  levelOf,
  limitOrder,
  onTick,
  type Participant,
  PPM_PER_BP,
  priceAt,
  type Scene,
  signOf,
  type Visit,
} from "../scene.ts";

const OPINIONS = 1600;
const PULLS = 1601;
const STREAMS = 2;

/** Per level: distance from fair in half-spreads, and size in typical taker orders. Thin at the touch, deep behind. */
const LEVELS = [
  { away: 1, sizeFactor: 0.8 },
  { away: 1.9, sizeFactor: 1.6 },
  { away: 3.3, sizeFactor: 3.2 },
  { away: 5.5, sizeFactor: 6.4 },
] as const;
/** Each further maker quotes this share of the half-spread wider. */
const RANK_SHARE = 0.15;
/** It outbids others down to this share of its half-spread. */
const UNDERCUT_SHARE = 0.75;
/**
 * Skew per typical order of inventory, and its cap of 0.25 bps, reached at ten orders. A larger lasting skew would pay takers of the other
 * side for nothing.
 */
const LEAN_PPM = 2.5;
const LEAN_PPM_MAX = 25;
/** Standard deviation of a maker's own view of the price: 0.5 bps. */
const OWN_PPM = 50;
/** An order stays if it is nearer to its target than 0.8 bps, or than a sixth of its distance from fair. */
const TOLERANCE_PPM = 80;
const TOLERANCE_SHARE = 1 / 6;
/** Factors on the half-spread: by recent moves relative to normal times, and before a print. */
const CALM = 0.8;
const RESTLESS = 3;
const BEFORE_PRINT = 2.3;
/** Chance that a maker other than the first leaves the market in the last minutes before a print. */
const PULL_CHANCE = 0.4;
/** Checks its quotes one or two blocks after every trade, and at least this often. */
const PERIOD_MS = 10_000;
const PERIOD_GAPS = 2;

type Slot = { readonly side: Side; readonly price: Price; readonly size: Size; readonly tolerance: number };

export const competingMaker = (rank: number): Participant => ({
  name: `maker-${rank}`,
  comes(visit) {
    const { height, opinion, blockTimeMs, gapsPerBlock } = visit;
    if (opinion.printHeight === height || height - opinion.changedHeight === 1 + (rank % 2)) return true;
    const period = Math.max(1, Math.min(PERIOD_MS / blockTimeMs, PERIOD_GAPS / gapsPerBlock));
    return (height + rank * 3) % Math.round(period) === 1 % Math.round(period);
  },
  act(scene, accountId) {
    const orders = ordersOf(scene, accountId);
    if (hasPulled(scene, rank)) return orders.length === 0 ? [] : [pull(scene, accountId)];
    const center = centerOf(scene, rank, accountId);
    const bids = actionsFor("buy", scene, rank, center, orders, accountId);
    const asks = actionsFor("sell", scene, rank, center, orders, accountId);
    // The side that moves away acts first, so that the maker's orders never cross.
    return priceAt(scene, center) > middleOf(orders) ? [...asks, ...bids] : [...bids, ...asks];
  },
});

function ordersOf(scene: Scene, account: AccountId): readonly Order[] {
  const { marketId } = scene.market;
  return (scene.reads.account(account)?.openOrders ?? []).filter((order) => order.marketId === marketId);
}

function hasPulled(visit: Visit, rank: number): boolean {
  if (rank === 0 || guardPhase(visit) !== "last") return false;
  const print = visit.path.newestAt(visit.logicalMs);
  return happens(visit.draw(PULLS + rank * STREAMS, print), PULL_CHANCE);
}

const pull = ({ market: { marketId } }: Scene, accountId: AccountId): CrowdAction => ({
  accountId,
  transaction: { type: "CancelAllOrders", marketId },
});

function centerOf(scene: Scene, rank: number, account: AccountId): number {
  const { draw, height, opinion, flow } = scene;
  const orders = heldBy(scene, account) / Number(flow.takerSize);
  const own = (normalOf(draw, OPINIONS + rank * STREAMS, Math.floor(height / 50)) / NORMAL_UNIT) * OWN_PPM;
  return opinion.level + own - bounded(orders * LEAN_PPM, LEAN_PPM_MAX);
}

/** Millionths. If orders do not move the market, all times count as normal. */
function halfSpread(scene: Scene, rank: number): number {
  const { opinion, height, gapsPerBlock, flow } = scene;
  const usual = HEAT_GAPS * flow.impactBps * PPM_PER_BP;
  const heat = usual === 0 ? 1 : heatAt(opinion, height, gapsPerBlock) / usual;
  const restless = Math.min(RESTLESS, CALM + (1 - CALM) * heat);
  const guarded = guardPhase(scene) === "far" ? 1 : BEFORE_PRINT;
  return flow.halfSpreadBps * PPM_PER_BP * restless * guarded * (1 + rank * RANK_SHARE);
}

function actionsFor(
  side: Side,
  scene: Scene,
  rank: number,
  center: number,
  orders: readonly Order[],
  account: AccountId,
): readonly CrowdAction[] {
  const resting = orders
    .filter((order) => order.side === side)
    .sort((a, b) => Number(side === "buy" ? b.price - a.price : a.price - b.price));
  const actions: CrowdAction[] = [];
  for (const [level, slot] of slotsFor(side, scene, rank, center, resting[0]).entries()) {
    const order = resting[level];
    const action = order === undefined ? limitOrder(scene, account, slot, "GTC") : moved(scene, account, order, slot);
    if (action !== undefined) actions.push(action);
  }
  return actions;
}

function slotsFor(side: Side, scene: Scene, rank: number, center: number, first: Order | undefined): readonly Slot[] {
  const { tickSize } = scene.market;
  const limit = passiveLimit(side, scene);
  const half = halfSpread(scene, rank);
  const isBetter = (one: Price, other: Price) => (side === "buy" ? one > other : one < other);
  return LEVELS.map(({ away, sizeFactor }, level) => {
    const own = onTick(priceAt(scene, center - signOf(side) * away * half), tickSize, side);
    const target = level === 0 ? (outbid(side, scene, center, half, first) ?? own) : own;
    const wanted = isBetter(own, target) ? own : target;
    const at = limit !== undefined && isBetter(wanted, limit) ? limit : wanted;
    const tolerance = Math.max(TOLERANCE_PPM, away * half * TOLERANCE_SHARE);
    return { side, price: at, size: times(scene.flow.takerSize, sizeFactor), tolerance };
  });
}

/** One tick better than another maker's best, if enough of the half-spread is left; undefined if the best is its own. */
function outbid(side: Side, scene: Scene, center: number, half: number, first: Order | undefined): Price | undefined {
  const { bestBid, bestAsk, tickSize } = scene.market;
  const best = side === "buy" ? bestBid : bestAsk;
  if (best === null || best === first?.price) return undefined;
  const better = price(side === "buy" ? best + tickSize : best - tickSize);
  const left = (center - levelOf(scene, better)) * signOf(side);
  return left >= half * UNDERCUT_SHARE ? better : undefined;
}

/** The most aggressive price that does not take: one tick from the other side's best; undefined if that side is empty. */
function passiveLimit(side: Side, { market }: Scene): Price | undefined {
  const facing = side === "buy" ? market.bestAsk : market.bestBid;
  if (facing === null) return undefined;
  const limit = side === "buy" ? facing - market.tickSize : facing + market.tickSize;
  return limit > 0n ? price(limit) : undefined;
}

/** Undefined if the order can stay. The new size is the total size: the filled part plus the slot's size. */
function moved(scene: Scene, accountId: AccountId, order: Order, slot: Slot): CrowdAction | undefined {
  const off = Math.abs(levelOf(scene, order.price) - levelOf(scene, slot.price));
  const thin = order.remainingSize * 2n < slot.size;
  const thick = order.remainingSize > slot.size;
  if (off <= slot.tolerance && !thin && !thick) return undefined;
  const newSize = thin || thick ? size(order.filledSize + slot.size) : null;
  const newPrice = order.price === slot.price ? null : slot.price;
  return { accountId, transaction: { type: "ModifyOrder", orderId: order.orderId, newPrice, newSize } };
}

/** Mean of the best orders of both sides; 0 if one side is empty. */
function middleOf(orders: readonly Order[]): bigint {
  const bids = orders.filter((order) => order.side === "buy").map((order) => order.price);
  const asks = orders.filter((order) => order.side === "sell").map((order) => order.price);
  if (bids.length === 0 || asks.length === 0) return 0n;
  const highest = bids.reduce((a, b) => (a > b ? a : b));
  const lowest = asks.reduce((a, b) => (a < b ? a : b));
  return (highest + lowest) / 2n;
}
