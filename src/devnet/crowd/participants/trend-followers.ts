// Trend followers: they buy what has risen above its mean of late and sell what has fallen below it.

import { happens, sizeFactor, times } from "../draws.ts";
import { type Participant, PPM_PER_BP, sideOf, take } from "../scene.ts";

const COMING = 1300;
const SIZES = 1301;
/** A trend, and where all of them see one. */
const TREND_PPM = 5 * PPM_PER_BP;
const ALL_PPM = 40 * PPM_PER_BP;
/** How far from fair they pay. */
const REACH_PPM = 8 * PPM_PER_BP;

export const trendFollowers: Participant = {
  name: "trend",
  comes({ draw, height, opinion, flow, gapsPerBlock }) {
    const trend = Math.abs(opinion.level - opinion.mean);
    if (trend < TREND_PPM) return false;
    return happens(draw(COMING, height), flow.trendShare * Math.min(1, trend / ALL_PPM) * gapsPerBlock);
  },
  act(scene, account) {
    const { draw, height, opinion, flow } = scene;
    const sign = opinion.level > opinion.mean ? 1 : -1;
    const size = times(flow.takerSize, sizeFactor(draw, SIZES, height));
    return [take(scene, account, sideOf(sign), opinion.level + sign * REACH_PPM, size)];
  },
};
