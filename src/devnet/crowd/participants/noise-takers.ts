// Noise takers: uninformed orders of any size, executed in pieces. Each pays up to some basis points from the common fair price: most pay
// little, some much.

import { exponentialOf, happens, sizeFactor, times } from "../draws.ts";
import { type Participant, PPM_PER_BP, sideOf, take, type Visit } from "../scene.ts";

const REACHES = 1000;
const SIZES = 1001;
const THINNED = 1003;

/** Share of noise orders that remain: informed traders come in addition up to half of all orders; beyond that they replace noise. */
const shareKept = (informedShare: number): number => (informedShare <= 0.5 ? 1 : (1 - informedShare) / informedShare);

/** Counter of an order of block `height`: a block has at most sixteen. */
const counterOf = ({ height }: Visit, order: number): number => height * 16 + order;

export const noiseTakers: Participant = {
  name: "noise",
  comes: ({ opinion }) => opinion.arrivals.sides.length > 0,
  act(scene, account) {
    const { draw, flow, opinion } = scene;
    const kept = shareKept(flow.informedShare);
    return opinion.arrivals.sides.flatMap((sign, order) => {
      const counter = counterOf(scene, order);
      if (!happens(draw(THINNED, counter), kept)) return [];
      const reach = exponentialOf(draw(REACHES, counter)) * flow.reachBps * PPM_PER_BP;
      const size = times(flow.takerSize, sizeFactor(draw, SIZES, counter));
      return [take(scene, account, sideOf(sign), opinion.level + sign * reach, size)];
    });
  },
};
