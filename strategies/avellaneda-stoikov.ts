// Avellaneda and Stoikov 2008: quotes around a reservation price that moves against the inventory, by the risk of holding it until a
// horizon. The spread does not depend on the inventory.

import {
  boundedHalfSpread,
  count,
  defineStrategy,
  fairValueUsd,
  fillModel,
  fillModelParams,
  fillModelRules,
  inventoryLots,
  inventoryStdLots,
  ladderQuotes,
  lastKnown,
  leanOf,
  ln,
  modelDrifts,
  modelReads,
  noQuotes,
  reduceWhileThin,
  type View,
} from "quoin/strategy";
import { z } from "zod";

/** In one set of units: USD, seconds, lots. `sigma` per square root second, `k` per USD, `gamma` per USD and lot, all above zero. */
export type Situation = {
  readonly mid: number;
  /** Signed. */
  readonly inventory: number;
  readonly gamma: number;
  readonly sigma: number;
  readonly k: number;
  /** Time until the horizon, 0 or more. */
  readonly timeLeft: number;
};

/** Equations 8 and 30 of the paper: `spread` is the whole distance between bid and ask. */
export function optimalQuotes({ mid, inventory, gamma, sigma, k, timeLeft }: Situation) {
  const risk = gamma * sigma ** 2 * timeLeft;
  const reservationPrice = mid - inventory * risk;
  const ratio = gamma / k;
  // For a small ratio ln(1 + ratio) loses precision; its series does not.
  const spread = risk + (2 / gamma) * (ratio < 1e-8 ? ratio - ratio ** 2 / 2 : ln(1 + ratio));
  return { reservationPrice, spread, bid: reservationPrice - spread / 2, ask: reservationPrice + spread / 2 };
}

/**
 * Risk aversion that keeps the inventory's standard deviation at `stdLots` with a rolling horizon: fills at exponential rates around a skew
 * of c per lot give the distribution exp(-k c q^2), so c = gamma sigma^2 timeLeft = 1 / (2 k std^2).
 */
export const gammaForInventory = (sigma: number, k: number, timeLeft: number, stdLots: number): number =>
  1 / (2 * k * stdLots ** 2 * sigma ** 2 * timeLeft);

const params = z
  .strictObject({
    ...fillModelParams,
    horizonSec: count(
      1,
      2_592_000,
      "How far ahead the risk of the inventory is counted, seconds. Default 3600.",
    ).default(3600),
    horizon: z
      .enum(["rolling", "session"])
      .default("rolling")
      .describe(
        "rolling: always horizonSec ahead; session: until the end of the current session of horizonSec. Default rolling.",
      ),
    sessionStartSec: count(
      0,
      2_592_000,
      "Seconds after midnight UTC at which a session starts; the next one follows at its end. Default 0.",
    ).default(0),
  })
  .superRefine(fillModelRules);

type Params = z.output<typeof params>;

/** Seconds until the horizon; undefined if the horizon is a session's end and the chain's time is unknown. */
function timeLeftSec(view: View, { horizon, horizonSec, sessionStartSec }: Params): number | undefined {
  if (horizon === "rolling") return horizonSec;
  const chain = lastKnown(view.chain);
  if (chain === undefined) return undefined;
  const sinceStart = (chain.timeMs / 1000 - sessionStartSec) % horizonSec;
  return horizonSec - (sinceStart < 0 ? sinceStart + horizonSec : sinceStart);
}

export const strategy = defineStrategy({
  name: "avellaneda-stoikov",
  summary: "Spread and reservation price of Avellaneda and Stoikov, to a rolling horizon or the end of a session.",
  params,
  start: () => null,
  reads: modelReads,
  drifts: (view, given) => [timeLeftSec(view, given), ...modelDrifts(view)],
  quote(view: View, given: Params) {
    const mid = fairValueUsd(view, given.center, given.size);
    if (mid === undefined) return noQuotes("the fair value is unknown");
    const timeLeft = timeLeftSec(view, given);
    if (timeLeft === undefined) return noQuotes("the time of the chain is unknown");
    const { sigma, slowSigma, intensityK: k } = fillModel(view, given, mid);
    const gamma = given.gamma ?? gammaForInventory(slowSigma, k, given.horizonSec, inventoryStdLots(given));
    const inventory = inventoryLots(view, given.size);
    const { reservationPrice, spread } = optimalQuotes({ mid, inventory, gamma, sigma, k, timeLeft });
    const halfSpread = boundedHalfSpread(view, given, mid, spread / 2);
    const { scale, ...lean } = leanOf(view, given);
    const leanUsd = scale * (mid - reservationPrice);
    const quotes = ladderQuotes(view, {
      fairValueUsd: mid,
      bidDepthUsd: halfSpread + leanUsd,
      askDepthUsd: halfSpread - leanUsd,
      stepUsd: (mid * given.stepBps) / 10_000,
      levels: given.levels,
      size: given.size,
      maxInventory: given.maxInventory,
    });
    return reduceWhileThin(view, given, { ...quotes, ...lean });
  },
});
