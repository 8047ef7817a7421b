// One market as the crowd sees it when a block opens, and shared calculations in levels: logarithms of a price's ratio to print 0, in
// millionths.

import { feeTierFor } from "../../domain/fees.ts";
import type { Market } from "../../domain/market.ts";
import { snapToTick } from "../../domain/rounding.ts";
import { type AccountId, type Price, price, type Side, type Size, usdc } from "../../domain/units.ts";
import { exp, ln } from "../../kernel/real.ts";
import { plainTerms } from "../../wire/transaction/trading.ts";
import type { ChainReads } from "../chain/reads.ts";
import type { CrowdAction } from "../chain/sources.ts";
import type { FlowSettings } from "../config/config.ts";
import type { Carry } from "./carry.ts";
import type { Draw } from "./draws.ts";
import type { IndexPath } from "./index-path.ts";
import type { Opinion } from "./memory.ts";

/** A block (logical time = height x block time) in one market, before any read. */
export type Visit = {
  readonly height: number;
  readonly logicalMs: number;
  readonly blockTimeMs: number;
  /** Mean gaps between noise orders per block; the pace of all participants. */
  readonly gapsPerBlock: number;
  readonly draw: Draw;
  readonly path: IndexPath;
  readonly carry: Carry;
  readonly opinion: Opinion;
  readonly flow: FlowSettings;
};

export type Scene = Visit & { readonly market: Market; readonly reads: ChainReads };

/** One kind of counterparty, with its own account. */
export type Participant = {
  /** Used in the name of its account. */
  readonly name: string;
  /** Whether it acts in this block; called for every block, so it must not read the chain. */
  readonly comes: (visit: Visit, account: AccountId) => boolean;
  readonly act: (scene: Scene, account: AccountId) => readonly CrowdAction[];
};

export const PPM = 1_000_000;
export const PPM_PER_BP = 100;
/** Guard window before a print, in which snipers come and makers widen: 30 minutes of a day. */
const GUARD_SHARE = 1 / 48;
/** The last minutes of that window: three of a day. */
const LAST_SHARE = 1 / 480;

/** How near the next print is. */
export function guardPhase({ path, logicalMs }: Visit): "far" | "guard" | "last" {
  if (path.printEveryMs === null) return "far";
  const leftMs = path.dueMs(path.newestAt(logicalMs) + 1) - logicalMs;
  if (leftMs > path.printEveryMs * GUARD_SHARE) return "far";
  return leftMs > path.printEveryMs * LAST_SHARE ? "guard" : "last";
}

export function priceAt({ path }: Visit, level: number): Price {
  const first = Number(path.printAt(0) ?? 1n);
  return price(BigInt(Math.max(1, Math.round(first * exp(level / PPM)))));
}

export function levelOf({ path }: Visit, at: Price): number {
  return ln(Number(at) / Number(path.printAt(0) ?? at)) * PPM;
}

/** Rounds to the tick, down for a buy and up for a sell, never below one tick. */
export function onTick(at: Price, tickSize: Price, side: Side): Price {
  const snapped = snapToTick(at, tickSize, side);
  return snapped > 0n ? snapped : tickSize;
}

/** Informed traders per noise order: in addition to the noise, up to half of all orders. */
export const knowersOf = ({ informedShare: share }: Pick<FlowSettings, "informedShare">): number =>
  share < 0.5 ? share / (1 - share) : 1;

/** Fee of a taker without volume, millionths. */
export function takerFeePpm({ reads, market }: Scene): number {
  return (feeTierFor(reads.feeTiers(), market.assetClass, usdc(0n))?.takerFeeBps ?? 0) * PPM_PER_BP;
}

/** The side on which the touch is better than `value` by more than `costPpm`; undefined if neither is, or a side is empty. */
export function bargain(scene: Scene, value: number, costPpm: number): Side | undefined {
  const { bestBid, bestAsk } = scene.market;
  if (bestBid === null || bestAsk === null) return undefined;
  if (value - levelOf(scene, bestAsk) > costPpm) return "buy";
  return levelOf(scene, bestBid) - value > costPpm ? "sell" : undefined;
}

/** +1 for buy, -1 for sell. */
export const signOf = (side: Side): number => (side === "buy" ? 1 : -1);
export const sideOf = (sign: number): Side => (sign > 0 ? "buy" : "sell");

export const heldBy = ({ opinion }: Visit, account: AccountId): number => opinion.held[`${account}`] ?? 0;

type Wanted = { readonly side: Side; readonly price: Price; readonly size: Size };

/** A limit order that rests (`GTC`, post-only) or fills at once or never (`IOC`). */
export function limitOrder(
  { market: { marketId } }: Scene,
  accountId: AccountId,
  { side, price, size }: Wanted,
  timeInForce: "GTC" | "IOC",
): CrowdAction {
  const terms = { ...plainTerms, reduceOnly: false, postOnly: timeInForce === "GTC", timeInForce };
  const transaction = {
    type: "PlaceOrder",
    accountId,
    marketId,
    side,
    orderType: "Limit",
    price,
    size,
    ...terms,
  } as const;
  return { accountId, transaction };
}

/** Takes resting orders up to `level`, once. */
export function take(scene: Scene, account: AccountId, side: Side, level: number, size: Size): CrowdAction {
  const at = onTick(priceAt(scene, level), scene.market.tickSize, side);
  return limitOrder(scene, account, { side, price: at, size }, "IOC");
}
