// What the guard remembers of one market from turn to turn: prints, fills, answers and its own order rate, and the pauses that they
// cause. A pause ends after its time; a latch does not.

import type { SubmitOutcome } from "../../domain/event.ts";
import type { Size } from "../../domain/units.ts";
import type { View } from "../../domain/view.ts";
import type { MarketLimits } from "./limits/limits.ts";
import { followPrint, noPrints, type Prints } from "./prints.ts";
import { emptyWindow, record, type Window, within } from "./window.ts";

/** End of each pause by its cause, monotonic ms. */
export type Pauses = {
  readonly volatilityMs: number;
  readonly rejectRatioMs: number;
  readonly adverseFillsMs: number;
};

/** How far the mid moved in our favor within 60 s of a fill, and the half-spread that we quoted then; both basis points. */
export type JudgedFill = { readonly markoutBps: number; readonly halfSpreadBps: number };

export type Watch = {
  readonly prints: Prints;
  readonly pausedUntil: Pauses;
  /** Fills within a minute, and contracts. */
  readonly fills: Window;
  /** The last fills whose markouts are known, oldest first. */
  readonly judgedFills: readonly JudgedFill[];
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
  fills: emptyWindow(60_000),
  judgedFills: [],
  answers: emptyWindow(60_000),
  lastAnswers: [],
  adds: emptyWindow(1000),
  lossSinceMs: { market: null, account: null },
};

/** Call at the start of each turn: takes in the print of now, and volatility. */
export function watchView(watch: Watch, view: View, limits: MarketLimits): Watch {
  const prints = followPrint(watch.prints, view, limits);
  const wild = !isVolatilityWithin(view.signals.volatilityBps, limits.maxVolatilityBps);
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

/**
 * Takes in the markout of a fill. Where those of the last fills are too far below zero on average, adding pauses and the count
 * restarts: after the pause only new fills show whether it is over.
 */
export function watchMarkout(watch: Watch, fill: JudgedFill, limits: MarketLimits, nowMs: number): Watch {
  const judgedFills = [...watch.judgedFills, fill].slice(-limits.adverseFillsMin);
  const sum = (of: (one: JudgedFill) => number) => judgedFills.reduce((total, one) => total + of(one), 0);
  const lowest = -limits.maxAdverseHalfSpreads * sum(({ halfSpreadBps }) => halfSpreadBps);
  const isAdverse = judgedFills.length >= limits.adverseFillsMin && !(sum(({ markoutBps }) => markoutBps) >= lowest);
  if (!isAdverse) return { ...watch, judgedFills };
  const adverseFillsMs = nowMs + limits.adverseFillsCoolDownMs;
  return { ...watch, judgedFills: [], pausedUntil: { ...watch.pausedUntil, adverseFillsMs } };
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

/** Rejections further apart do not belong together: longer than the longest pause that they cause themselves. */
const REJECTIONS_APART_MS = 60_000;

/** Takes in the answer to a place or a modify; null: none in a row. Who asks us to wait, and who does not answer, rejects nothing. */
export function watchRejection(before: Rejections | null, outcome: SubmitOutcome, nowMs: number): Rejections | null {
  if (outcome.kind === "executed" || outcome.kind === "refused") return null;
  if (outcome.kind !== "rejected") return before;
  const { error } = outcome;
  const isApart = before === null || nowMs - before.lastMs > REJECTIONS_APART_MS;
  if (isApart) return { firstMs: nowMs, lastMs: nowMs, count: 1, error };
  return { firstMs: before.firstMs, lastMs: nowMs, count: before.count + 1, error };
}

/** True without an estimate (null): otherwise a quiet market would never be quoted. */
export const isVolatilityWithin = (volatilityBps: number | null, maxBps: number): boolean =>
  volatilityBps === null || volatilityBps <= maxBps;
