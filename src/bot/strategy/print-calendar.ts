// The next print as the exchange names it: `validUntil` of the newest one, where two words agree, and how prints lay beside it so far. An
// index that prints at a time of day keeps to it when clocks change and over holidays, where no interval does.

/** What a read tells of the newest print: when it was published, chain time in ms, and until when it is valid. */
export type PrintWord = { readonly publishedMs: number; readonly validUntilSec: number };

/** Plain data. */
export type PrintCalendar = {
  /** The last validity that a frame told, and the last word of a read; null: none yet. */
  readonly frameSec: number | null;
  readonly read: PrintWord | null;
  /** The newest print of the rhythm whose validity two words tell: a frame and a read, or two reads. */
  readonly agreed: PrintWord | null;
  /** Past prints, newest last: how long after the end of validity of the one before each came, and how long that one was valid. */
  readonly past: readonly PastPrint[];
};

type PastPrint = { readonly offsetMs: number; readonly validMs: number };

export const noPrintCalendar: PrintCalendar = { frameSec: null, read: null, agreed: null, past: [] };

/** When a print is due, chain time in ms, and how much earlier or later it may come: of ten, one comes earlier still and one later. */
export type DuePrint = { readonly dueMs: number; readonly earlyMs: number; readonly lateMs: number };

/** As many past prints, or intervals between them, as count. */
export const PRINTS_KEPT = 30;
/** A publication sooner than this share of the usual interval corrects one: the next of the rhythm comes when it would have come. */
export const LEAST_SHARE = 0.5;
const TAIL = 0.1;

/** Takes what a frame tells. `everyMs`: the usual time between two prints. */
export function hearFrame(calendar: PrintCalendar, validUntilSec: number, everyMs: number): PrintCalendar {
  const { frameSec, read } = calendar;
  const heard = frameSec === validUntilSec ? calendar : { ...calendar, frameSec: validUntilSec };
  return read?.validUntilSec === validUntilSec ? agreeOn(heard, read, everyMs) : heard;
}

/** Takes what a read tells. A word that no other repeats changes nothing that is agreed on. */
export function hearRead(calendar: PrintCalendar, word: PrintWord, everyMs: number): PrintCalendar {
  const { frameSec, read, agreed } = calendar;
  const isOfSamePrint = read?.publishedMs === word.publishedMs;
  const isRepeated = isOfSamePrint && read.validUntilSec === word.validUntilSec;
  const heard = isRepeated ? calendar : { ...calendar, read: word };
  if (isRepeated || frameSec === word.validUntilSec) return agreeOn(heard, word, everyMs);
  // Reads agree on a newer print and not on its validity: what the one before named is over.
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
  // A print that nobody saw, or that did not come, lies between the two: they say nothing of when one comes.
  const isNext = print.offsetMs <= everyMs / 2;
  return { ...calendar, agreed: word, past: isNext ? [...past, print].slice(-PRINTS_KEPT) : past };
}

/**
 * The next print as it is named: the end of validity, and the median time by which prints came after it so far. Null: two words do not agree, or
 * without a past print to compare with, the validity ends nowhere near the next print of the rhythm.
 */
export function namedPrint(calendar: PrintCalendar, everyMs: number): DuePrint | null {
  const known = named.get(calendar);
  if (known?.everyMs === everyMs) return known.print;
  const print = workedOut(calendar, everyMs);
  named.set(calendar, { everyMs, print });
  return print;
}

/** Oracle reads repeat the same words many times a minute. */
const named = new WeakMap<PrintCalendar, { readonly everyMs: number; readonly print: DuePrint | null }>();

function workedOut({ agreed, past }: PrintCalendar, everyMs: number): DuePrint | null {
  if (agreed === null) return null;
  const untilMs = agreed.validUntilSec * 1000;
  const isNearRhythm = Math.abs(untilMs - agreed.publishedMs - everyMs) <= everyMs / 2;
  if (past.length === 0) return isNearRhythm ? { dueMs: untilMs, earlyMs: 0, lateMs: 0 } : null;
  // One print that came late moves nothing: beside it, 0 is the lower one.
  const median = medianOf([0, ...past.map(({ offsetMs }) => offsetMs)]);
  const usual = past.filter(({ offsetMs }) => Math.abs(offsetMs - median) <= everyMs / 2);
  const isCounted = isCountedFromPrint([...usual.map(({ validMs }) => validMs), untilMs - agreed.publishedMs]);
  const mean = usual.reduce((sum, { offsetMs }) => sum + offsetMs, 0) / Math.max(1, usual.length);
  const besides = isCounted
    ? besideNewest(usual.map(({ offsetMs }) => offsetMs - mean))
    : [0, ...usual.map(({ offsetMs }) => offsetMs - median)];
  return { dueMs: untilMs + median, ...tailsOf(besides) };
}

/** The validity is always as long: a print that came late moves the next end of validity along, though not the index's clock. */
function isCountedFromPrint(validMs: readonly number[]): boolean {
  const validSecs = validMs.map((ms) => Math.round(ms / 1000));
  return Math.max(...validSecs) - Math.min(...validSecs) <= 1;
}

/** Where past prints lie beside the newest one, each moved by whole steps; how much later than a step each took, newest last. */
export function besideNewest(late: readonly number[]): readonly number[] {
  const besides = [0];
  for (const ms of late.toReversed()) besides.push((besides.at(-1) ?? 0) - ms);
  return besides;
}

/** What a tenth of them lies below 0 and above. */
export function tailsOf(besides: readonly number[]): Pick<DuePrint, "earlyMs" | "lateMs"> {
  const sorted = besides.toSorted((a, b) => a - b);
  const tail = Math.floor(TAIL * sorted.length);
  return { earlyMs: Math.max(0, -(sorted.at(tail) ?? 0)), lateMs: Math.max(0, sorted.at(-1 - tail) ?? 0) };
}

/** The lower of two; 0 of none. */
export const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;
