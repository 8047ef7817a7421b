// Basis traders: they know prints only, and trade the price back towards the value that the last print told, the sooner the further
// it has gone.

import { happens, sizeFactor, times } from "../draws.ts";
import { bargain, type Participant, PPM_PER_BP, signOf, take, takerFeePpm } from "../scene.ts";

const COMING = 1200;
const SIZES = 1201;
/** What they want beyond the fee, and where all of them have come. */
const WANTED_PPM = 8 * PPM_PER_BP;
const ALL_PPM = 50 * PPM_PER_BP;

export const basisTraders: Participant = {
  name: "basis",
  comes({ draw, height, opinion, flow, gapsPerBlock }) {
    const apart = Math.min(1, Math.abs(opinion.level - opinion.told) / ALL_PPM);
    return happens(draw(COMING, height), flow.basisShare * apart * gapsPerBlock);
  },
  act(scene, account) {
    const cost = takerFeePpm(scene) + WANTED_PPM;
    const { told } = scene.opinion;
    const side = bargain(scene, told, cost);
    if (side === undefined) return [];
    const size = times(scene.flow.takerSize, sizeFactor(scene.draw, SIZES, scene.height));
    return [take(scene, account, side, told - signOf(side) * cost, size)];
  },
};
