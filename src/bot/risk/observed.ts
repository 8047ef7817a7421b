// The guard's memory of one market between turns: prints, fills, answers and its own order rate, and the pauses that they cause. A pause
// ends after its time; a latch does not.

import type { SubmitOutcome } from "../../domain/event.ts";
import type { Size } from "../../domain/units.ts";
import type { Signals, View } from "../../domain/view.ts";
import { riskTiming } from "../timing.ts";
import { type AdverseFills, type JudgedFill, judgeFill, noAdverseFills } from "./adverse.ts";
import type { MarketLimits } from "./limits/limits.ts";
import { followPrint, noPrints, type Prints } from "./prints.ts";
import { emptyWindow, record, type Window, within } from "./window.ts";

/** End of each pause by its cause, monotonic ms. */
export type Pauses = {
  readonly volatilityMs: number;
  readonly rejectRatioMs: number;
};

export type Observed = {
  readonly prints: Prints;
  readonly pausedUntil: Pauses;
  /** Fills within a minute, and their contracts. */
  readonly fills: Window;
  /** Sums of our fills' markouts. */
  readonly adverse: AdverseFills;
  /** Answers of the exchange to places and modifies within a minute, and how many of them were bad. */
  readonly answers: Window;
  /** Whether each of the last answers was bad, oldest first. */
  readonly lastAnswers: readonly boolean[];
  /** Commands that add risk, sent within a second. */
  readonly adds: Window;
  /** Since when the day's loss or drawdown has been at its limit, monotonic ms; null: it is not. */
  readonly lossSinceMs: { readonly market: number | null; readonly account: number | null };
};

export const nothingObserved: Observed = {
  prints: noPrints,
  pausedUntil: { volatilityMs: 0, rejectRatioMs: 0 },
  fills: emptyWindow(riskTiming.countedMs),
  adverse: noAdverseFills,
  answers: emptyWindow(riskTiming.countedMs),
  lastAnswers: [],
  adds: emptyWindow(riskTiming.addsMs),
  lossSinceMs: { market: null, account: null },
};

/** Call at the start of each turn: takes the current print and volatility. */
export function observeView(observed: Observed, view: View, limits: MarketLimits): Observed {
  const prints = followPrint(observed.prints, view, limits);
  const wild = !isVolatilityWithin(view.signals, limits);
  if (prints === observed.prints && !wild) return observed;
  const { pausedUntil } = observed;
  const volatilityMs = wild ? view.nowMs + limits.volatilityCoolDownMs : pausedUntil.volatilityMs;
  return { ...observed, prints, pausedUntil: { ...pausedUntil, volatilityMs } };
}

/** Takes one of our fills; call once per fill. */
export const observeFill = (observed: Observed, contracts: Size, nowMs: number): Observed => ({
  ...observed,
  fills: record(observed.fills, nowMs, contracts),
});

/** Takes the markout of a fill at one horizon. */
export const observeMarkout = (
  observed: Observed,
  horizon: string,
  fill: JudgedFill,
  limits: MarketLimits,
  nowMs: number,
): Observed => ({ ...observed, adverse: judgeFill(observed.adverse, horizon, fill, limits, nowMs) });

/** Takes a sent command of the class INCREASE. */
export const observeAdd = (observed: Observed, nowMs: number): Observed => ({
  ...observed,
  adds: record(observed.adds, nowMs, 0n),
});

/** After an outage, the minute is full of failures for a long time: the last answers tell whether it is over. */
const LAST_ANSWERS = 5;

/**
 * Takes the answer to a place or a modify. Refused and rejected count as bad. A rate limit concerns only the queue, and a lost answer says
 * nothing about our model of the exchange.
 */
export function observeAnswer(
  observed: Observed,
  outcome: SubmitOutcome,
  limits: MarketLimits,
  nowMs: number,
): Observed {
  const bad = outcome.kind === "refused" || outcome.kind === "rejected";
  if (!bad && outcome.kind !== "executed") return observed;
  const answers = record(observed.answers, nowMs, bad ? 1n : 0n);
  const lastAnswers = [...observed.lastAnswers, bad].slice(-LAST_ANSWERS);
  const { count, amount } = within(answers, nowMs);
  const last = lastAnswers.slice(-count);
  const exceeds = (failed: number, of: number): boolean => failed > limits.maxRejectRatio * of;
  const isSoNow = exceeds(last.filter((isBad) => isBad).length, last.length);
  const tooMany = count >= limits.rejectSamplesMin && exceeds(Number(amount), count) && isSoNow;
  // An executed order is no reason to pause, however many failed before it.
  if (!bad || !tooMany) return { ...observed, answers, lastAnswers };
  const rejectRatioMs = nowMs + limits.rejectCoolDownMs;
  // Both start empty, so that only new answers count after the pause.
  const pausedUntil = { ...observed.pausedUntil, rejectRatioMs };
  return { ...observed, answers: emptyWindow(answers.spanMs), lastAnswers: [], pausedUntil };
}

/** New orders of an account that the exchange rejected before execution, one after another: it did not accept signature, key or nonce. */
export type Rejections = {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
  /** The exchange's text for the last one. */
  readonly error: string;
};

/** Takes the answer to a place or a modify; null: no rejections in a row. A rate limit or a missing answer is not a rejection. */
export function observeRejection(before: Rejections | null, outcome: SubmitOutcome, nowMs: number): Rejections | null {
  if (outcome.kind === "executed" || outcome.kind === "refused") return null;
  if (outcome.kind !== "rejected") return before;
  const { error } = outcome;
  const isApart = before === null || nowMs - before.lastMs > riskTiming.rejectionsApartMs;
  if (isApart) return { firstMs: nowMs, lastMs: nowMs, count: 1, error };
  return { firstMs: before.firstMs, lastMs: nowMs, count: before.count + 1, error };
}

/** Default bounds: this multiple of the usual volatility, at least LEAST_BOUND_BPS; UNKNOWN_BOUND_BPS until the usual one is known. */
const USUAL_MULTIPLES = 6;
const LEAST_BOUND_BPS = 1;
const UNKNOWN_BOUND_BPS = 100;

type Volatilities = Pick<Signals, "volatilityBps" | "slowVolatilityBps">;
type VolatilityLimit = Pick<MarketLimits, "maxVolatilityBps">;

/** Highest allowed volatility, bps per square root second. */
export function volatilityBoundBps({ slowVolatilityBps }: Volatilities, { maxVolatilityBps }: VolatilityLimit): number {
  if (maxVolatilityBps !== null) return maxVolatilityBps;
  return slowVolatilityBps === null
    ? UNKNOWN_BOUND_BPS
    : Math.max(LEAST_BOUND_BPS, USUAL_MULTIPLES * slowVolatilityBps);
}

/** True without an estimate (null): otherwise a quiet market would never be quoted. */
export const isVolatilityWithin = (signals: Volatilities, limit: VolatilityLimit): boolean =>
  signals.volatilityBps === null || signals.volatilityBps <= volatilityBoundBps(signals, limit);
