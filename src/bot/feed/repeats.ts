// Reads that say again what is held: they renew its age, and nothing else of a view changes.

import type { VenueEvent } from "../../domain/event.ts";
import type { FeedState } from "./state.ts";

/**
 * True for such a read; to be asked before it is folded. An answer that is the same text as the last one is the same object
 * (bot/venue/remote/reads.ts), so nothing is compared; whoever reads in another way never repeats.
 */
export function isRepeat(state: FeedState, event: VenueEvent): boolean {
  if (event.kind === "marketRead") {
    const held = state.markets.get(event.market.marketId)?.market;
    return held?.value === event.market && !held.isDoubted;
  }
  if (event.kind === "oracleRead") {
    const oracle = state.markets.get(event.oracle.marketId)?.oracle;
    return oracle?.held?.value === event.oracle && oracle.doubt === null;
  }
  return false;
}
