// What the guard remembers of one market from turn to turn: prints, fills, answers and its own order rate, and the pauses that they
// cause. A pause ends after its time; a latch does not.

import type { SubmitOutcome } from "../../domain/event.ts";
import { type Side, type Size, sides } from "../../domain/units.ts";
import type { Signals, View } from "../../domain/view.ts";
import { riskTiming } from "../timing.ts";
import type { MarketLimits } from "./limits/limits.ts";
import { followPrint, noPrints, type Prints } from "./prints.ts";
import { emptyWindow, record, type Window, within } from "./window.ts";

/** End of each pause by its cause, monotonic ms. */
export type Pauses = {
  readonly volatilityMs: number;
  readonly rejectRatioMs: number;
  readonly adverseFillsMs: number;
};

/** How far the price had moved in our favor some time after a fill, and the half-spread that we quoted then; both basis points. */
export type JudgedFill = {
  readonly side: Side;
  readonly atMs: number;
  readonly contracts: number;
  readonly markoutBps: number;
  readonly halfSpreadBps: number;
};

/** Why adding paused last: mean markout and half-spread of the fills that were judged, basis points. */
export type Adverse = { readonly horizon: string; readonly markoutBps: number; readonly halfSpreadBps: number };

export type Watch = {
  readonly prints: Prints;
  readonly pausedUntil: Pauses;
  /** Fills within a minute, and contracts. */
  readonly fills: Window;
  /** The last fills whose markouts are known, by horizon, oldest first: those of a side within a second are one. */
  readonly judgedFills: Readonly<Record<string, readonly JudgedFill[]>>;
  /** Null: it never did. */
  readonly adverse: Adverse | null;
  /** Answers of the exchange to places and modifies within a minute, and how many of them were bad. */
  readonly answers: Window;
  /** Whether each of the last of them was bad, oldest first. */
  readonly lastAnswers: readonly boolean[];
  /** Commands that add risk, sent within a second. */
  readonly adds: Window;
  /** Since when the day's loss or drawdown has been at its limit, monotonic ms; null: it is not. */
  readonly lossSinceMs: { readonly market: number | null; readonly account: number | null };
};

export const newWatch: Watch = {
  prints: noPrints,
  pausedUntil: { volatilityMs: 0, rejectRatioMs: 0, adverseFillsMs: 0 },
  fills: emptyWindow(riskTiming.countedMs),
  judgedFills: {},
  adverse: null,
  answers: emptyWindow(riskTiming.countedMs),
  lastAnswers: [],
  adds: emptyWindow(riskTiming.addsMs),
  lossSinceMs: { market: null, account: null },
};

/** Call at the start of each turn: takes in the print of now, and volatility. */
export function watchView(watch: Watch, view: View, limits: MarketLimits): Watch {
  const prints = followPrint(watch.prints, view, limits);
  const wild = !isVolatilityWithin(view.signals, limits);
  if (prints === watch.prints && !wild) return watch;
  const { pausedUntil } = watch;
  const volatilityMs = wild ? view.nowMs + limits.volatilityCoolDownMs : pausedUntil.volatilityMs;
  return { ...watch, prints, pausedUntil: { ...pausedUntil, volatilityMs } };
}

/** Takes in one of our fills; call once per fill. */
export const watchFill = (watch: Watch, contracts: Size, nowMs: number): Watch => ({
  ...watch,
  fills: record(watch.fills, nowMs, contracts),
});

/** Fills on both sides that lose are judged sooner: this share of them, one part in six, on each side is enough. */
const SIDE_SHARE = 6;

/** At all other horizons fills may lose twice as much: at once takers move the price by what comes back in part, and later chance weighs more. */
const USUAL_HORIZON = "60s";

/**
 * Takes in the markout of a fill at one horizon. Where those of the last fills are too far below zero on average, weighed by size, adding
 * pauses and the counts restart: after the pause only new fills show whether it is over. A price that runs away makes the fills of one side
 * lose. Where both sides lose, somebody moves it to and fro, and fewer fills are enough.
 */
export function watchMarkout(
  watch: Watch,
  horizon: string,
  fill: JudgedFill,
  limits: MarketLimits,
  nowMs: number,
): Watch {
  const { adverseFillsMin, maxAdverseHalfSpreads, adverseFillsCoolDownMs } = limits;
  const judged = joined(watch.judgedFills[horizon] ?? [], fill).slice(-adverseFillsMin);
  const most = -maxAdverseHalfSpreads * (horizon === USUAL_HORIZON ? 1 : 2);
  const losesFrom = (fills: readonly JudgedFill[], least: number): boolean =>
    fills.length >= least && !(meanOf(fills, ({ markoutBps }) => markoutBps) >= most * meanOf(fills, halfSpreadOf));
  const leastOfSide = Math.ceil(adverseFillsMin / SIDE_SHARE);
  const bySide = Map.groupBy(judged, ({ side }) => side);
  const isAdverse =
    losesFrom(judged, adverseFillsMin) || sides.every((side) => losesFrom(bySide.get(side) ?? [], leastOfSide));
  if (!isAdverse) return { ...watch, judgedFills: { ...watch.judgedFills, [horizon]: judged } };
  const markoutBps = meanOf(judged, (one) => one.markoutBps);
  const adverse = { horizon, markoutBps, halfSpreadBps: meanOf(judged, halfSpreadOf) };
  const pausedUntil = { ...watch.pausedUntil, adverseFillsMs: nowMs + adverseFillsCoolDownMs };
  return { ...watch, judgedFills: {}, adverse, pausedUntil };
}

