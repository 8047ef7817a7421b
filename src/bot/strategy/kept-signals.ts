// A market's learned signals as text for the ledger: a restart must not lose days of learning. A restored state equals that of a process
// that kept running and heard nothing. Its times count from the save, since the next process has another monotonic clock.

import { z } from "zod";
import type { FundedTo } from "../../domain/market.ts";
import type { MarketId } from "../../domain/units.ts";
import type { Signals } from "../../domain/view.ts";
import { HOUR_MS, type Instant } from "../../kernel/clock.ts";
import { type FillIntensity, noFillIntensity } from "./fill-intensity.ts";
import { floatsOf, floatsText, KeptError, keptText, readKept } from "./kept-text.ts";
import { MOVES_KEPT, type Nowcast } from "./nowcast.ts";
import { noOutside } from "./outside.ts";
import { noPrintCalendar } from "./print-calendar.ts";
import { noReachSums, noReachWatch } from "./reach.ts";
import { noReturns, withPath } from "./return-models.ts";
import { enteringAverages, noAverages } from "./seasonal-averages.ts";
import { type Learned, readSignals, type SignalState } from "./signals.ts";

/** The market by its chain and its name there: an id may be given to another market. */
export type Origin = { readonly chainId: string; readonly name: string };

/** The memory of the market's strategy, if it keeps one; `config`: hash of the configuration that it ran with. */
export type KeptMemory = { readonly config: string; readonly value: unknown };

/** Other parts of a market's text; null: none. `adverse`: losses of its fills, read by their writer. */
export type KeptBeside = {
  readonly memory: KeptMemory | null;
  readonly adverse: unknown;
  readonly funded: FundedTo | null;
};

/** Wall clock milliseconds since the save, and the state with its times on the current monotonic clock. */
export type KeptSignals = KeptBeside & {
  readonly name: string;
  readonly downMs: number;
  readonly state: SignalState;
};

/** Leaves out the newest mid and taker, which the next process sees for itself. */
export function signalsText(
  state: SignalState,
  { chainId, name }: Origin,
  at: Instant,
  { funded, ...beside }: KeptBeside = { memory: null, adverse: null, funded: null },
): string {
  const {
    marketId: _id,
    midUsd: _mid,
    midSinceMs: _since,
    nowcast,
    intensity,
    ...kept
  } = moved(state, -at.monotonicMs);
  const reach = writtenReach(intensity);
  const nowcasts = { nowcast: nowcast === state.lived ? null : written(nowcast), lived: written(state.lived) };
  const money = funded && { ...funded, index: `${funded.index}` };
  return keptText({ name, ...beside, funded: money, ...kept, reach, ...nowcasts }, chainId, at);
}

function writtenReach({ watch: _, sums, ...kept }: FillIntensity) {
  return { ...kept, sums: { ...sums, gaps: floatsText(sums.gaps), touches: floatsText(sums.touches) } };
}

function written(nowcast: Nowcast) {
  const { path: _, averages, ...returns } = nowcast.returns;
  const { returns: count, filtered, surprises, scores } = averages;
  const packed = {
    returns: count,
    filtered: floatsText(filtered),
    surprises: floatsText(surprises),
    scores: floatsText(scores),
  };
  return { ...nowcast, moves: floatsText(nowcast.moves), returns: { ...returns, averages: packed } };
}

/** Throws KeptError where the text is of another version or chain, or `signalsText` cannot have written it. */
export function readSignalsText(text: string, marketId: MarketId, chainId: string, now: Instant): KeptSignals {
  const { kept: read, downMs } = readKept(schema, text, chainId, now);
  const { name, memory, adverse, funded, intensity: _, reach, ...kept } = read;
  const at = { marketId, midUsd: null, midSinceMs: null };
  const saved: SignalState = { ...kept, ...at, intensity: reach, nowcast: kept.nowcast ?? kept.lived };
  refuseNonsense(saved);
  return { name, downMs, memory, adverse, funded, state: moved(saved, now.monotonicMs - downMs) };
}

const mapped = <T>(record: Readonly<Record<string, T>>, to: (of: T) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).map(([name, of]) => [name, to(of)]));

