// What the guard remembers of one market from turn to turn: prints, fills, answers and its own order rate, and the pauses that they
// cause. A pause ends after its time; a latch does not.

import type { SubmitOutcome } from "../../domain/event.ts";
import { BPS, type Price, price, type Size } from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";
import type { MarketLimits } from "./limits/limits.ts";
import { emptyWindow, record, type Window, within } from "./window.ts";

/** End of each pause by its cause, monotonic ms. */
export type Pauses = {
  readonly printMoveMs: number;
  readonly volatilityMs: number;
  readonly rejectRatioMs: number;
};

export type Watch = {
  /** The newest print seen; null before the first. */
  readonly print: Price | null;
  readonly pausedUntil: Pauses;
  /** Fills within a minute, and contracts. */
  readonly fills: Window;
  /** Answers of the exchange to places and modifies within a minute, and how many of them were bad. */
  readonly answers: Window;
  /** Commands that add risk, sent within a second. */
  readonly adds: Window;
};

export const newWatch: Watch = {
  print: null,
  pausedUntil: { printMoveMs: 0, volatilityMs: 0, rejectRatioMs: 0 },
  fills: emptyWindow(60_000),
  answers: emptyWindow(60_000),
  adds: emptyWindow(1000),
};

/** Call at the start of each turn: takes in the move from print to print, and volatility. */
export function watchView(watch: Watch, view: View, limits: MarketLimits): Watch {
  const print = lastKnown(view.oracle)?.price ?? watch.print;
  const jumped = !isMoveWithin(watch.print, print, limits.maxPrintMoveBps);
  const wild = !isVolatilityWithin(view.signals.volatilityBps, limits.maxVolatilityBps);
  if (print === watch.print && !wild) return watch;
  const { pausedUntil } = watch;
  return {
    ...watch,
    print,
    pausedUntil: {
      ...pausedUntil,
      printMoveMs: jumped ? view.nowMs + limits.printMoveCoolDownMs : pausedUntil.printMoveMs,
      volatilityMs: wild ? view.nowMs + limits.volatilityCoolDownMs : pausedUntil.volatilityMs,
    },
  };
}

/** Takes in one of our fills; call once per fill. */
export const watchFill = (watch: Watch, contracts: Size, nowMs: number): Watch => ({
  ...watch,
  fills: record(watch.fills, nowMs, contracts),
});

/** Takes in a sent command of the class INCREASE. */
export const watchAdd = (watch: Watch, nowMs: number): Watch => ({ ...watch, adds: record(watch.adds, nowMs, 0n) });

/**
 * Takes in the answer to a place or a modify. Refused and rejected count as bad. A rate limit concerns the queue only, and a lost answer
 * says nothing about our model of the exchange.
 */
export function watchAnswer(watch: Watch, outcome: SubmitOutcome, limits: MarketLimits, nowMs: number): Watch {
  const bad = outcome.kind === "refused" || outcome.kind === "rejected";
  if (!bad && outcome.kind !== "executed") return watch;
  const answers = record(watch.answers, nowMs, bad ? 1n : 0n);
  const { count, amount } = within(answers, nowMs);
  const tooMany = count >= limits.rejectSamplesMin && Number(amount) > limits.maxRejectRatio * count;
  if (!tooMany) return { ...watch, answers };
  const rejectRatioMs = nowMs + limits.rejectCoolDownMs;
  // The window starts empty: after the pause only new answers count.
  return { ...watch, answers: emptyWindow(answers.spanMs), pausedUntil: { ...watch.pausedUntil, rejectRatioMs } };
}

/** Whether the move from one print to the next is at most `maxBps`; true without two prints. */
export function isMoveWithin(from: Price | null, to: Price | null, maxBps: number): boolean {
  if (from === null || to === null || from === to) return true;
  return distance(from, to) * BPS <= from * BigInt(maxBps);
}

/** True without an estimate (null): otherwise a quiet market would never be quoted. */
export const isVolatilityWithin = (volatilityBps: number | null, maxBps: number): boolean =>
  volatilityBps === null || volatilityBps <= maxBps;

/** Absolute difference of two prices. */
export const distance = (a: Price, b: Price): Price => price(a > b ? a - b : b - a);
