// Trend followers: buy what has risen above its recent mean and sell what has fallen below it.

import { happens, sizeFactor, times } from "../draws.ts";
import { type Participant, PPM_PER_BP, sideOf, take } from "../scene.ts";

const COMING = 1300;
const SIZES = 1301;
/** Smallest trend, and the trend at which all of them trade. */
const TREND_PPM = 5 * PPM_PER_BP;
const ALL_PPM = 40 * PPM_PER_BP;
/** Distance from fair that they pay. */
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
