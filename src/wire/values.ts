// Values in the exchange's answers. Written: amounts, prices and sizes as text of whole base units, ids as bare digits of any size, counts
// and times as numbers. Both text and numbers are read, exactly; values that make no sense are refused.

import {
  accountId as asAccountId,
  native as asNative,
  orderId as asOrderId,
  price as asPrice,
  size as asSize,
  usdc as asUsdc,
  type Side,
} from "../domain/units.ts";
import { printable } from "../kernel/printable.ts";
import { type JsonSchema, type Kind, kind, says, wholeNumber } from "./description.ts";
import { WireError } from "./errors.ts";

const U64_MAX = 2n ** 64n - 1n;
const U128_MAX = 2n ** 128n - 1n;
const DECIMAL_INTEGER = /^-?\d{1,78}$/;

/** A whole number of any size, as a number or as decimal text. */
function wholeOf(value: unknown): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === "string" && DECIMAL_INTEGER.test(value)) return BigInt(value);
  throw new WireError("field_type", "", "must be a whole number or its decimal text");
}

function naturalOf(value: unknown): bigint {
  const whole = wholeOf(value);
  if (whole < 0n) throw new WireError("field_range", "", "must not be negative");
  return whole;
}

/** Refuses zero: a value that would be zero is left out instead. */
function positiveOf(value: unknown): bigint {
  const whole = wholeOf(value);
  if (whole <= 0n) throw new WireError("field_range", "", "must be above 0");
  return whole;
}

/** Refuses ids beyond 64 bits, which no transaction could name. */
function idOf(value: unknown): bigint {
  const id = naturalOf(value);
  if (id > U64_MAX) throw new WireError("field_range", "", `must be from 0 to ${U64_MAX}`);
  return id;
}

const quoted = (value: bigint): string => `"${value}"`;
const wholeText = { type: "string", pattern: "^-?(0|[1-9][0-9]*)$" };
const naturalText = { type: "string", pattern: "^(0|[1-9][0-9]*)$" };

/** Signed decimal text. */
const signed = <T extends bigint>(of: (raw: bigint) => T, description: string): Kind<T> =>
  kind({ ...wholeText, description }, (value) => of(wholeOf(value)), quoted);
/** Like `signed`, but never negative. */
const unsigned = <T extends bigint>(of: (raw: bigint) => T, description: string): Kind<T> =>
  kind({ ...naturalText, description }, (value) => of(naturalOf(value)), quoted);
/** Like `signed`, but above zero. */
const aboveZero = <T extends bigint>(of: (raw: bigint) => T, description: string): Kind<T> =>
  kind({ ...naturalText, description }, (value) => of(positiveOf(value)), quoted);

const plain = (raw: bigint): bigint => raw;
/** Signed decimal text of a whole number without a unit of its own. */
export const whole = (description: string): Kind<bigint> => signed(plain, description);
/** Like `whole`, but never negative. */
export const natural = (description: string): Kind<bigint> => unsigned(plain, description);

export const price = unsigned(asPrice, "price, 1e-8 USD");
/** A price or size that really occurred, so never zero. */
export const realPrice = aboveZero(asPrice, "price, 1e-8 USD");
export const size = unsigned(asSize, "size, 1e-6 contracts");
export const realSize = aboveZero(asSize, "size, 1e-6 contracts");
export const signedSize = signed(asSize, "signed size, 1e-6 contracts");
export const usdc = unsigned(asUsdc, "1e-6 USDC");
export const signedUsdc = signed(asUsdc, "1e-6 USDC, signed");
export const native = unsigned(asNative, "base units of NATIVE");
export const signedNative = signed(asNative, "base units of NATIVE");
export const fundingRate = whole("signed, parts per billion of notional per funding interval");
/** Base units of a token. */
export const amount = natural("base units of the token");
export const signedAmount = whole("base units of the token");

const u64 = (description: string): JsonSchema => wholeNumber(0, U64_MAX, description);

export const accountId = kind(u64("account id"), (value) => asAccountId(idOf(value)));
export const orderId = kind(u64("order id"), (value) => asOrderId(idOf(value)));
/** An account id that is given as text. */
export const accountIdText = kind({ ...naturalText, description: "account id as text" }, accountId.read, quoted);
/** Bare digits: a sum of values that may each have 64 bits. */
export const volume = kind(wholeNumber(0, U128_MAX, "1e-6 USDC, a number"), (value) => asUsdc(naturalOf(value)));
export const budget = kind<bigint>(u64("requests"), naturalOf);

/** A whole number from `min` to `max` that is exact as a double; refuses others. */
export const integer = (
  description?: string,
  min = -Number.MAX_SAFE_INTEGER,
  max: number = Number.MAX_SAFE_INTEGER,
): Kind<number> =>
  kind(wholeNumber(min, max, description), (value) => {
    const found = Number(wholeOf(value));
    if (!Number.isSafeInteger(found)) throw new WireError("field_range", "", "must be within ±(2^53 - 1)");
    if (found < min || found > max) throw new WireError("field_range", "", `must be from ${min} to ${max}`);
    return found;
  });

/** Never negative. */
export const count = integer(undefined, 0);
export const height = says(count, "block height");
export const marketId = integer("market id", 0, 65_535);
export const tokenId = integer("0: USDC, 1: NATIVE", 0);
export const timeMs = says(count, "Unix milliseconds");
export const timeSec = says(count, "Unix seconds");

