// Those who know the index between its prints. Informed takers come all day, snipers in the guard window before a print and as it comes
// out, before most makers have moved. They trade when value leaves the touch by more than the fee.

import type { AccountId } from "../../../domain/units.ts";
import { happens, NORMAL_UNIT, normalOf, sizeFactor, times } from "../draws.ts";
import { newsAt } from "../hidden-value.ts";
import {
  bargain,
  guardPhase,
  type Participant,
  PPM_PER_BP,
  type Scene,
  signOf,
  take,
  takerFeePpm,
  type Visit,
} from "../scene.ts";

/** Streams after the first of each kind: error of the estimate, size. */
const ESTIMATES = 1;
const SIZES = 2;
/** Error of an estimate: 1 bp. */
const ESTIMATE_PPM = 100;
/** How often a sniper is faster than the makers as a print comes out. */
const FIRST_AT_PRINT = 0.7;
/** Snipers by phase, of the informed takers' rate. */
const SNIPERS_BY_PHASE = { far: 0, guard: 5, last: 16 };

/** Snipers go by what the print will tell. */
const printedValue = ({ path, logicalMs }: Visit): number => path.levelAt(logicalMs);

/** The hidden value now, a level: news that no print tells count, too. */
const hiddenValue = (visit: Visit): number =>
  printedValue(visit) + newsAt(visit.draw, visit.height * visit.gapsPerBlock) * visit.flow.newsBps * PPM_PER_BP;

/** Those who know, for each noise order. */
const rateOf = ({ flow: { informedShare: share } }: Visit): number => (share < 0.5 ? share / (1 - share) : 1);

type Kind = { readonly stream: number; readonly value: (visit: Visit) => number; readonly typicals: number };
/** Sizes in typical orders: who knows trades more, and most when time runs out. */
const INFORMED: Kind = { stream: 1100, value: hiddenValue, typicals: 1.5 };
const SNIPERS: Kind = { stream: 1110, value: printedValue, typicals: 3 };

function takeValue(scene: Scene, account: AccountId, { stream, value, typicals }: Kind) {
  const { draw, height, flow } = scene;
  const fee = takerFeePpm(scene);
  const error = (normalOf(draw, stream + ESTIMATES, height) / NORMAL_UNIT) * ESTIMATE_PPM;
  const estimate = value(scene) + error;
  const side = bargain(scene, estimate, fee + PPM_PER_BP);
  if (side === undefined) return [];
  const size = times(flow.takerSize, typicals * sizeFactor(draw, stream + SIZES, height));
  return [take(scene, account, side, estimate - signOf(side) * fee, size)];
}

export const informedTakers: Participant = {
  name: "informed",
  comes: (visit) => happens(visit.draw(INFORMED.stream, visit.height), rateOf(visit) * visit.gapsPerBlock),
  act: (scene, account) => takeValue(scene, account, INFORMED),
};

export const snipers: Participant = {
  name: "sniper",
  comes(visit) {
    const { draw, height, opinion, gapsPerBlock } = visit;
    const rate = rateOf(visit);
    if (opinion.printHeight === height && height > 0)
      return rate > 0 && happens(draw(SNIPERS.stream, height), FIRST_AT_PRINT);
    return happens(draw(SNIPERS.stream, height), SNIPERS_BY_PHASE[guardPhase(visit)] * rate * gapsPerBlock);
  },
  act: (scene, account) => takeValue(scene, account, SNIPERS),
};
