// JSON without silent loss. Whole numbers beyond 2^53 are read as bigint and written as bare digits; duplicate keys, numbers that would
// round to another whole number, and prototype keys are refused. The parser is the runtime's JSON.parse; a scan before it finds what
// JSON.parse would silently accept.

import { CodedError } from "./errors.ts";
import { type JsonOutline, outlineOf } from "./json-outline.ts";

export type JsonErrorCode =
  | "utf8_malformed"
  | "json_malformed"
  | "json_too_large"
  | "json_too_deep"
  | "json_duplicate_key"
  | "json_forbidden_key"
  | "json_number";

export class JsonError extends CodedError<JsonErrorCode> {}

/**
 * `lengthMax` in UTF-16 units of text (for bytes: in bytes); `depthMax` limits nested objects and arrays. `wholeOnly` is for texts with
 * only whole numbers: a number with a fraction or exponent, even 1.0 or 1e3, becomes NaN, which every reader refuses.
 */
export type JsonLimits = { readonly lengthMax: number; readonly depthMax: number; readonly wholeOnly?: true };

/** A megabyte holds the largest page of the exchange; nothing in its interface nests deeper than eight. */
const defaultJsonLimits: JsonLimits = { lengthMax: 1_048_576, depthMax: 16 };

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text of UTF-8 bytes; keeps a byte order mark. Throws JsonError `utf8_malformed`. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch (cause) {
    throw new JsonError("utf8_malformed", "the text is not valid UTF-8", { cause });
  }
}

/** Parses one JSON text. Numbers become number, or bigint if whole and beyond ±(2^53 - 1). Throws JsonError. */
export function parseJson(text: string, limits: JsonLimits = defaultJsonLimits): unknown {
  if (text.length > limits.lengthMax) {
    throw new JsonError("json_too_large", `the JSON text is longer than ${limits.lengthMax} characters`);
  }
  const outline = outlineOf(text);
  if (outline.depth > limits.depthMax) {
    throw new JsonError("json_too_deep", `the JSON text nests deeper than ${limits.depthMax}`);
  }
  const value = parseChecked(text, outline, limits);
  if (countKeys(value) !== outline.memberCount) {
    throw new JsonError("json_duplicate_key", "an object of the JSON text has the same key twice");
  }
  return value;
}

/** Input of `stringifyJson`: JSON's own values, and whole numbers of any size. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** JSON, compact unless `indent` spaces are given. A bigint of any size becomes bare digits. */
export function stringifyJson(value: Json, indent = 0): string {
  return JSON.stringify(value, bigintAsDigits, indent);
}

function parseChecked(text: string, outline: JsonOutline, { wholeOnly }: JsonLimits): unknown {
  try {
    if (wholeOnly && !outline.wholeNumbers) return JSON.parse(text, wholeNumber);
    return outline.plainNumbers ? JSON.parse(text) : JSON.parse(text, exactNumber);
  } catch (cause) {
    if (cause instanceof JsonError) throw cause;
    throw new JsonError("json_malformed", "the text is not valid JSON", { cause });
  }
}

const INTEGER = /^-?\d+$/;
const WHOLE = /^-?\d+(?:\.0*)?$/;
const ZERO = /^-?0(?:\.0*)?(?:[eE].*)?$/;
/** A fraction of at most 15 digits never rounds to a whole double. */
const DIGITS_EXACT = 15;
/** Enough for 256 bits; converting a megabyte of digits to a bigint takes seconds. */
const INTEGER_LENGTH_MAX = 80;

/** Reviver for texts with numbers that JSON.parse may round. */
function exactNumber(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  const { source } = context;
  if (typeof value !== "number" || source === undefined) return value;
  if (INTEGER.test(source)) {
    if (Number.isSafeInteger(value)) return value;
    if (source.length <= INTEGER_LENGTH_MAX) return BigInt(source);
  } else if (isNearest(value, source)) return value;
  throw new JsonError("json_number", "a number of the JSON text cannot be held without changing it");
}

/** Reviver for texts that must have only plain digits and have other numbers too. */
function wholeNumber(key: string, value: unknown, context: { readonly source?: string }): unknown {
  const { source } = context;
  const isOther = typeof value === "number" && source !== undefined && !INTEGER.test(source);
  return isOther ? Number.NaN : exactNumber(key, value, context);
}

/** True if the double is what a reader of the fraction expects: not infinite, and not rounded to a whole number or zero. */
function isNearest(value: number, source: string): boolean {
  const digitCount = source.replace(/[eE].*$|\D/g, "").length;
  const rounded = Number.isInteger(value) && digitCount > DIGITS_EXACT && !WHOLE.test(source);
  const underflowed = value === 0 && !ZERO.test(source);
  return Number.isFinite(value) && !rounded && !underflowed;
}

/** Number of keys in all objects. Throws JsonError on forbidden keys. */
function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") count += countKeys(item);
    return count;
  }
  const record = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(record)) {
    if (key === "__proto__" || key === "constructor" || key === "prototype") {
      throw new JsonError("json_forbidden_key", `the key "${key}" is not allowed`);
    }
    count += 1;
    const member = record[key];
    if (typeof member === "object") count += countKeys(member);
  }
  return count;
}

/** JSON with every bigint as a string, such as `"12"`. */
export const stringifyQuoted = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (typeof each === "bigint" ? `${each}` : each));

const bigintAsDigits = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value;
