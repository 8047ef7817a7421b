// Decides whether a print is trusted. One that moves far from the last trusted print is unconfirmed until a second publication agrees with
// it, one near the trusted print refutes it, or an operator confirms it. A single publication, however often it is read, is one
// observation.

import { BPS, type Price, price } from "../../domain/units.ts";
import type { ChainClock, View } from "../../domain/view.ts";
import { weigh } from "../../kernel/outlier.ts";
import { quantile } from "../../kernel/quantile.ts";
import { riskTiming } from "../timing.ts";
import type { MarketLimits } from "./limits/limits.ts";

/** A publication of the index: its price, and its time, chain time in ms. */
export type Print = { readonly price: Price; readonly publishedMs: number };

/** The first of the unconfirmed prints. Until a read gives its date, `publishedMs` is the arrival time of its frame. */
export type Doubt = Print & { readonly isDated: boolean };

export type Prints = {
  /** The newest trusted print; null before the first. */
  readonly trusted: Print | null;
  /** Null: no print is unconfirmed. */
  readonly doubtful: Doubt | null;
  /** Time of the newest publication dated by a read; 0 before the first. */
  readonly newestMs: number;
  /** Times between confirmed publications, newest last, ms. */
  readonly intervalsMs: readonly number[];
  /**
   * An observation that contradicts the newest print, with no later support for it: its date (minus infinity if only the view has a doubt),
   * and when it was requested, monotonic ms. Null: none.
   */
  readonly against: { readonly publishedMs: number; readonly askedMs: number } | null;
};

export const noPrints: Prints = { trusted: null, doubtful: null, newestMs: 0, intervalsMs: [], against: null };

/** A move by more print deviations than this is unconfirmed. */
export const DOUBT_DEVIATIONS = 8;
/** Width of the band in print deviations: three that the predicted print may move, and three of surprise by a print. */
const BAND_DEVIATIONS = 6;
/** A second publication comes at least this share of the usual interval after the first. */
const SECOND_AFTER_SHARE = 0.5;
const INTERVALS_KEPT = 9;

/**
 * Takes the current print. The first one ever seen is trusted, because there is nothing to compare it with. A print is ignored before chain
 * time is known, or if its date is ahead of it: every later print would seem to be older.
 */
export function followPrint(prints: Prints, view: View, limits: Pick<MarketLimits, "maxPrintMoveBps">): Prints {
  const { oracle: fact, chain } = view;
  if (fact.state === "absent" || chain.state === "absent") return prints;
  const { value: oracle, ageMs } = fact;
  if (oracle.lastUpdateTimestampMs > chain.value.timeMs + riskTiming.printAheadMaxMs) return prints;
  const print = { price: oracle.price, publishedMs: oracle.lastUpdateTimestampMs };
  if (fact.state === "stale" && fact.doubt !== undefined) {
    const first = { publishedMs: Number.NEGATIVE_INFINITY, askedMs: view.nowMs };
    return prints.against === null ? { ...prints, against: first } : prints;
  }
  const askedMs = view.nowMs - ageMs;
  if (isAgainst(prints, print)) return contradicted(prints, print, askedMs, view, limits);
  const { against } = prints;
  const isLifted = against !== null && against.askedMs <= askedMs;
  return taken(isLifted ? { ...prints, against: null } : prints, print, view, chain.value, limits);
}

/** Whether the print is older than the newest publication, or repeats the trusted one against a frame's print that no read has dated. */
function isAgainst({ trusted, doubtful, newestMs }: Prints, { price: said, publishedMs }: Print): boolean {
  if (publishedMs < newestMs) return true;
  return publishedMs === newestMs && doubtful !== null && !doubtful.isDated && said === trusted?.price;
}

/**
 * Lets a second contradiction drop the newest print, so that a wrong date cannot hold forever. `bot/market` does the same for its facts,
 * but knows neither the records of an earlier run nor how far a print moved. Reads may lag, so the second must be requested `readLagMaxMs`
 * after the first.
 */
function contradicted(
  prints: Prints,
  print: Print,
  askedMs: number,
  view: View,
  limits: Pick<MarketLimits, "maxPrintMoveBps">,
): Prints {
  const { trusted, against, newestMs, intervalsMs } = prints;
  const { publishedMs } = print;
  if (against === null || weigh(publishedMs, newestMs, against.publishedMs) === "unconfirmed")
    return { ...prints, against: { publishedMs, askedMs } };
  if (!(askedMs - against.askedMs >= view.readLagMaxMs)) return prints;
  const isLast = intervalsMs.at(-1) === newestMs - publishedMs;
  const left = { intervalsMs: isLast ? intervalsMs.slice(0, -1) : intervalsMs, newestMs: publishedMs, against: null };
  return trusted === null || isMoveWithin(trusted.price, print.price, reachBps(view, limits).doubt)
    ? { ...left, trusted: print, doubtful: null }
    : { ...left, trusted, doubtful: { ...print, isDated: true } };
}

