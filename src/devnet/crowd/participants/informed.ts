// Traders who know part of the news of coming prints and trade where that pays. Informed takers come all day; snipers come in the guard
// window before a print, and right after it, before the makers have moved.

import type { AccountId } from "../../../domain/units.ts";
import { happens, NORMAL_UNIT, normalOf, sizeFactor, times } from "../draws.ts";
import {
  bargain,
  guardPhase,
  knowersOf,
  type Participant,
  type Scene,
  signOf,
  take,
  takerFeePpm,
  type Visit,
} from "../scene.ts";

/** Offsets from the first stream of each kind: error of the estimate, size. */
const ESTIMATES = 1;
const SIZES = 2;
/** Standard deviation of an estimate's error: 1 bp. */
const ESTIMATE_PPM = 100;
/** Chance that a sniper is faster than the makers when a print is published. */
const FIRST_AT_PRINT = 0.7;
/** Rate of snipers by phase, as a multiple of the informed takers' rate. */
const SNIPERS_BY_PHASE = { far: 0, guard: 3, last: 8 };

type Kind = { readonly stream: number; readonly typicals: number };
/** Sizes in typical orders: informed traders trade larger, and largest just before a print. */
const INFORMED: Kind = { stream: 1100, typicals: 1.5 };
const SNIPERS: Kind = { stream: 1110, typicals: 3 };

/** Takes prices that differ from the estimated value by more than the fee, up to value minus fee. */
function takeValue(scene: Scene, account: AccountId, { stream, typicals }: Kind) {
  const { draw, height, flow, carry, logicalMs } = scene;
  const fee = takerFeePpm(scene);
  const error = (normalOf(draw, stream + ESTIMATES, height) / NORMAL_UNIT) * ESTIMATE_PPM;
  const value = carry.knownAt(logicalMs) + error * carry.keptAt(logicalMs);
  const side = bargain(scene, value, fee);
  if (side === undefined) return [];
  const size = times(flow.takerSize, typicals * sizeFactor(draw, stream + SIZES, height));
  return [take(scene, account, side, value - signOf(side) * fee, size)];
}

/** Arrivals per block. Informed takers come when noise comes, because noise hides them (Admati and Pfleiderer 1988). */
const rateOf = ({ flow, gapsPerBlock, opinion }: Visit): number =>
  knowersOf(flow) * gapsPerBlock * opinion.arrivals.busy;

export const informedTakers: Participant = {
  name: "informed",
  comes: (visit) => happens(visit.draw(INFORMED.stream, visit.height), rateOf(visit)),
  act: (scene, account) => takeValue(scene, account, INFORMED),
};

export const snipers: Participant = {
  name: "sniper",
  comes(visit) {
    const { draw, height, opinion } = visit;
    const rate = rateOf(visit);
    if (opinion.printHeight === height && height > 0)
      return rate > 0 && happens(draw(SNIPERS.stream, height), FIRST_AT_PRINT);
    return happens(draw(SNIPERS.stream, height), SNIPERS_BY_PHASE[guardPhase(visit)] * rate);
  },
  act: (scene, account) => takeValue(scene, account, SNIPERS),
};