/** Shifts every monotonic time by `byMs`. */
function moved(state: SignalState, byMs: number): SignalState {
  const { volatility, intensity, toxicity, skew, market, outside, printMove, funding, learnedMs } = state;
  const later = (ms: number): number => ms + byMs;
  const orNull = (ms: number | null): number | null => (ms === null ? null : later(ms));
  const at = <T extends { readonly atMs: number }>(of: T): T => ({ ...of, atMs: later(of.atMs) });
  const due = <T extends { readonly dueMs: number }>(of: T): T => ({ ...of, dueMs: later(of.dueMs) });
  const learned = Object.entries(learnedMs).map(([from, ms]) => [from, orNull(ms)]);
  return {
    ...state,
    midSinceMs: orNull(state.midSinceMs),
    volatility: { ...volatility, last: volatility.last && at(volatility.last) },
    intensity: { ...intensity, countedMs: orNull(intensity.countedMs), lawMs: orNull(intensity.lawMs) },
    toxicity: { ...toxicity, awaited: toxicity.awaited.map(due) },
    skew: { ...skew, lastMs: orNull(skew.lastMs) },
    market: { ...market, atMs: orNull(market.atMs) },
    outside: mapped(outside, (of) => ({ ...of, forecast: { ...of.forecast, atMs: orNull(of.forecast.atMs) } })),
    printMove: { ...printMove, mids: printMove.mids.map(at), awaited: printMove.awaited && due(printMove.awaited) },
    funding: { ...funding, last: funding.last && at(funding.last) },
    learnedMs: Object.fromEntries(learned) as Learned,
  };
}

const WEIGHT_MAX = 1e12;
const weight = z.number().min(0).max(WEIGHT_MAX);
const count = z.int().min(0);
const usd = z.number().positive().max(1e12);
const LOG_MAX = 10;
const SCORE_MAX = 1e9;
const log = z.number().min(-LOG_MAX).max(LOG_MAX);
/** Log of a value in any unit. */
const valueLog = z.number().min(-100).max(100);
const positiveLog = z.number().positive().max(LOG_MAX);
/** Seconds and milliseconds of the chain's time. */
const chainSec = z.number().min(0).max(1e11);
const chainMs = z.number().min(0).max(1e14);
const spanMs = z.number().min(0).max(1e13);
const apartMs = z.number().min(-1e13).max(1e13);
/** Times relative to the save, ms: past ones, and due ones. */
const past = z.number().max(0);
const dueMs = z.number().max(HOUR_MS);
const sums = z.strictObject({ squares: weight, seconds: weight });
const print = z.strictObject({ usd, validUntilSec: chainSec });
const printWord = z.strictObject({ publishedMs: chainMs, validUntilSec: chainSec });
const nowcast = z.strictObject({
  last: print.nullable(),
  leap: print.nullable(),
  returns: z
    .strictObject({
      expected: z.array(log).length(noReturns.expected.length),
      scores: z.array(z.number()).length(noReturns.scores.length),
      averages: z
        .strictObject({
          returns: count,
          filtered: floatsOf({ exactly: noAverages.filtered.length }, LOG_MAX),
          surprises: floatsOf({ exactly: noAverages.surprises.length }, LOG_MAX),
          scores: floatsOf({ exactly: noAverages.scores.length }, SCORE_MAX),
        })
        .optional(),
      fading: z.strictObject({ due: log, second: log, both: z.number(), square: weight }).default(noReturns.fading),
      predicted: log.optional(),
      deviation: positiveLog,
      reach: z.number().positive().max(100),
      seen: count,
    })
    // Texts of versions without averages hold the predictions of the other models.
    .transform(({ predicted: _, averages, ...read }) =>
      withPath({ ...read, averages: averages ?? enteringAverages(Math.max(...read.scores)) }),
    ),
  surprises: z.array(positiveLog.or(z.literal(0))),
  dated: z.array(z.strictObject({ validUntilSec: chainSec, log })),
  moves: floatsOf({ most: MOVES_KEPT }, LOG_MAX).default(new Float32Array(0)),
  deviation: positiveLog,
  prints: count,
});

const forecast = z.strictObject({
  apart: log,
  atMs: past.nullable(),
  since: z.strictObject({ weight, sum: z.number(), squares: weight }),
  record: z
    .strictObject({
      prints: count,
      own: weight,
      both: z.number(),
      squares: weight.optional(),
      market: weight.optional(),
    })
    // Texts of versions without outside facts name the squares after the market.
    .transform(({ squares, market, ...read }) => ({ ...read, squares: squares ?? market ?? 0 })),
});

