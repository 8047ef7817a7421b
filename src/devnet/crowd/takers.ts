// Takers: the noise, who trade for reasons of their own, and the informed, who know the next print and trade when it pays.
// Arrivals are Poisson within a block, at a rate that clusters; every order is a limit order that fills at once or never.

import { inventoryOf } from "../../domain/account.ts";
import type { Book } from "../../domain/book.ts";
import { feeTierFor } from "../../domain/fees.ts";
import { type AccountId, BPS, type Price, type Side, type Size, usdc } from "../../domain/units.ts";
import type { CrowdAction } from "../chain/sources.ts";
import type { FlowConfig } from "../config/config.ts";
import { fairPrice, limitOrder, type Moment, movedBy, onTick, type Scene } from "./crowd-view.ts";
import { bustle, lean } from "./index-regimes.ts";
import { type Draw, drawnSize, happens, NORMAL_UNIT, normalOf, signedUnit } from "./noise.ts";

export type TakerFlow = Pick<Extract<FlowConfig, { enabled: true }>, "informedShare" | "takerSize">;

const ARRIVALS = 1;
const KINDS = 2;
const SIDES = 3;
const SIZES = 4;
const ESTIMATES = 5;
/** Streams of one taker within a block lie this far apart. */
const STREAMS_PER_TAKER = 8;
const TAKER_STREAMS = 10_000;
/** More than this in one block is a misconfigured rate, not a market. */
const TAKERS_PER_BLOCK_MAX = 16;
/** The noise pays up to 50 bps from what it thinks fair, and no fool's price. */
const NOISE_REACH_PPM = 5000;
/** Inventory at which the noise is sure to turn around, in typical orders: keeps it, and so everybody else, near flat over days. */
const NOISE_TURN = 200n;
/** Error of an informed taker's estimate: 1 bp. */
const ESTIMATE_PPM = 100;
const PPM_PER_BP = 100;
/** Size of an informed order in typical ones: who knows trades more. */
const INFORMED_FACTOR = 2n;

export type TakerAccounts = { readonly noise: AccountId; readonly informed: AccountId };

/** The orders of a block's `count` takers in one market, in the order in which they arrive. */
export function takerActions(
  scene: Scene,
  count: number,
  flow: TakerFlow,
  accounts: TakerAccounts,
): readonly CrowdAction[] {
  const actions: CrowdAction[] = [];
  for (let taker = 0; taker < count; taker += 1) {
    const informed = happens(drawnFor(scene, taker, KINDS), flow.informedShare);
    const action = informed
      ? informedAction(scene, taker, flow.takerSize, accounts.informed)
      : noiseAction(scene, taker, flow.takerSize, accounts.noise);
    if (action !== undefined) actions.push(action);
  }
  return actions;
}

/** How many takers come in one block: the whole part of the expected number, and one more with the probability of the rest. */
export function arrivals(draw: Draw, moment: Moment, ratePerSec: number): number {
  const expected = (ratePerSec * moment.blockTimeMs * bustle(draw, moment.logicalMs)) / 1000;
  const whole = Math.floor(expected);
  const more = happens(draw(TAKER_STREAMS + ARRIVALS, moment.height), expected - whole) ? 1 : 0;
  return Math.min(whole + more, TAKERS_PER_BLOCK_MAX);
}

function noiseAction(scene: Scene, taker: number, typical: Size, account: AccountId): CrowdAction {
  const held = inventoryIn(scene, account);
  const pull = Number(held) / Number(typical * NOISE_TURN);
  const side: Side =
    signedUnit(drawnFor(scene, taker, SIDES)) < lean(scene.draw, scene.logicalMs) - pull ? "buy" : "sell";
  const reach = side === "buy" ? NOISE_REACH_PPM : -NOISE_REACH_PPM;
  const limit = movedBy(fairPrice(scene, 0), reach);
  return immediate(scene, account, side, limit, drawnSize(typical, drawnFor(scene, taker, SIZES)));
}

/**
 * Trades only if |V - price| > fee + spread (research/strategies.md 4): V is the index on its way to the next print, seen with an
 * error.
 */
function informedAction(scene: Scene, taker: number, typical: Size, account: AccountId): CrowdAction | undefined {
  const book = scene.reads.book(scene.market.marketId, 1);
  const feeBps = feeTierFor(scene.reads.feeTiers(), scene.market.assetClass, usdc(0n))?.takerFeeBps ?? 0;
  const stream = TAKER_STREAMS + taker * STREAMS_PER_TAKER + ESTIMATES;
  const error = (normalOf(scene.draw, stream, scene.height) / NORMAL_UNIT) * ESTIMATE_PPM;
  const value = movedBy(scene.market.oraclePrice, scene.truePpm + error);
  const side = book && bargain(book, value, feeBps);
  if (side === undefined) return undefined;
  const worst = movedBy(value, side === "buy" ? -feeBps * PPM_PER_BP : feeBps * PPM_PER_BP);
  const bits = drawnFor(scene, taker, SIZES);
  return immediate(scene, account, side, worst, drawnSize((typical * INFORMED_FACTOR) as Size, bits));
}

function bargain(book: Book, value: Price, feeBps: number): Side | undefined {
  const bid = book.bids[0]?.price;
  const ask = book.asks[0]?.price;
  if (bid === undefined || ask === undefined) return undefined;
  const cost = (value * BigInt(feeBps)) / BPS + (ask - bid);
  if (value - ask > cost) return "buy";
  return bid - value > cost ? "sell" : undefined;
}

function immediate(scene: Scene, accountId: AccountId, side: Side, limit: Price, size: Size): CrowdAction {
  return limitOrder(scene, accountId, { side, price: onTick(limit, scene.market.tickSize, side), size }, "IOC");
}

function inventoryIn(scene: Scene, account: AccountId): Size {
  const positions = scene.reads.account(account)?.positions;
  return inventoryOf(positions?.find((position) => position.marketId === scene.market.marketId));
}

const drawnFor = (scene: Scene, taker: number, purpose: number): number =>
  scene.draw(TAKER_STREAMS + taker * STREAMS_PER_TAKER + purpose, scene.height);
