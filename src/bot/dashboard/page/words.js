// Numbers, times and names for people. Formatters are kept, because making one is slower than using it, and a page of rows uses one
// hundreds of times.

/** By number of decimals. @type {Intl.NumberFormat[]} */
const numbers = [];
/** @type {(digits: number) => Intl.NumberFormat} */
function numberOf(digits) {
  numbers[digits] ??= new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return numbers[digits];
}
const times = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** @type {(value: number | null | undefined, digits?: number) => string} */
export const decimal = (value, digits = 2) =>
  value === null || value === undefined ? "—" : numberOf(digits).format(value).replace("-", "−");

/** @type {(value: number | null | undefined, digits?: number) => string} */
export const signed = (value, digits = 2) => `${(value ?? 0) > 0 ? "+" : ""}${decimal(value, digits)}`;

/** @type {(value: number | null | undefined) => "good" | "bad" | ""} */
export const toneOf = (value) => ((value ?? 0) > 0 ? "good" : (value ?? 0) < 0 ? "bad" : "");

/** In the reader's time zone. @type {(atMs: number) => string} */
export const timeText = (atMs) => times.format(atMs);

/** In the reader's time zone. @type {(atMs: number) => string} */
export const dayText = (atMs) => days.format(atMs);

/** With the date if it is another day. @type {(atMs: number, nowMs: number) => string} */
export function momentText(atMs, nowMs) {
  const day = dayText(atMs);
  return day === dayText(nowMs) ? timeText(atMs) : `${day} ${timeText(atMs)}`;
}

/** @type {(atMs: number) => string} */
export const utcText = (atMs) => `${new Date(atMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** `oracleStatus` as `oracle status`. @type {(name: string) => string} */
export const plain = (name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** @type {(ms: number) => string} */
export function durationText(ms) {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** @type {(atMs: number | null, nowMs: number) => string} */
export function countdown(atMs, nowMs) {
  if (atMs === null) return "unknown";
  return atMs < nowMs ? `${durationText(nowMs - atMs)} ago` : `in ${durationText(atMs - nowMs)}`;
}

/** `1:02:03`, or `+0:04` after it. @type {(atMs: number | null | undefined, nowMs: number) => string} */
export function timer(atMs, nowMs) {
  if (atMs === null || atMs === undefined) return "—";
  const seconds = Math.round(Math.abs(atMs - nowMs) / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (/** @type {number} */ of) => `${of}`.padStart(2, "0");
  const text = hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
  return atMs < nowMs ? `+${text}` : text;
}

/**
 * Whether it is real money, in one word. A chain of unknown form counts as live, to be careful.
 *
 * @type {(chainId: string, isPaper: boolean) => { readonly word: string; readonly look: "paper" | "devnet" | "test" | "live"; readonly means: string }}
 */
export function badgeOf(chainId, isPaper) {
  if (isPaper)
    return { word: "PAPER", look: "paper", means: "orders are simulated beside the real book; nothing is sent" };
  const network = /^venue-v\d+:([^:]+):/.exec(chainId)?.[1];
  if (network === "devnet") return { word: "DEVNET", look: "devnet", means: "a simulated exchange; no real money" };
  if (network === undefined || network === "mainnet") return { word: "LIVE", look: "live", means: "real money" };
  return { word: network.toUpperCase(), look: "test", means: `the network ${network}` };
}
