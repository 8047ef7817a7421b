// Those who know the next print. They trade for reasons of their own, as the noise does, and take the side that pays once the print is
// out. Informed takers come all day; snipers come in the guard window before a print, and first as it comes out, before the makers have
// moved.

import type { AccountId } from "../../../domain/units.ts";
import { exponentialOf, happens, NORMAL_UNIT, normalOf, sizeFactor, times } from "../draws.ts";
import {
  bargain,
  guardPhase,
  knowersOf,
  type Participant,
  PPM_PER_BP,
  type Scene,
  sideOf,
  signOf,
  take,
  takerFeePpm,
} from "../scene.ts";

/** Streams after the first of each kind: error of the estimate, size, reach. */
const ESTIMATES = 1;
const SIZES = 2;
const REACHES = 4;
/** Error of an estimate: 1 bp. */
const ESTIMATE_PPM = 100;
/** How often a sniper is faster than the makers as a print comes out. */
const FIRST_AT_PRINT = 0.7;
/** Snipers by phase, of the informed takers' rate. */
const SNIPERS_BY_PHASE = { far: 0, guard: 5, last: 16 };

type Kind = { readonly stream: number; readonly typicals: number };
/** Sizes in typical orders: who knows trades more, and most when time runs out. */
const INFORMED: Kind = { stream: 1100, typicals: 1.5 };
const SNIPERS: Kind = { stream: 1110, typicals: 3 };

/**
 * Their side is that of what the next print will tell beyond what the market expects; they pay what the noise pays, or all that their
 * value leaves of the fee.
 */
function takeValue(scene: Scene, account: AccountId, { stream, typicals }: Kind) {
  const { draw, height, flow, opinion, carry, logicalMs } = scene;
  const fee = takerFeePpm(scene);
  const known = carry.knownAt(logicalMs);
  const error = (normalOf(draw, stream + ESTIMATES, height) / NORMAL_UNIT) * ESTIMATE_PPM;
  const news = known - opinion.fair + error * carry.keptAt(logicalMs);
  const side = bargain(scene, known, fee + PPM_PER_BP) ?? sideOf(news);
  const reach = exponentialOf(draw(stream + REACHES, height)) * flow.reachBps * PPM_PER_BP;
  const most = Math.max(reach, (known - opinion.level) * signOf(side) - fee);
  const size = times(flow.takerSize, typicals * sizeFactor(draw, stream + SIZES, height));
  return [take(scene, account, side, opinion.level + signOf(side) * most, size)];
}

export const informedTakers: Participant = {
  name: "informed",
  comes: ({ draw, height, flow, gapsPerBlock }) =>
    happens(draw(INFORMED.stream, height), knowersOf(flow) * gapsPerBlock),
  act: (scene, account) => takeValue(scene, account, INFORMED),
};

export const snipers: Participant = {
  name: "sniper",
  comes(visit) {
    const { draw, height, opinion, gapsPerBlock } = visit;
    const rate = knowersOf(visit.flow);
    if (opinion.printHeight === height && height > 0)
      return rate > 0 && happens(draw(SNIPERS.stream, height), FIRST_AT_PRINT);
    return happens(draw(SNIPERS.stream, height), SNIPERS_BY_PHASE[guardPhase(visit)] * rate * gapsPerBlock);
  },
  act: (scene, account) => takeValue(scene, account, SNIPERS),
};
