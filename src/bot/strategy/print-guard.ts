// Quoting through a publication: whoever knows the print trades against resting orders, so quotes widen before it, are gone when it comes,
// and return once the book has formed around it. Pure functions for the phase and its effect on quotes.

import { noQuotes, type Quote, type Quotes } from "../../domain/quotes.ts";
import { priceFromUsd, usdOf } from "../../domain/rounding.ts";
import type { Price, Size } from "../../domain/units.ts";
import { exp, ln } from "../../kernel/real.ts";
import { reducingSide } from "./target-quotes.ts";

/** Times in ms. */
export type GuardTimes = {
  /** Before a print: when guarding starts, and when nothing may rest that adds to the position. */
  readonly windowMs: number;
  readonly pullMs: number;
  /** After a print: time without any quote, and the half-life of the extra width. */
  readonly settleMs: number;
  readonly recoveryMs: number;
};

/** No phase lasts longer than these shares of the time between prints: an index that prints each minute has no half hour. */
const SHARES: GuardTimes = { windowMs: 1 / 10, pullMs: 1 / 50, settleMs: 1 / 20, recoveryMs: 1 / 50 };

/** The times for an index that prints each `everyMs`. */
export const timesFor = (wanted: GuardTimes, everyMs: number): GuardTimes => ({
  windowMs: Math.min(wanted.windowMs, SHARES.windowMs * everyMs),
  pullMs: Math.min(wanted.pullMs, SHARES.pullMs * everyMs),
  settleMs: Math.min(wanted.settleMs, SHARES.settleMs * everyMs),
  recoveryMs: Math.min(wanted.recoveryMs, SHARES.recoveryMs * everyMs),
});

export type Guarding = {
  /** Time until the next print is due; negative: it is late; null: unknown. */
  readonly toPrintMs: number | null;
  /** Time since the last one was seen; Infinity: none in this run. */
  readonly sincePrintMs: number;
  /** The book is known to be younger than that print. */
  readonly isBookNew: boolean;
};

/**
 * `open`: quotes as they are. `window`: a print is near. `pulled`: it is due, late or at an unknown time; nothing rests that adds to the
 * position, and only a print opens again. `settling`: it has come; nothing rests.
 */
export type GuardPhase = "open" | "window" | "pulled" | "settling";

export function guardPhase({ toPrintMs, sincePrintMs, isBookNew }: Guarding, times: GuardTimes): GuardPhase {
  if (sincePrintMs < times.settleMs || (Number.isFinite(sincePrintMs) && !isBookNew)) return "settling";
  if (toPrintMs === null || toPrintMs <= times.pullMs) return "pulled";
  return toPrintMs <= times.windowMs ? "window" : "open";
}

/** Multiple of the usual width to quote after a print: 2 at first. */
export const recoveryWidth = (sincePrintMs: number, { settleMs, recoveryMs }: GuardTimes): number =>
  1 + exp((-ln(2) * Math.max(0, sincePrintMs - settleMs)) / recoveryMs);

/** Share of the full extra distance that a quote has `toPrintMs` before the print. */
export const windowShare = (toPrintMs: number, { windowMs, pullMs }: GuardTimes): number =>
  exp(-Math.max(0, toPrintMs - pullMs) / windowMs);

/**
 * Returns the half-spread over surprise at which a quote neither gains nor loses where a share of traders knows the print (Glosten and
 * Milgrom with a normal surprise): z with (1 - a) / 2 z = a (phi(z) - z Phi(-z)). `informed` is above 0 and below 1.
 */
export function breakEvenWidth(informed: number): number {
  let [low, high] = [0, WIDTH_MAX];
  for (let step = 0; step < BISECTIONS; step += 1) {
    const z = (low + high) / 2;
    const gains = ((1 - informed) / 2) * z;
    if (gains < informed * (density(z) - z * tail(z))) low = z;
    else high = z;
  }
  return (low + high) / 2;
}

const WIDTH_MAX = 10;
const BISECTIONS = 60;

/** The standard normal law: its density, and the probability beyond z >= 0 (Abramowitz and Stegun 26.2.17, error below 1e-7). */
const density = (z: number): number => exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

function tail(z: number): number {
  const t = 1 / (1 + 0.231_641_9 * z);
  const series = 1.330_274_429 * t - 1.821_255_978;
  return density(z) * t * (0.319_381_53 + t * (-0.356_563_782 + t * (1.781_477_937 + t * series)));
}

export type Guarded = {
  readonly phase: GuardPhase;
  /** Inside the window, quotes that add to the position are pulled instead of moved further away. */
  readonly reducesInWindow: boolean;
  /** Extra distance of quotes that add to the position, USD. */
  readonly extraUsd: number;
  /** Distance of every quote from fair value, as a multiple. */
  readonly width: number;
  /** Null: unknown, and every quote may add to the position. */
  readonly inventory: Size | null;
  readonly tickSize: Price;
};

/** Returns the quotes that the phase permits, each where it may rest. */
export function guardQuotes(quotes: Quotes, guarded: Guarded): Quotes {
  const { phase, reducesInWindow, inventory } = guarded;
  if (phase === "settling") return noQuotes("a print has come: waiting for the book to form");
  const reducing = reducingSide(inventory);
  if (phase === "pulled" || (phase === "window" && reducesInWindow)) {
    const kept = quotes.quotes.filter(({ side }) => side === reducing).map((quote) => ({ ...quote, reduceOnly: true }));
    return { ...quotes, quotes: kept, reason: "a print is due: only what reduces the position rests" };
  }
  const { fairValueUsd } = quotes;
  if (fairValueUsd === null) return quotes;
  const moved = quotes.quotes.map((quote) => moveOut(quote, fairValueUsd, guarded, quote.side === reducing));
  return { ...quotes, quotes: moved };
}

function moveOut(
  quote: Quote,
  fairUsd: number,
  { phase, extraUsd, width, tickSize }: Guarded,
  reduces: boolean,
): Quote {
  const away = quote.side === "buy" ? -1 : 1;
  const depthUsd = away * (usdOf(quote.price) - fairUsd);
  const extra = phase === "window" && !reduces ? extraUsd : 0;
  const further = Math.max(0, depthUsd) * (width - 1) + extra;
  if (further === 0) return quote;
  return { ...quote, price: priceFromUsd(usdOf(quote.price) + away * further, tickSize, quote.side) };
}
