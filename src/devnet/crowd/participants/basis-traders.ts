// Basis traders: keep the price near what prints and funding are expected to pay. If the price is away from that by more than the fee, they
// trade it back, more often the further it is, up to the limit of their capital.

import { happens, sizeFactor, times } from "../draws.ts";
import { bargain, heldBy, type Participant, PPM_PER_BP, signOf, take, takerFeePpm } from "../scene.ts";

const COMING = 1200;
const SIZES = 1201;
/** Profit they want beyond the fee, and the distance at which all of them trade. */
const WANTED_PPM = 1 * PPM_PER_BP;
const ALL_PPM = 10 * PPM_PER_BP;
/** Largest position of all together, in typical orders. */
const CAPITAL = 40;

export const basisTraders: Participant = {
  name: "basis",
  comes({ draw, height, opinion, flow, gapsPerBlock }) {
    const apart = Math.min(1, Math.abs(opinion.level - opinion.fair) / ALL_PPM);
    return happens(draw(COMING, height), flow.basisShare * apart * gapsPerBlock);
  },
  act(scene, account) {
    const { draw, height, flow, opinion } = scene;
    const cost = takerFeePpm(scene) + WANTED_PPM;
    const side = bargain(scene, opinion.fair, cost);
    if (side === undefined) return [];
    if (heldBy(scene, account) * signOf(side) >= CAPITAL * Number(flow.takerSize)) return [];
    const size = times(flow.takerSize, sizeFactor(draw, SIZES, height));
    return [take(scene, account, side, opinion.fair - signOf(side) * cost, size)];
  },
};
