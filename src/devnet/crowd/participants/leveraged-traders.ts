// Traders with high leverage: each enters from time to time and is closed out at any price once the market has moved against it by its
// margin, which moves the market further. They close themselves: if the engine liquidated them, funding and so the wall clock would decide
// when, and the same seed would not trade the same under every clock.

import type { AccountId } from "../../../domain/units.ts";
import { size } from "../../../domain/units.ts";
import { happens, openUnit, times } from "../draws.ts";
import { heldBy, type Participant, PPM_PER_BP, sideOf, signOf, take, type Visit } from "../scene.ts";

const ENTERING = 1400;
const STREAMS = 4;
const SIDES = 1;
const STOPS = 2;
/** Mean gaps between two positions of a trader, and its size in typical orders. */
const AWAY_GAPS = 500;
const SIZE_FACTOR = 12;
/** Adverse move that closes a trader out: 30 to 70 bps; and the move at which it takes profit. */
const STOP_PPM = 30 * PPM_PER_BP;
const STOP_RANGE_PPM = 40 * PPM_PER_BP;
const PROFIT_PPM = 80 * PPM_PER_BP;
/** Distance from fair that a trader pays to enter, and to exit. */
const ENTER_PPM = 8 * PPM_PER_BP;
const FORCED_PPM = 60 * PPM_PER_BP;

export const leveragedTrader = (rank: number): Participant => {
  const stream = ENTERING + rank * STREAMS;

  /** Side of a position that must be closed; 0 if there is none. */
  function leaving(visit: Visit, account: AccountId): number {
    const { opinion, draw } = visit;
    const held = heldBy(visit, account);
    if (held === 0) return 0;
    const entry = opinion.entry[`${account}`] ?? 0;
    const gained = (opinion.level - entry) * Math.sign(held);
    // The entry level is the random counter for its margin, so the margin stays the same while it holds.
    const stop = STOP_PPM + STOP_RANGE_PPM * openUnit(draw(stream + STOPS, Math.abs(Math.round(entry))));
    return gained < -stop || gained > PROFIT_PPM ? Math.sign(held) : 0;
  }

  return {
    name: `leveraged-${rank}`,
    comes(visit, account) {
      if (heldBy(visit, account) !== 0) return leaving(visit, account) !== 0;
      return happens(visit.draw(stream, visit.height), visit.gapsPerBlock / AWAY_GAPS);
    },
    act(scene, account) {
      const { draw, height, opinion, flow } = scene;
      const held = heldBy(scene, account);
      if (held !== 0) {
        const side = sideOf(-held);
        const level = opinion.level + signOf(side) * FORCED_PPM;
        return [take(scene, account, side, level, size(BigInt(Math.abs(held))))];
      }
      const side = draw(stream + SIDES, height) % 2 === 0 ? "buy" : "sell";
      const level = opinion.level + signOf(side) * ENTER_PPM;
      return [take(scene, account, side, level, times(flow.takerSize, SIZE_FACTOR))];
    },
  };
};
