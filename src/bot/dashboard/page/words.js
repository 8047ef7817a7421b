// Numbers, times and names as a person reads them.

/** @type {(value: number | null | undefined, digits?: number) => string} */
export const decimal = (value, digits = 2) =>
  value === null || value === undefined
    ? "—"
    : value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** @type {(value: number | null | undefined, digits?: number) => string} */
export const signed = (value, digits = 2) => `${(value ?? 0) > 0 ? "+" : ""}${decimal(value, digits)}`;

/** @type {(value: number | null | undefined) => string} */
export const toneOf = (value) => ((value ?? 0) > 0 ? "good" : (value ?? 0) < 0 ? "bad" : "");

/** @type {(atMs: number) => string} */
export const timeText = (atMs) => new Date(atMs).toLocaleTimeString("en-GB");

/** `oracleStatus` as `oracle status`. @type {(name: string) => string} */
export const plain = (name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** @type {(ms: number) => string} */
export function durationText(ms) {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** @type {(atMs: number | null, nowMs: number) => string} */
export function countdown(atMs, nowMs) {
  if (atMs === null) return "unknown";
  return atMs < nowMs ? `${durationText(nowMs - atMs)} ago` : `in ${durationText(atMs - nowMs)}`;
}
