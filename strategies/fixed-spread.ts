// Fixed spread: the same distance on both sides of a center, in any number of levels, with optional skew against the inventory. The
// benchmark that every other strategy must beat.

import {
  bps,
  centerParam,
  centerReads,
  contracts,
  count,
  defineStrategy,
  fairValueUsd,
  ladderQuotes,
  noQuotes,
  reduceWhileThin,
  skewInventory,
  type View,
} from "quoin/strategy";
import { z } from "zod";

const params = z.strictObject({
  halfSpreadBps: bps(0.1, 5000, "Distance of the first level from the center."),
  size: contracts("Size of each level."),
  levels: count(1, 20, "Levels a side. Default 1.").default(1),
  stepBps: bps(0, 5000, "Distance between levels. Default 5.").default(5),
  skewBps: bps(0, 1000, "How far both sides move against each contract of inventory. Default 0.").default(0),
  maxInventory: contracts("Position at which the side that adds to it stops. Default: the guard's limit.").optional(),
  center: centerParam,
});

type Params = z.output<typeof params>;

export const strategy = defineStrategy({
  name: "fixed-spread",
  summary: "The same distance on both sides of a center.",
  params,
  start: () => null,
  reads: centerReads,
  drifts: () => [],
  quote(view: View, given: Params) {
    const fair = fairValueUsd(view, given.center, given.size);
    if (fair === undefined) return noQuotes("the fair value is unknown");
    const usd = (distanceBps: number) => (fair * distanceBps) / 10_000;
    const leanBps = given.skewBps * skewInventory(view);
    const quotes = ladderQuotes(view, {
      fairValueUsd: fair,
      bidDepthUsd: usd(given.halfSpreadBps + leanBps),
      askDepthUsd: usd(given.halfSpreadBps - leanBps),
      stepUsd: usd(given.stepBps),
      levels: given.levels,
      size: given.size,
      maxInventory: given.maxInventory ?? null,
    });
    return reduceWhileThin(view, given, quotes);
  },
});