/** A smaller value is in seconds (until the year 5138), a larger one in milliseconds (since 1973). */
const MILLISECONDS_FROM = 100_000_000_000;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const timeOf = (value: unknown): number =>
  count.read(typeof value === "string" && ISO_TIME.test(value) ? Date.parse(value) : value);

/** A time whose unit the interface does not give: seconds, milliseconds, or ISO 8601 text. */
export const someTimeMs: Kind<number> = kind(timeMs.schema, (value) => {
  const time = timeOf(value);
  return time < MILLISECONDS_FROM ? time * 1000 : time;
});
/** Like `someTimeMs`, in whole seconds, rounded down. */
export const someTimeSec: Kind<number> = kind(timeSec.schema, (value) => {
  const time = timeOf(value);
  return time < MILLISECONDS_FROM ? time : Math.floor(time / 1000);
});
/** A whole number written as text. */
export const countText = (description: string): Kind<number> =>
  kind({ ...naturalText, description }, count.read, (value) => `"${value}"`);

/** Much longer than any name, hash or sentence of the interface. */
const TEXT_LENGTH_MAX = 500;

/** Text, cut at a length that no one reads; a number is taken as its digits. */
export const text: Kind<string> = kind({ type: "string" }, textOf, JSON.stringify);
export const hash: Kind<string> = { ...text, schema: { type: "string", minLength: 1, description: "hash" } };

function textOf(value: unknown): string {
  if (typeof value === "string") return value.length > TEXT_LENGTH_MAX ? value.slice(0, TEXT_LENGTH_MAX) : value;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  throw new WireError("field_type", "", "must be text");
}

export const bool: Kind<boolean> = kind({ type: "boolean" }, (value) => {
  if (typeof value === "boolean") return value;
  throw new WireError("field_type", "", "must be true or false");
});

/** Exactly one of the allowed words. */
export const word = <const T extends string>(allowed: readonly T[]): Kind<T> =>
  kind(
    { type: "string", enum: allowed },
    (value) => {
      const match = allowed.find((candidate) => candidate === value);
      if (match === undefined) throw new WireError("field_type", "", `must be one of ${allowed.join(", ")}`);
      return match;
    },
    (value) => `"${value}"`,
  );

/** Only letters and digits, in lower case: STOP_LIMIT and StopLimit are the same word. */
const folded = (said: string): string => said.replace(/[^a-zA-Z0-9]/g, "").toLowerCase();

/** Like `word`, for an answer, which may use another case. */
export function anyCase<const T extends string>(allowed: readonly T[]): Kind<T> {
  const exact = word(allowed);
  const byFolded = new Map(allowed.map((each) => [folded(each), each]));
  const read = (value: unknown): T =>
    exact.read(typeof value === "string" ? (byFolded.get(folded(value)) ?? value) : value);
  return { ...exact, read };
}

/** A known word in its usual spelling, or the exchange's own word, printable; `Unknown` if it is empty. */
export function openWord(known: readonly string[], schema: JsonSchema): Kind<string> {
  const byFolded = new Map(known.map((each) => [folded(each), each]));
  const read = (value: unknown): string => {
    const said = textOf(value);
    return said.trim() === "" ? "Unknown" : (byFolded.get(folded(said)) ?? printable(said, WORD_LENGTH_MAX));
  };
  return kind(schema, read, JSON.stringify);
}
/** Unknown words appear in logs and pages. */
const WORD_LENGTH_MAX = 80;

const sides: ReadonlyMap<unknown, Side> = new Map<unknown, Side>([
  ...(["long", "buy", "bid"] as const).map((said) => [said, "buy"] as const),
  ...(["short", "sell", "ask"] as const).map((said) => [said, "sell"] as const),
]);

function sideOf(value: unknown): Side {
  if (value === "Long") return "buy";
  if (value === "Short") return "sell";
  // A boolean member such as isBuy.
  if (typeof value === "boolean") return value ? "buy" : "sell";
  const meant = typeof value === "string" ? sides.get(value.toLowerCase()) : undefined;
  if (meant === undefined) throw new WireError("field_type", "", "must be one of Long, Short");
  return meant;
}

/** Long and Short on the wire, buy and sell in the domain; other words for them are accepted. */
export const side: Kind<Side> = kind(word(["Long", "Short"]).schema, sideOf, (meant) =>
  meant === "buy" ? '"Long"' : '"Short"',
);
/** Accepted names of the member. */
export const SIDE = ["side", "direction", "isBuy"];

const KEY_HEX = /^(?:0x)?([0-9a-fA-F]{64})$/;

/** A public key, with or without 0x, as 64 lowercase characters. */
export const publicKey: Kind<string> = kind(
  { type: "string", pattern: "^[0-9a-f]{64}$", description: "Ed25519 public key, 64 hex characters" },
  (value) => {
    const hex = typeof value === "string" ? KEY_HEX.exec(value)?.[1] : undefined;
    if (hex === undefined) throw new WireError("field_type", "", "must be a public key of 64 hex characters");
    return hex.toLowerCase();
  },
  (value) => `"${value}"`,
);
/** Agent keys are written with 0x, unlike the owner's key. */
export const agentKey: Kind<string> = kind(
  { type: "string", pattern: "^0x[0-9a-f]{64}$" },
  publicKey.read,
  (value) => `"0x${value}"`,
);
