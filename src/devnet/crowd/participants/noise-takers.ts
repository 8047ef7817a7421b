// The noise: orders for reasons of their own, worked in pieces, of any size. Each pays up to so many basis points from what everybody
// takes for fair: most few, some many.

import { exponentialOf, happens, sizeFactor, times } from "../draws.ts";
import { type Participant, PPM_PER_BP, sideOf, take, type Visit } from "../scene.ts";

const REACHES = 1000;
const SIZES = 1001;
const THINNED = 1003;

/** Of the noise's rate: those who know come on top of it up to one half of all; beyond it they take its place. */
const shareKept = (informedShare: number): number => (informedShare <= 0.5 ? 1 : (1 - informedShare) / informedShare);

/** Counters of the orders of block `height`: no block has more than sixteen. */
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
