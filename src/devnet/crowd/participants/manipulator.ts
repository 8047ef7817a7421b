// A manipulator: on rare days it pushes the price one way with large orders so that others follow, then sells or buys back what it holds.

import { size } from "../../../domain/units.ts";
import { happens, openUnit, times } from "../draws.ts";
import { heldBy, type Participant, PPM_PER_BP, sideOf, signOf, take, type Visit } from "../scene.ts";

const CAMPAIGNS = 1500;
const STARTS = 1501;
const SIDES = 1502;
const ORDERS = 1503;
/** An epoch has at most one campaign: gaps of pushing, and gaps of waiting before it unwinds. */
const EPOCH_GAPS = 2000;
const PUSH_GAPS = 4;
const WAIT_GAPS = 20;
/** Orders per gap while active, the size of each in typical orders, and its distance from fair. */
const ORDERS_PER_GAP = 2;
const SIZE_FACTOR = 4;
const REACH_PPM = 25 * PPM_PER_BP;

/** Gaps since this epoch's campaign began; undefined if there is none or it has not begun. */
function sinceStart({ height, gapsPerBlock, draw, flow }: Visit): number | undefined {
  const gaps = height * gapsPerBlock;
  const epoch = Math.floor(gaps / EPOCH_GAPS);
  if (!happens(draw(CAMPAIGNS, epoch), flow.manipulatedShare)) return undefined;
  const start = (epoch + openUnit(draw(STARTS, epoch)) / 2) * EPOCH_GAPS;
  return gaps < start ? undefined : gaps - start;
}

const givesBack = (since: number | undefined): boolean => since === undefined || since > PUSH_GAPS + WAIT_GAPS;

export const manipulator: Participant = {
  name: "manipulator",
  comes(visit, account) {
    if (!happens(visit.draw(ORDERS, visit.height), ORDERS_PER_GAP * visit.gapsPerBlock)) return false;
    const since = sinceStart(visit);
    if (since !== undefined && since <= PUSH_GAPS) return true;
    return givesBack(since) && heldBy(visit, account) !== 0;
  },
  act(scene, account) {
    const { draw, height, gapsPerBlock, opinion, flow } = scene;
    const typical = times(flow.takerSize, SIZE_FACTOR);
    const held = heldBy(scene, account);
    if (givesBack(sinceStart(scene))) {
      const side = sideOf(-held);
      const left = Math.min(Math.abs(held), Number(typical));
      return [take(scene, account, side, opinion.level + signOf(side) * REACH_PPM, size(BigInt(left)))];
    }
    const side = draw(SIDES, Math.floor((height * gapsPerBlock) / EPOCH_GAPS)) % 2 === 0 ? "buy" : "sell";
    return [take(scene, account, side, opinion.level + signOf(side) * REACH_PPM, typical)];
  },
};