function taken(
  prints: Prints,
  print: Print,
  view: View,
  chain: ChainClock,
  limits: Pick<MarketLimits, "maxPrintMoveBps">,
): Prints {
  const { trusted, doubtful } = prints;
  if (trusted === null) return { ...noPrints, trusted: print, newestMs: print.publishedMs };
  const isDated = print.publishedMs > prints.newestMs;
  const bps = reachBps(view, limits);
  const noted = (isUnconfirmed: boolean): Prints => (isDated ? dated(prints, print, isUnconfirmed) : prints);
  if (doubtful !== null) return isDated ? judged(noted(true), doubtful, print, trusted, bps) : prints;
  if (!isDated && print.price === trusted.price) return prints;
  if (isMoveWithin(trusted.price, print.price, bps.doubt)) return { ...noted(false), trusted: print };
  // A frame does not give its print's publication time; it is not later than now. A whole number, as records require.
  const publishedMs = isDated ? print.publishedMs : Math.max(print.publishedMs, Math.ceil(chain.timeMs));
  return { ...noted(true), doubtful: { ...print, isDated, publishedMs } };
}

/** The operator has checked it: the unconfirmed print is trusted from now on. */
export const confirmPrint = (prints: Prints): Prints =>
  prints.doubtful === null ? prints : { ...prints, trusted: printOf(prints.doubtful), doubtful: null };

const printOf = ({ price, publishedMs }: Print): Print => ({ price, publishedMs });

/** The view with the last trusted print in place of an unconfirmed one, which must not become a price. */
export function atTrustedPrint(view: View, { trusted }: Prints): View {
  const { oracle } = view;
  if (trusted === null || oracle.state === "absent" || oracle.value.price === trusted.price) return view;
  const value = Object.freeze({ ...oracle.value, price: trusted.price });
  return Object.freeze({ ...view, oracle: Object.freeze({ ...oracle, value }) });
}

/** Judges the unconfirmed print by a newer publication. */
function judged(
  prints: Prints,
  doubtful: Doubt,
  print: Print,
  trusted: Print,
  bps: { readonly doubt: number; readonly band: number },
): Prints {
  if (print.publishedMs > doubtful.publishedMs && isMoveWithin(trusted.price, print.price, bps.doubt))
    return { ...prints, trusted: print, doubtful: null };
  const isSame = !doubtful.isDated && print.price === doubtful.price;
  if (isSame || !isMoveWithin(doubtful.price, print.price, bps.band))
    return { ...prints, doubtful: { ...print, isDated: true } };
  const afterMs = print.publishedMs - doubtful.publishedMs;
  const isSecond = afterMs >= SECOND_AFTER_SHARE * usualIntervalMs(prints);
  return isSecond ? { ...prints, trusted: print, doubtful: null } : prints;
}

/** The median; one is known at least, since an unconfirmed print follows another. */
const usualIntervalMs = ({ intervalsMs }: Prints): number => quantile(intervalsMs, 0.5) ?? Number.POSITIVE_INFINITY;

/** The interval to an unconfirmed print must not decide how soon the next one may confirm it, unless there is no other. */
function dated(prints: Prints, { publishedMs }: Print, isUnconfirmed: boolean): Prints {
  const { newestMs, intervalsMs } = prints;
  const isLeftOut = isUnconfirmed && intervalsMs.length > 0;
  const known = isLeftOut ? intervalsMs : [...intervalsMs, publishedMs - newestMs].slice(-INTERVALS_KEPT);
  return { ...prints, newestMs: publishedMs, intervalsMs: known };
}

function reachBps({ signals }: View, { maxPrintMoveBps }: Pick<MarketLimits, "maxPrintMoveBps">) {
  const reach = (deviations: number) => Math.min(maxPrintMoveBps, Math.floor(deviations * signals.printDeviationBps));
  return { doubt: reach(DOUBT_DEVIATIONS), band: reach(BAND_DEVIATIONS) };
}

function isMoveWithin(from: Price, to: Price, maxBps: number): boolean {
  return distance(from, to) * BPS <= from * BigInt(maxBps);
}

/** Absolute difference of two prices. */
export const distance = (a: Price, b: Price): Price => price(a > b ? a - b : b - a);
