// The next print as the exchange announces it: `validUntil` of the newest print, once two reports agree, plus how late earlier prints came
// after theirs. Unlike an interval, it follows an index's time of day through clock changes and holidays.

import { median } from "../../kernel/quantile.ts";

/** The newest print in a read: when it was published and until when it is valid, chain time in ms. */
export type PrintWord = { readonly publishedMs: number; readonly validUntilSec: number };

/** Plain data. */
export type PrintCalendar = {
  /** The last validity in a frame, and in a read; null: none yet. */
  readonly frameSec: number | null;
  readonly read: PrintWord | null;
  /** The newest regular print whose validity a frame and a read, or two reads, agree on. */
  readonly agreed: PrintWord | null;
  /** Past prints, newest last: how long after its predecessor's end of validity each came, and how long that predecessor was valid. */
  readonly past: readonly PastPrint[];
};

type PastPrint = { readonly offsetMs: number; readonly validMs: number };

export const noPrintCalendar: PrintCalendar = { frameSec: null, read: null, agreed: null, past: [] };

/** When a print is due, chain time in ms, and how much earlier or later it may come: each is exceeded by one in ten. */
export type DuePrint = { readonly dueMs: number; readonly earlyMs: number; readonly lateMs: number };

/** Past prints, or intervals between them, that count. */
export const PRINTS_KEPT = 30;
/** A publication sooner than this share of the usual interval is a correction: the next regular print keeps its time. */
export const LEAST_SHARE = 0.5;
const TAIL = 0.1;

/** Takes a frame's validity. `everyMs`: the usual time between two prints. */
export function hearFrame(calendar: PrintCalendar, validUntilSec: number, everyMs: number): PrintCalendar {
  const { frameSec, read } = calendar;
  const heard = frameSec === validUntilSec ? calendar : { ...calendar, frameSec: validUntilSec };
  return read?.validUntilSec === validUntilSec ? agreeOn(heard, read, everyMs) : heard;
}

/** Takes a read's newest print. A validity without a second report changes nothing that was agreed on. */
export function hearRead(calendar: PrintCalendar, word: PrintWord, everyMs: number): PrintCalendar {
  const { frameSec, read, agreed } = calendar;
  const isOfSamePrint = read?.publishedMs === word.publishedMs;
  const isRepeated = isOfSamePrint && read.validUntilSec === word.validUntilSec;
  const heard = isRepeated ? calendar : { ...calendar, read: word };
  if (isRepeated || frameSec === word.validUntilSec) return agreeOn(heard, word, everyMs);
  // Reads agree on a newer print but not on its validity: the earlier validity is over.
  const isNewer = agreed !== null && word.publishedMs - agreed.publishedMs >= LEAST_SHARE * everyMs;
  return isOfSamePrint && isNewer ? { ...heard, agreed: null } : heard;
}

function agreeOn(calendar: PrintCalendar, word: PrintWord, everyMs: number): PrintCalendar {
  const { agreed, past } = calendar;
  if (agreed?.publishedMs === word.publishedMs && agreed.validUntilSec === word.validUntilSec) return calendar;
  if (agreed === null || word.publishedMs <= agreed.publishedMs) return { ...calendar, agreed: word };
  if (word.publishedMs - agreed.publishedMs < LEAST_SHARE * everyMs) return calendar;
  const untilMs = agreed.validUntilSec * 1000;
  const print = { offsetMs: word.publishedMs - untilMs, validMs: untilMs - agreed.publishedMs };
  // A print between the two was missed or did not come: they do not show when one comes.
  const isNext = print.offsetMs <= everyMs / 2;
  return { ...calendar, agreed: word, past: isNext ? [...past, print].slice(-PRINTS_KEPT) : past };
}

/**
 * Returns the next print: the end of validity plus the median delay of earlier prints. Null: no two reports agree, or there is no past
 * print to compare with and the validity ends far from the next regular print.
 */
export function namedPrint(calendar: PrintCalendar, everyMs: number): DuePrint | null {
  const known = named.get(calendar);
  if (known?.everyMs === everyMs) return known.print;
  const print = workedOut(calendar, everyMs);
  named.set(calendar, { everyMs, print });
  return print;
}

/** Oracle reads repeat the same report many times a minute. */
const named = new WeakMap<PrintCalendar, { readonly everyMs: number; readonly print: DuePrint | null }>();

function workedOut({ agreed, past }: PrintCalendar, everyMs: number): DuePrint | null {
  if (agreed === null) return null;
  const untilMs = agreed.validUntilSec * 1000;
  const isNearRhythm = Math.abs(untilMs - agreed.publishedMs - everyMs) <= everyMs / 2;
  if (past.length === 0) return isNearRhythm ? { dueMs: untilMs, earlyMs: 0, lateMs: 0 } : null;
  // A single late print changes nothing: 0 is the lower of the two.
  const usualMs = median([0, ...past.map(({ offsetMs }) => offsetMs)]) ?? 0;
  const usual = past.filter(({ offsetMs }) => Math.abs(offsetMs - usualMs) <= everyMs / 2);
  const isCounted = isCountedFromPrint([...usual.map(({ validMs }) => validMs), untilMs - agreed.publishedMs]);
  const mean = usual.reduce((sum, { offsetMs }) => sum + offsetMs, 0) / Math.max(1, usual.length);
  const besides = isCounted
    ? besideNewest(usual.map(({ offsetMs }) => offsetMs - mean))
    : [0, ...usual.map(({ offsetMs }) => offsetMs - usualMs)];
  return { dueMs: untilMs + usualMs, ...tailsOf(besides) };
}

/** True where validity always lasts equally long: a late print then moves the next end of validity, but not the index's clock. */
function isCountedFromPrint(validMs: readonly number[]): boolean {
  const validSecs = validMs.map((ms) => Math.round(ms / 1000));
  return Math.max(...validSecs) - Math.min(...validSecs) <= 1;
}

/** Returns where past prints, moved by whole steps, lie from the newest. `late`: how much later than a step each came, newest last. */
export function besideNewest(late: readonly number[]): readonly number[] {
  const besides = [0];
  for (const ms of late.toReversed()) besides.push((besides.at(-1) ?? 0) - ms);
  return besides;
}

/** Returns their lowest and highest tenth, around 0. */
export function tailsOf(besides: readonly number[]): Pick<DuePrint, "earlyMs" | "lateMs"> {
  const sorted = besides.toSorted((a, b) => a - b);
  const tail = Math.floor(TAIL * sorted.length);
  return { earlyMs: Math.max(0, -(sorted.at(tail) ?? 0)), lateMs: Math.max(0, sorted.at(-1 - tail) ?? 0) };
}
