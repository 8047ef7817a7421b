// Chain time and height. Three witnesses tell the time: the median of a window of pongs (S6.2), node info, and our own wall clock. None is
// believed alone: what two of them say is the time, and while no two agree the time last trusted goes on. A wall clock that the other two
// have contradicted is no witness until they agree with it: wrong pongs may say by chance what it says. A block's time lags the chain's
// clock by up to a block (research/venue.md 2.9), and so does the median. Likewise a height counts when two pongs have reached it.

import type { StreamEvent } from "../../../domain/event.ts";
import { type FoldEffects, noEffects } from "../effects.ts";
import type { ChainState, FeedState, OffsetSample } from "../state.ts";

type Pong = Extract<StreamEvent, { kind: "pong" }>;

/** More pongs than a window holds at any sensible interval. */
const SAMPLES_MAX = 64;
/** A chain that stood still, or whose block times are wrong, does not widen by more than this what its clock may be off. */
const BLOCK_MS_MAX = 2000;
/** Chain time as we know it is no further off than this. */
export const CLOCK_MS = 5000;
/** Two witnesses agree within this: a block, a round trip, the whole seconds of node info, and a wall clock that is a little off. */
const AGREES_MS = 5000;
/** Node info is in whole seconds, rounded down. */
const HALF_SECOND_MS = 500;
/**
 * A chain at a lower height is the chain once its heights have risen for so long. A replica behind by less has passed the old height by
 * then, and the block times of one behind by more do not agree with trusted time.
 */
const RESTART_MS = 10_000;

export function foldPong(state: FeedState, pong: Pong): FoldEffects {
  const { chain, ages } = state;
  const roundTripMs = pong.receivedMs - pong.sentMs;
  const isPrompt = roundTripMs >= 0 && roundTripMs <= ages.roundTripMs;
  const offsetMs = pong.blockTimeMs - (pong.sentMs + pong.receivedMs) / 2;
  if (pong.height < chain.confirmedHeight) return foldLower(chain, pong, isPrompt && agrees(offsetMs, chain.offsetMs));
  advance(chain, pong);
  if (isPrompt) {
    const { height, blockTimeMs, receivedMs: atMs } = pong;
    const recent = chain.samples.filter((sample) => atMs - sample.atMs <= ages.offsetWindowMs);
    chain.samples = [...recent.slice(-SAMPLES_MAX), { atMs, offsetMs, height, blockTimeMs }];
  }
  judgeTime(state, pong);
  return noEffects;
}

/** The time that two witnesses agree on, if there is one. Call it after each pong and each node info. */
export function judgeTime(state: FeedState, { receivedMs, wallMs }: Pick<Pong, "receivedMs" | "wallMs">): void {
  const { chain } = state;
  chain.wallOffsetMs = wallMs - receivedMs;
  const [pongs, node] = [medianOf(chain.samples.map(({ offsetMs }) => offsetMs)), nodeOffsetMs(state)];
  if (agrees(pongs, node)) chain.isWallOff = !agrees(pongs, chain.wallOffsetMs);
  const wall = chain.isWallOff ? null : chain.wallOffsetMs;
  const kept = isTrustedSinceWaking(state) ? chain.offsetMs : null;
  const agreed = [pongs, kept].find((one) => agrees(one, node) || agrees(one, wall));
  const trusted = agreed ?? (agrees(node, wall) ? node : null);
  if (trusted === null) return;
  chain.offsetMs = trusted;
  chain.trustedMs = receivedMs;
  chain.blockMs = blockMsOf(chain.samples.filter(({ offsetMs }) => agrees(offsetMs, trusted)));
}

/** The machine slept or its clock was set: what was seen before says nothing of the time now. */
export function forgetTimes({ chain }: FeedState): void {
  chain.samples = [];
  chain.wallOffsetMs = null;
  chain.isWallOff = false;
}

/** Our monotonic clock does not count the time that the machine slept: chain time from before a sleep is no witness of the time after it. */
export const isTrustedSinceWaking = ({ chain, wokeMs }: FeedState): boolean =>
  chain.trustedMs !== null && chain.trustedMs > wokeMs;

/** True where the newest pong disagrees with trusted time and node info has not been asked since. */
export function wantsNodeTime({ chain, node }: FeedState): boolean {
  const newest = chain.samples.at(-1);
  if (newest === undefined || agrees(newest.offsetMs, chain.offsetMs)) return false;
  return node === null || node.askedMs < newest.atMs;
}

/** Chain time now in Unix ms, at the monotonic time `nowMs`; null before two witnesses agreed on it. */
export function chainTimeMs({ chain }: Pick<FeedState, "chain">, nowMs: number): number | null {
  return chain.offsetMs === null ? null : nowMs + chain.offsetMs;
}

/** Age of the newest proof that the chain runs and that its time is what we take it for; null before the first. */
export function chainAgeMs({ chain }: FeedState, nowMs: number): number | null {
  const { advancedMs, trustedMs } = chain;
  return advancedMs === null || trustedMs === null ? null : nowMs - Math.min(advancedMs, trustedMs);
}

function advance(chain: ChainState, { height, receivedMs }: Pong): void {
  const hasMoved = height > chain.confirmedHeight && height !== chain.height;
  if (hasMoved || chain.advancedMs === null) chain.advancedMs = receivedMs;
  chain.confirmedHeight = Math.max(chain.confirmedHeight, Math.min(chain.height, height));
  chain.height = height;
  chain.lower = null;
}

function foldLower(chain: ChainState, { height, receivedMs }: Pong, isOnTime: boolean): FoldEffects {
  const { lower } = chain;
  if (!isOnTime) chain.lower = null;
  else if (lower === null || height < lower.height) chain.lower = { sinceMs: receivedMs, fromHeight: height, height };
  else lower.height = height;
  if (lower === null || chain.lower !== lower || receivedMs - lower.sinceMs < RESTART_MS || height === lower.fromHeight)
    return [{ kind: "wentBack", what: "height", marketId: null }];
  const before = chain.confirmedHeight;
  Object.assign(chain, { height, confirmedHeight: height, advancedMs: receivedMs, lower: null });
  return [{ kind: "chainRestarted", before, height }];
}

/** Chain time minus our monotonic time by the newest node info; null where it is not of this waking or took too long. */
function nodeOffsetMs({ node, wokeMs, ages }: FeedState): number | null {
  if (node === null || node.askedMs < wokeMs || node.receivedMs - node.askedMs > ages.roundTripMs) return null;
  return node.value.blockTimestampSec * 1000 + HALF_SECOND_MS - (node.askedMs + node.receivedMs) / 2;
}

const agrees = (one: number | null, other: number | null): boolean =>
  one !== null && other !== null && Math.abs(one - other) <= AGREES_MS;

/** The lower of the two in the middle: of two that disagree nobody can tell which is wrong. */
function medianOf(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? null;
}

/** What a block takes, ms: the median from each pong to the next, since a chain may go on at another height in between. */
function blockMsOf(samples: readonly OffsetSample[]): number {
  const means: number[] = [];
  let before: OffsetSample | undefined;
  for (const sample of samples) {
    const blocks = sample.height - (before?.height ?? sample.height);
    if (before !== undefined && blocks > 0) means.push((sample.blockTimeMs - before.blockTimeMs) / blocks);
    before = sample;
  }
  return Math.min(Math.max(medianOf(means) ?? 0, 0), BLOCK_MS_MAX);
}