const schema = z.strictObject({
  name: z.string(),
  memory: z.strictObject({ config: z.string(), value: z.unknown() }).nullable(),
  adverse: z.unknown().default(null),
  funded: z
    .strictObject({
      sec: chainSec,
      index: z
        .string()
        .regex(/^-?\d{1,40}$/)
        .transform(BigInt),
    })
    .nullable()
    .default(null),
  heldMidUsd: usd.nullable(),
  volatility: z.strictObject({
    last: z.strictObject({ mid: usd, atMs: past }).nullable(),
    hour: sums,
    day: sums,
    week: sums,
    samples: count,
  }),
  /** Estimates of versions that counted takers by depth: they cannot be continued. */
  intensity: z.unknown().optional(),
  reach: z
    .strictObject({
      sums: z.strictObject({
        takers: weight,
        ours: weight,
        ended: weight,
        reached: weight,
        gaps: floatsOf({ exactly: noReachSums.gaps.length }, WEIGHT_MAX),
        touches: floatsOf({ exactly: noReachSums.touches.length }, WEIGHT_MAX),
      }),
      seen: count,
      countedMs: past.nullable(),
      law: z.strictObject({ a: z.number().positive().max(1e6), k: z.number().positive().max(1e12) }).nullable(),
      lawMs: past.nullable(),
    })
    .transform((read): FillIntensity => ({ ...read, watch: noReachWatch }))
    .default(noFillIntensity),
  toxicity: z.strictObject({
    awaited: z.array(z.strictObject({ side: z.enum(["buy", "sell"]), priceUsd: usd, midUsd: usd, dueMs })),
    fills: weight,
    adverse: z.number(),
    markout: z.number(),
    moved: weight,
    prior: weight,
  }),
  skew: z.strictObject({
    scale: z.number().positive().max(1e3),
    seconds: z.number().positive().max(1e12),
    priorSeconds: weight,
    lastMs: past.nullable(),
  }),
  nowcast: nowcast.nullable(),
  market: forecast,
  outside: z
    .record(
      z.string(),
      z.strictObject({ forecast, basis: valueLog.nullable(), lastLog: valueLog.nullable(), isFresh: z.boolean() }),
    )
    .default(noOutside),
  printMove: z.strictObject({
    mids: z.array(z.strictObject({ usd, atMs: past })),
    awaited: z.strictObject({ usd, dueMs }).nullable(),
    prints: weight,
    squares: weight,
  }),
  funding: z.strictObject({
    schedule: z
      .strictObject({
        lastFundingTimestampSec: chainSec,
        fundingIntervalSecs: z.number().positive().max(1e9),
        maxFundingRateBps: weight,
      })
      .nullable(),
    last: z.strictObject({ premium: z.number().min(-1).max(1e6), atMs: past }).nullable(),
    seen: z.strictObject({ seconds: weight, premiumSeconds: z.number() }),
    sums: z.strictObject({ settlements: weight, p: z.number(), r: z.number(), pp: weight, pr: z.number() }),
  }),
  lived: nowcast,
  schedule: z
    .strictObject({
      publishedMs: chainMs,
      everyMs: z.number().positive().max(1e13),
      intervalsMs: z.array(spanMs),
      dueMs: chainMs.optional(),
      earlyMs: spanMs,
      lateMs: spanMs,
      calendar: z
        .strictObject({
          frameSec: chainSec.nullable(),
          read: printWord.nullable(),
          agreed: printWord.nullable(),
          past: z.array(z.strictObject({ offsetMs: apartMs, validMs: apartMs })),
        })
        .default({ ...noPrintCalendar, past: [] }),
    })
    // Texts of versions that used only intervals have neither.
    .transform((read) => ({ ...read, dueMs: read.dueMs ?? read.publishedMs + read.everyMs }))
    .nullable(),
  learnedMs: z.strictObject({
    book: past.nullable(),
    taker: past.nullable(),
    fill: past.nullable(),
    lean: past.nullable(),
    print: past.nullable(),
    move: past.nullable(),
    settlement: past.nullable(),
  }),
});

/** Bounds that a single field does not show; bps, and bps per square root second. */
const bounds: Partial<Record<keyof Signals, readonly [number, number]>> = {
  volatilityBps: [0, 1000],
  dayVolatilityBps: [0, 1000],
  slowVolatilityBps: [0, 1000],
  adverseBps: [-10_000, 10_000],
  markoutBps: [-10_000, 10_000],
  nowcastErrorBps: [0, 10_000],
  printDeviationBps: [0, 10_000],
  printMoveBps: [0, 10_000],
};

/** Refuses numbers that are each possible but not together. */
function refuseNonsense(state: SignalState): void {
  const { nextPrint: _, nowcastPathUsd: _path, ...signals } = readSignals(state);
  for (const [name, value] of Object.entries(signals)) {
    const [least, most] = bounds[name as keyof typeof signals] ?? [-Number.MAX_VALUE, Number.MAX_VALUE];
    if (value !== null && !(value >= least && value <= most))
      throw new KeptError("kept_nonsense", `${name} comes to ${value}`, { facts: { name, value } });
  }
}
