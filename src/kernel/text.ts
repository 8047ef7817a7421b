// Durations and counts as people write them.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `1 fill`, `0 fills`, `2 fills`. */
export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The two largest units, such as `400 ms`, `1.2 s`, `40 s`, `9 min 50 s`, `2 h 5 min`, `7 d`. Ignores the sign of `ms`. */
export function durationText(ms: number): string {
  const span = Math.abs(ms);
  if (!Number.isFinite(span)) return "an unknown time";
  if (Math.round(span) < SECOND) return `${Math.round(span)} ms`;
  if (span < 10 * SECOND) return `${Math.round(span / 100) / 10} s`;
  if (Math.round(span / SECOND) < 60) return `${Math.round(span / SECOND)} s`;
  if (Math.round(span / SECOND) < 3600) return pair(span, MINUTE, "min", SECOND, "s");
  if (Math.round(span / MINUTE) < 1440) return pair(span, HOUR, "h", MINUTE, "min");
  return pair(span, DAY, "d", HOUR, "h");
}

/** An approximate duration, to a tenth: `5 h`, `1 h 20 min`, `4 min 10 s`. */
export function roughText(ms: number): string {
  const step = [DAY, HOUR, 10 * MINUTE, MINUTE, 10 * SECOND].find((one) => one <= ms / 10) ?? SECOND;
  return durationText(Math.max(1, Math.round(ms / step)) * step);
}

/** Largest time that a date can hold, before or after 1970. */
const DATE_MS_MAX = 8_640_000_000_000_000;

/** The Unix time in ms as a date in UTC, such as `2026-09-21T13:46:40.000Z`. */
export const timeText = (ms: number): string =>
  Math.abs(ms) <= DATE_MS_MAX ? new Date(ms).toISOString() : `${ms} ms after 1970`;

function pair(span: number, large: number, largeName: string, small: number, smallName: string): string {
  const smalls = Math.round(span / small);
  const rest = smalls % (large / small);
  const larges = `${(smalls - rest) / (large / small)} ${largeName}`;
  return rest === 0 ? larges : `${larges} ${rest} ${smallName}`;
}

/** Megabytes, with one decimal below ten. */
export function bytesText(bytes: number): string {
  const megabytes = bytes / (1024 * 1024);
  return `${megabytes.toFixed(megabytes < 10 ? 1 : 0)} MB`;
}
