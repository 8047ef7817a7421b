// Times that the exchange names, held against the chain's clock: a print that stays valid for years, or a settlement that is still to
// come, would outlive every true word that follows it.

import type { FeedState } from "../state.ts";
import { chainTimeMs } from "./chain-clock.ts";

/** Longer than any index that is still published waits for its next print. */
const VALID_MS_MAX = 366 * 86_400_000;
/** What has happened cannot lie ahead; our idea of the chain's time may be off by less than this. */
const AHEAD_MS_MAX = 86_400_000;

/** Those that a fact names; one that it does not name is not judged. */
export type NamedTimes = {
  readonly validUntilSec?: number;
  readonly lastUpdateTimestampMs?: number;
  readonly lastFundingTimestampSec?: number;
};

/** Whether the times can be true at `nowMs`, monotonic. Before the chain's time is known all of them can. */
export function isPlausible(state: FeedState, times: NamedTimes, nowMs: number): boolean {
  const chainMs = chainTimeMs(state, nowMs);
  if (chainMs === null) return true;
  const { validUntilSec = 0, lastUpdateTimestampMs = 0, lastFundingTimestampSec = 0 } = times;
  const happenedMs = Math.max(lastUpdateTimestampMs, lastFundingTimestampSec * 1000);
  return validUntilSec * 1000 - chainMs <= VALID_MS_MAX && happenedMs - chainMs <= AHEAD_MS_MAX;
}
