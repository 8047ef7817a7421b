// One market as the crowd sees it when a block opens, and what everybody in it computes with: prices moved by millionths.

import type { Market } from "../../domain/market.ts";
import { snapToTick } from "../../domain/rounding.ts";
import { type AccountId, type Price, price, type Side, type Size } from "../../domain/units.ts";
import { plainTerms } from "../../wire/transaction/trading.ts";
import type { ChainReads } from "../chain/reads.ts";
import type { CrowdAction } from "../chain/sources.ts";
import type { IndexPath } from "./index-path.ts";
import { opinionPpm } from "./index-regimes.ts";
import type { Draw } from "./noise.ts";

/** A block by its number: logical time = height x block time. */
export type Moment = { readonly height: number; readonly logicalMs: number; readonly blockTimeMs: number };

export type Scene = Moment & {
  readonly market: Market;
  readonly reads: ChainReads;
  readonly draw: Draw;
  /** What the last two prints promise for now, relative to the last one; millionths. */
  readonly expectedPpm: number;
  /** What the next print, known to the informed, makes of now, relative to the last one; millionths. */
  readonly truePpm: number;
};

const PPM = 1_000_000;
/** However far an index jumps, the crowd expects no next print further than this from the last: 30 bps. */
const EXPECTED_PPM_MAX = 3000;

export type SceneModules = {
  readonly reads: ChainReads;
  readonly draw: Draw;
  readonly path: IndexPath;
};

export function sceneOf(at: Moment & Pick<Scene, "market">, modules: SceneModules): Scene {
  const { path, reads, draw } = modules;
  const newest = path.newestAt(at.logicalMs);
  const last = path.printAt(newest);
  const before = newest > 0 ? path.printAt(newest - 1) : undefined;
  const next = path.printAt(newest + 1);
  const along = path.printEveryMs === null ? 0 : at.logicalMs / path.printEveryMs - newest;
  const trend = path.autocorrelation * movedPpm(before, last);
  const expected = Math.max(-EXPECTED_PPM_MAX, Math.min(EXPECTED_PPM_MAX, trend));
  return { ...at, reads, draw, expectedPpm: expected * along, truePpm: movedPpm(last, next) * along };
}

/** Where a voice of the crowd sees the fair price now: the index, what its last prints promise, and opinion. */
export function fairPrice(scene: Scene, voice: number): Price {
  const common = opinionPpm(scene.draw, scene.logicalMs, 0);
  const own = voice === 0 ? 0 : opinionPpm(scene.draw, scene.logicalMs, voice) / 4;
  return movedBy(scene.market.oraclePrice, scene.expectedPpm + common + own);
}

/** The price moved by millionths of itself, rounded to the nearest of them; at least 1. */
export function movedBy(from: Price, ppm: number): Price {
  const moved = (from * BigInt(PPM + Math.round(ppm))) / BigInt(PPM);
  return price(moved > 0n ? moved : 1n);
}

/** On the tick, down for a buy and up for a sell, never below one tick. */
export function onTick(at: Price, tickSize: Price, side: Side): Price {
  const snapped = snapToTick(at, tickSize, side);
  return snapped > 0n ? snapped : tickSize;
}

function movedPpm(from: Price | undefined, to: Price | undefined): number {
  if (from === undefined || to === undefined) return 0;
  return Number(((to - from) * BigInt(PPM)) / from);
}

/** A limit order that rests (`GTC`, post-only) or fills at once or never (`IOC`). */
export function limitOrder(
  { market: { marketId } }: Scene,
  accountId: AccountId,
  { side, price, size }: { readonly side: Side; readonly price: Price; readonly size: Size },
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
