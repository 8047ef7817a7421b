// Chain time and height, from pongs (S6.2). Chain time is the median over a window, so one wrong pong changes nothing. A pong carries the
// time of the last block, which lags the chain's clock by up to a block, and so does the median. While it differs from the machine's clock
// nothing is added (gate `clock`); execution/send-time.ts chooses which clock stamps transactions. A height counts once two pongs have
// reached it. The times in facts are checked against it: a fact dated years ahead would outlive every true one.

import type { StreamEvent } from "../../domain/event.ts";
import { median } from "../../kernel/quantile.ts";
import { marketTiming } from "../timing.ts";
import { type MarketEffects, noEffects } from "./effects.ts";
import type { ChainState, ExchangeState, OffsetSample } from "./state.ts";

type Pong = Extract<StreamEvent, { kind: "pong" }>;

/** More pongs than a window holds at any sensible interval. */
const SAMPLES_MAX = 64;

export function foldPong(state: ExchangeState, pong: Pong): MarketEffects {
  const { chain } = state;
  if (pong.height < chain.confirmedHeight) return foldLower(chain, pong);
  advance(chain, pong);
  const { height, blockTimeMs, sentMs, receivedMs: atMs } = pong;
  const roundTripMs = atMs - sentMs;
  if (roundTripMs < 0 || roundTripMs > marketTiming.roundTripMs) return noEffects;
  const recent = chain.samples.filter((sample) => atMs - sample.atMs <= marketTiming.offsetWindowMs);
  const samples = [
    ...recent.slice(-SAMPLES_MAX),
    { atMs, offsetMs: blockTimeMs - (sentMs + atMs) / 2, height, blockTimeMs },
  ];
  const usualMs = median(samples.map(({ offsetMs }) => offsetMs)) ?? 0;
  chain.samples = samples;
  chain.offsetMs = usualMs;
  chain.blockMs = blockMsOf(
    samples.filter(({ offsetMs }) => Math.abs(offsetMs - usualMs) <= marketTiming.clockErrorMs),
  );
  return noEffects;
}

/** The machine slept, which our monotonic clock does not count: earlier pongs say nothing of the time now. */
export function forgetTimes({ chain }: ExchangeState): void {
  chain.samples = [];
  chain.offsetMs = null;
}

/** Returns chain time in Unix ms at the monotonic time `nowMs`; null before the first pong, and after a sleep. */
export function chainTimeMs({ chain }: Pick<ExchangeState, "chain">, nowMs: number): number | null {
  return chain.offsetMs === null ? null : nowMs + chain.offsetMs;
}

/** Returns the age of the newest proof of the chain's time and progress; null before the first. */
export function chainAgeMs({ chain }: ExchangeState, nowMs: number): number | null {
  const { advancedMs } = chain;
  const newest = chain.samples.at(-1);
  return advancedMs === null || newest === undefined ? null : nowMs - Math.min(advancedMs, newest.atMs);
}

function advance(chain: ChainState, { height, receivedMs }: Pong): void {
  const hasMoved = height > chain.confirmedHeight && height !== chain.height;
  if (hasMoved || chain.advancedMs === null) chain.advancedMs = receivedMs;
  chain.confirmedHeight = Math.max(chain.confirmedHeight, Math.min(chain.height, height));
  chain.height = height;
  chain.lower = null;
}

function foldLower(chain: ChainState, { height, receivedMs }: Pong): MarketEffects {
  const { lower } = chain;
  if (lower === null || height < lower.height) chain.lower = { sinceMs: receivedMs, fromHeight: height, height };
  else lower.height = height;
  if (
    lower === null ||
    chain.lower !== lower ||
    receivedMs - lower.sinceMs < marketTiming.restartMs ||
    height === lower.fromHeight
  )
    return [{ kind: "wentBack", what: "height", marketId: null }];
  const before = chain.confirmedHeight;
  Object.assign(chain, { height, confirmedHeight: height, advancedMs: receivedMs, lower: null });
  return [{ kind: "chainRestarted", before, height }];
}

/** Returns the time per block, ms: the median from each pong to the next, since a chain may restart at another height in between. */
function blockMsOf(samples: readonly OffsetSample[]): number {
  const means: number[] = [];
  let before: OffsetSample | undefined;
  for (const sample of samples) {
    const blocks = sample.height - (before?.height ?? sample.height);
    if (before !== undefined && blocks > 0) means.push((sample.blockTimeMs - before.blockTimeMs) / blocks);
    before = sample;
  }
  return Math.min(Math.max(median(means) ?? 0, 0), marketTiming.blockMaxMs);
}

/** The times in a fact; a missing one is not judged. */
export type NamedTimes = {
  readonly validUntilSec?: number;
  readonly lastUpdateTimestampMs?: number;
  readonly lastFundingTimestampSec?: number;
};

/** Whether the times are possible at `nowMs`, monotonic. Before the chain's time is known all of them are. */
export const isPlausible = (state: ExchangeState, times: NamedTimes, nowMs: number): boolean =>
  aheadForMs(state, times, nowMs) <= 0;

/** Returns for how long they stay too far ahead; 0 or less: they are possible. */
export function aheadForMs(state: ExchangeState, times: NamedTimes, nowMs: number): number {
  const chainMs = chainTimeMs(state, nowMs);
  if (chainMs === null) return 0;
  const { validUntilSec = 0, lastUpdateTimestampMs = 0, lastFundingTimestampSec = 0 } = times;
  const happenedMs = Math.max(lastUpdateTimestampMs, lastFundingTimestampSec * 1000);
  return Math.max(validUntilSec * 1000 - marketTiming.validMaxMs, happenedMs - marketTiming.aheadMaxMs) - chainMs;
}
