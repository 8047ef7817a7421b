// Converts local times of a time zone to instants, with the runtime's time zone data.

import { DAY_MS } from "./clock.ts";

/**
 * Whether the runtime knows a time zone of this name, such as America/New_York. False for an offset such as +02:00, which follows no place.
 */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && clockOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** Days from 1970-01-01 to the local date at an instant, Unix ms. Throws RangeError if there is no such zone. */
export const localDay = (timeZone: string, atMs: number): number => Math.floor(shownMs(timeZone, atMs) / DAY_MS);

/**
 * The first instant, Unix ms, at which the zone's clocks show `timeMs` after midnight of that day, or later: the first of two if clocks go
 * back, the moment of the change if they skip it. Throws RangeError if there is no such zone.
 */
export function instantOf(timeZone: string, day: number, timeMs: number): number {
  const wantedMs = day * DAY_MS + timeMs;
  const offsets = [-DAY_MS, DAY_MS].map((besideMs) => offsetMs(timeZone, wantedMs + besideMs));
  let [lowMs, highMs] = [wantedMs - Math.max(...offsets), wantedMs - Math.min(...offsets)];
  if (shownMs(timeZone, lowMs) === wantedMs) return lowMs;
  // Clocks show less than the time before the change and at least the time after it, so one search finds either.
  while (highMs - lowMs > 1000) {
    const middleMs = Math.floor((lowMs + highMs) / 2000) * 1000;
    if (shownMs(timeZone, middleMs) < wantedMs) lowMs = middleMs;
    else highMs = middleMs;
  }
  return highMs;
}

const offsetMs = (timeZone: string, atMs: number): number => shownMs(timeZone, atMs) - atMs;

/** What the zone's clocks show, read as UTC. */
function shownMs(timeZone: string, atMs: number): number {
  const parts = new Map(
    clockOf(timeZone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const [year, month, day, hour, minute, second] = shown.map((part) => parts.get(part) ?? 0);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second) + (((atMs % 1000) + 1000) % 1000);
}

const shown = ["year", "month", "day", "hour", "minute", "second"] as const;

/** By time zone: creating one is much slower than using it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const numeric = Object.fromEntries(shown.map((part) => [part, "numeric"]));
  const made = new Intl.DateTimeFormat("en-US", { ...numeric, calendar: "gregory", hourCycle: "h23", timeZone });
  clocks.set(timeZone, made);
  return made;
}