const halfSpreadOf = ({ halfSpreadBps }: JudgedFill): number => halfSpreadBps;

/** Weighed by size; NaN of none. */
function meanOf(fills: readonly JudgedFill[], of: (fill: JudgedFill) => number): number {
  let [sum, contracts] = [0, 0];
  for (const fill of fills) {
    sum += of(fill) * fill.contracts;
    contracts += fill.contracts;
  }
  return sum / contracts;
}

/** The fill as one more, or as a part of the last one of its side. */
function joined(fills: readonly JudgedFill[], fill: JudgedFill): readonly JudgedFill[] {
  const at = fills.findLastIndex(({ side }) => side === fill.side);
  const last = fills[at];
  if (last === undefined || Math.abs(fill.atMs - last.atMs) >= riskTiming.oneFillMs) return [...fills, fill];
  const both = [last, fill];
  const whole: JudgedFill = {
    ...last,
    contracts: last.contracts + fill.contracts,
    markoutBps: meanOf(both, ({ markoutBps }) => markoutBps),
    halfSpreadBps: meanOf(both, halfSpreadOf),
  };
  return fills.with(at, whole);
}

/** Takes in a sent command of the class INCREASE. */
export const watchAdd = (watch: Watch, nowMs: number): Watch => ({ ...watch, adds: record(watch.adds, nowMs, 0n) });

/** After an outage a minute is full of failures for long: its last answers tell whether it is over. */
const LAST_ANSWERS = 5;

/**
 * Takes in the answer to a place or a modify. Refused and rejected count as bad. A rate limit concerns the queue only, and a lost answer
 * says nothing about our model of the exchange.
 */
export function watchAnswer(watch: Watch, outcome: SubmitOutcome, limits: MarketLimits, nowMs: number): Watch {
  const bad = outcome.kind === "refused" || outcome.kind === "rejected";
  if (!bad && outcome.kind !== "executed") return watch;
  const answers = record(watch.answers, nowMs, bad ? 1n : 0n);
  const lastAnswers = [...watch.lastAnswers, bad].slice(-LAST_ANSWERS);
  const { count, amount } = within(answers, nowMs);
  const last = lastAnswers.slice(-count);
  const exceeds = (failed: number, of: number): boolean => failed > limits.maxRejectRatio * of;
  const isSoNow = exceeds(last.filter((isBad) => isBad).length, last.length);
  const tooMany = count >= limits.rejectSamplesMin && exceeds(Number(amount), count) && isSoNow;
  // An order that was executed is no reason to pause, however many failed before it.
  if (!bad || !tooMany) return { ...watch, answers, lastAnswers };
  const rejectRatioMs = nowMs + limits.rejectCoolDownMs;
  // Both start empty: after the pause only new answers count.
  const pausedUntil = { ...watch.pausedUntil, rejectRatioMs };
  return { ...watch, answers: emptyWindow(answers.spanMs), lastAnswers: [], pausedUntil };
}

/** New orders of an account that the exchange rejected before execution, one after another: signature, key or nonce were not taken. */
export type Rejections = {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
  /** The exchange's words for the last. */
  readonly error: string;
};

/** Takes in the answer to a place or a modify; null: none in a row. Who asks us to wait, and who does not answer, rejects nothing. */
export function watchRejection(before: Rejections | null, outcome: SubmitOutcome, nowMs: number): Rejections | null {
  if (outcome.kind === "executed" || outcome.kind === "refused") return null;
  if (outcome.kind !== "rejected") return before;
  const { error } = outcome;
  const isApart = before === null || nowMs - before.lastMs > riskTiming.rejectionsApartMs;
  if (isApart) return { firstMs: nowMs, lastMs: nowMs, count: 1, error };
  return { firstMs: before.firstMs, lastMs: nowMs, count: before.count + 1, error };
}

/** Bounds where none is set: so many times what is usual, at least the first figure; the second one while nobody knows what is usual. */
const USUAL_MULTIPLES = 6;
const LEAST_BOUND_BPS = 1;
const UNKNOWN_BOUND_BPS = 100;

type Volatilities = Pick<Signals, "volatilityBps" | "slowVolatilityBps">;
type VolatilityLimit = Pick<MarketLimits, "maxVolatilityBps">;

/** What the market's volatility may be, bps per square root second. */
export function volatilityBoundBps({ slowVolatilityBps }: Volatilities, { maxVolatilityBps }: VolatilityLimit): number {
  if (maxVolatilityBps !== null) return maxVolatilityBps;
  return slowVolatilityBps === null
    ? UNKNOWN_BOUND_BPS
    : Math.max(LEAST_BOUND_BPS, USUAL_MULTIPLES * slowVolatilityBps);
}

/** True without an estimate (null): otherwise a quiet market would never be quoted. */
export const isVolatilityWithin = (signals: Volatilities, limit: VolatilityLimit): boolean =>
  signals.volatilityBps === null || signals.volatilityBps <= volatilityBoundBps(signals, limit);
