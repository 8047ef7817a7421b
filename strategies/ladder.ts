// Levels of decreasing size on a grid around a center that moves only when fair value is far enough from it: most orders keep their queue
// position, and daily actions stay within a budget. Skews against the inventory by distance and size.

import {
  bps,
  centerParam,
  centerReads,
  contracts,
  contractsOf,
  count,
  defineStrategy,
  exp,
  fairValueUsd,
  fillModel,
  fraction,
  type Level,
  lastKnown,
  levelQuotes,
  modelDrifts,
  modelParams,
  noQuotes,
  reduceWhileThin,
  sizeFromContracts,
  skewInventory,
  usdOf,
  type View,
} from "quoin/strategy";
import { z } from "zod";

/**
 * How far fair value may leave the center before the quotes follow, USD. Following at `theta` costs about (k theta)^2 / 12 of the edge, so
 * half of 1 / k costs 2 %. A price of deviation `sigma`, USD per square root second, leaves it sigma^2 / theta^2 times per second, with
 * `actionsPerMove` actions each time. The part of the daily action budget that `fillsPerDay` leaves bounds theta from below.
 */
export function hysteresisUsd(options: {
  readonly tickUsd: number;
  readonly sigma: number;
  readonly k: number;
  readonly actionsPerMove: number;
  readonly budgetPerDay: number | null;
  readonly fillsPerDay: number;
}): number {
  const { tickUsd, sigma, k, actionsPerMove, budgetPerDay, fillsPerDay } = options;
  const cheap = Math.max(tickUsd, 0.5 / k);
  if (budgetPerDay === null) return cheap;
  const left = Math.max(budgetPerDay - fillsPerDay, budgetPerDay * MOVES_SHARE_MIN);
  return Math.max(cheap, sigma * Math.sqrt((DAY_SEC * actionsPerMove) / left));
}

const DAY_SEC = 86_400;
/** Share of the budget kept for moves, however often we are filled. */
const MOVES_SHARE_MIN = 0.1;

const params = z.strictObject({
  size: contracts("Size of the first level."),
  levels: count(1, 20, "Levels a side. Default 3.").default(3),
  sizeDecay: fraction(0, 5).describe("Level i has size x exp(-sizeDecay i). Default 0.3; from 0 to 5.").default(0.3),
  halfSpreadBps: bps(0.1, 5000, "Distance of the first level from the center."),
  stepBps: bps(0.1, 5000, "Distance between levels. Default 5.").default(5),
  maxInventory: contracts("Position at which the side that adds to it stops."),
  skew: fraction(0, 1)
    .describe(
      "At maxInventory the side that adds stands (1 + skew) times as far, the other (1 - skew). Default 0.5; from 0 to 1.",
    )
    .default(0.5),
  sizeSkew: fraction(0, 1)
    .describe("At maxInventory the side that adds has (1 - sizeSkew) of its sizes. Default 0.5; from 0 to 1.")
    .default(0.5),
  gridTicks: count(1, 10_000, "Prices are multiples of so many ticks. Default 1.").default(1),
  hysteresisBps: bps(
    0,
    1000,
    "How far fair value may leave the center before the quotes follow. Default: the largest of a tick, half of depthBps and what actionsPerDay asks for.",
  ).optional(),
  actionsPerDay: count(
    1,
    10_000_000,
    "Budget of actions a day, from which hysteresis follows. Default: none.",
  ).optional(),
  ...modelParams,
  center: centerParam,
});

type Params = z.output<typeof params>;

/** Fair value when the quotes last followed it, USD. */
type Memory = { centerUsd: number | null };

/** USD by which fair value may leave the center. */
function reachUsd(view: View, given: Params, fair: number, tickUsd: number): number {
  if (given.hysteresisBps !== undefined) return (fair * given.hysteresisBps) / 10_000;
  const { sigma, intensityA, intensityK: k } = fillModel(view, given, fair);
  const fillsPerSec = 2 * intensityA * exp((-k * fair * given.halfSpreadBps) / 10_000);
  return hysteresisUsd({
    tickUsd,
    sigma,
    k,
    actionsPerMove: 2 * given.levels,
    budgetPerDay: given.actionsPerDay ?? null,
    fillsPerDay: DAY_SEC * fillsPerSec,
  });
}

export const strategy = defineStrategy({
  name: "ladder",
  summary: "Levels of decaying size on a grid, around a center that follows fair value within a budget of actions.",
  params,
  start: (): Memory => ({ centerUsd: null }),
  reads: centerReads,
  drifts: modelDrifts,
  quote(view: View, given: Params, memory: Memory) {
    const fair = fairValueUsd(view, given.center, given.size);
    const market = lastKnown(view.market);
    if (fair === undefined || market === undefined) return noQuotes("the fair value is unknown");
    const tickUsd = usdOf(market.tickSize);
    const { centerUsd } = memory;
    const reach = reachUsd(view, given, fair, tickUsd);
    const around = centerUsd === null || Math.abs(fair - centerUsd) >= reach ? fair : centerUsd;
    memory.centerUsd = around;
    const held = skewInventory(view) / contractsOf(given.maxInventory);
    const leaning = Math.min(Math.max(held, -1), 1);
    // Fair value may be anywhere within reach of the center: a closer level could be on its wrong side.
    const halfSpreadUsd = Math.max((around * given.halfSpreadBps) / 10_000, reach);
    const gridUsd = tickUsd * given.gridTicks;
    const side = (sign: 1 | -1) => sideLevels(given, { around, halfSpreadUsd, gridUsd, sign, adding: -sign * leaning });
    const quotes = levelQuotes(view, {
      fairValueUsd: fair,
      bids: side(-1),
      asks: side(1),
      maxInventory: given.maxInventory,
    });
    return reduceWhileThin(view, given, quotes);
  },
});

type Place = {
  /** All in USD. */
  readonly around: number;
  readonly halfSpreadUsd: number;
  readonly gridUsd: number;
  /** +1 for asks. */
  readonly sign: 1 | -1;
  /** How full the inventory is in the direction to which this side adds, -1 to 1; negative if it reduces. */
  readonly adding: number;
};

function sideLevels(given: Params, { around, halfSpreadUsd, gridUsd, sign, adding }: Place): readonly Level[] {
  const stepUsd = (around * given.stepBps) / 10_000;
  const first = contractsOf(given.size) * (1 - given.sizeSkew * Math.max(0, adding));
  const levels: Level[] = [];
  for (let level = 0; level < given.levels; level += 1) {
    const wanted = around + sign * (halfSpreadUsd + level * stepUsd) * (1 + given.skew * adding);
    const snapped = snapOutward(wanted, gridUsd, sign);
    const behind = (levels.at(-1)?.usd ?? snapped - sign * gridUsd) + sign * gridUsd;
    levels.push({
      usd: sign < 0 ? Math.min(snapped, behind) : Math.max(snapped, behind),
      size: sizeFromContracts(first * exp(-given.sizeDecay * level)),
    });
  }
  return levels;
}

/** Float tolerance: a remainder below this share of a step counts as none. */
const ON_GRID = 1e-6;

const snapOutward = (usd: number, gridUsd: number, sign: 1 | -1): number =>
  (sign < 0 ? Math.floor(usd / gridUsd + ON_GRID) : Math.ceil(usd / gridUsd - ON_GRID)) * gridUsd;
