// Quoting through a publication: whoever knows the print trades against what rests, so quotes widen before it, are gone when it
// comes, and return once the book has formed around it. Which phase it is, and what it does to quotes, as pure functions.

import { noQuotes, type Quote, type Quotes } from "../../domain/quotes.ts";
import { priceFromUsd, usdOf } from "../../domain/rounding.ts";
import type { Price, Size } from "../../domain/units.ts";
import { exp, ln } from "../../kernel/real.ts";
import { reducingSide } from "./target-quotes.ts";

/** Times in ms. */
export type GuardTimes = {
  /** Before a print: from when quotes are guarded, and from when nothing may rest that adds to the position. */
  readonly windowMs: number;
  readonly pullMs: number;
  /** After one: without any quote, and how soon half of the extra width is gone. */
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
  /** Until the next print is due; negative: it is late; null: nobody knows. */
  readonly toPrintMs: number | null;
  /** Since the last one was seen; Infinity: none came in this run. */
  readonly sincePrintMs: number;
  /** The book is known to be younger than that print. */
  readonly isBookNew: boolean;
};

/**
 * `open`: quotes as they are. `window`: a print is near. `pulled`: it is due, late or unknown when it comes; nothing rests that adds
 * to the position, and only a print opens again. `settling`: it has come; nothing rests.
 */
export type GuardPhase = "open" | "window" | "pulled" | "settling";

export function guardPhase({ toPrintMs, sincePrintMs, isBookNew }: Guarding, times: GuardTimes): GuardPhase {
  if (sincePrintMs < times.settleMs || (Number.isFinite(sincePrintMs) && !isBookNew)) return "settling";
  if (toPrintMs === null || toPrintMs <= times.pullMs) return "pulled";
  return toPrintMs <= times.windowMs ? "window" : "open";
}

/** How many times as wide as usual to quote after a print: 2 at first. */
export const recoveryWidth = (sincePrintMs: number, { settleMs, recoveryMs }: GuardTimes): number =>
  1 + exp((-ln(2) * Math.max(0, sincePrintMs - settleMs)) / recoveryMs);

/** Share of the full extra distance that a quote has `toPrintMs` before the print. */
export const windowShare = (toPrintMs: number, { windowMs, pullMs }: GuardTimes): number =>
  exp(-Math.max(0, toPrintMs - pullMs) / windowMs);

/**
 * Half-spread over surprise at which a quote neither gains nor loses where a share of those who trade knows the print (Glosten and
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
  /** Inside the window nothing rests that adds to the position, instead of further away. */
  readonly reducesInWindow: boolean;
  /** Extra distance of what adds to the position, USD. */
  readonly extraUsd: number;
  /** Distance of every quote from fair value, as a multiple. */
  readonly width: number;
  /** Null: not known, and every quote may add to it. */
  readonly inventory: Size | null;
  readonly tickSize: Price;
};

/** The quotes that the phase leaves, each where it may rest. */
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
