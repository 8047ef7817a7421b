// Chain time and height from pongs (S6.2). A block's time lags the chain's clock and never leads it, so the largest offset of a
// window is the closest (research/venue.md 2.9).

import type { StreamEvent } from "../../../domain/event.ts";
import { type FoldEffects, noEffects } from "../effects.ts";
import type { FeedState, OffsetSample } from "../state.ts";

/** More pongs than a window of 20 s holds at any sensible interval. */
const SAMPLES_MAX = 64;
/** A chain that stood still, or whose block times are wrong, does not widen by more than this what its clock may be off. */
const BLOCK_MS_MAX = 2000;

export function foldPong(state: FeedState, pong: Extract<StreamEvent, { kind: "pong" }>): FoldEffects {
  const { chain, ages } = state;
  if (pong.height < chain.height) {
    return [{ kind: "wentBack", what: "height", marketId: null }];
  }
  if (pong.height > chain.height || chain.advancedMs === null) chain.advancedMs = pong.receivedMs;
  chain.height = pong.height;
  const roundTripMs = pong.receivedMs - pong.sentMs;
  if (roundTripMs < 0 || roundTripMs > ages.roundTripMs) return noEffects;
  const { height, blockTimeMs } = pong;
  const offsetMs = blockTimeMs - (pong.sentMs + pong.receivedMs) / 2;
  const recent = chain.samples.filter(({ atMs }) => pong.receivedMs - atMs <= ages.offsetWindowMs);
  chain.samples = [...recent.slice(-SAMPLES_MAX), { atMs: pong.receivedMs, offsetMs, height, blockTimeMs }];
  chain.offsetMs = Math.max(...chain.samples.map((sample) => sample.offsetMs));
  chain.blockMs = blockMsOf(chain.samples);
  return noEffects;
}

function blockMsOf(samples: readonly OffsetSample[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.height === first.height) return 0;
  const meanMs = (last.blockTimeMs - first.blockTimeMs) / (last.height - first.height);
  return Math.min(Math.max(meanMs, 0), BLOCK_MS_MAX);
}

/** Chain time now in Unix ms, at the monotonic time `nowMs`; null before the first pong. */
export function chainTimeMs(state: FeedState, nowMs: number): number | null {
  return state.chain.offsetMs === null ? null : nowMs + state.chain.offsetMs;
}

/** Age of the newest proof that the chain runs; null before the first pong. */
export function chainAgeMs(state: FeedState, nowMs: number): number | null {
  return state.chain.advancedMs === null ? null : nowMs - state.chain.advancedMs;
}
