// Readers for what the exchange says: numbers may come as text, names may come in either casing, unknown members are passed over.
// What remains must still be right: a field that is read is read exactly, or WireError says where and why.

import { WireError } from "./errors.ts";
import type { Fields } from "./strict.ts";

/** One name, or several that mean the same, the documented one first. */
export type Names = string | readonly string[];

/** The member under the first of the names that is there; null counts as absent. */
export function found(fields: Fields, names: Names): unknown {
  if (typeof names === "string") return Object.hasOwn(fields, names) ? (fields[names] ?? undefined) : undefined;
  for (const name of names) if (Object.hasOwn(fields, name)) return fields[name] ?? undefined;
  return undefined;
}

const nameOf = (names: Names): string => (typeof names === "string" ? names : (names[0] ?? ""));

function needed(fields: Fields, names: Names): unknown {
  const value = found(fields, names);
  if (value === undefined) throw new WireError("field_missing", nameOf(names), "is required");
  return value;
}

const DECIMAL_INTEGER = /^-?\d{1,78}$/;

/** A whole number of any size, sent as a number or as decimal text. */
export function whole(fields: Fields, names: Names): bigint {
  const value = needed(fields, names);
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === "string" && DECIMAL_INTEGER.test(value)) return BigInt(value);
  throw new WireError("field_type", nameOf(names), "must be a whole number or its decimal text");
}

/** A whole number that is never below zero. */
export function natural(fields: Fields, names: Names): bigint {
  const value = whole(fields, names);
  if (value < 0n) throw new WireError("field_range", nameOf(names), "must not be negative");
  return value;
}

const U64_MAX = 2n ** 64n - 1n;

/** An id of an order or account (u64): one beyond that could be named in no transaction. */
export function id(fields: Fields, names: Names): bigint {
  const value = natural(fields, names);
  if (value > U64_MAX) throw new WireError("field_range", nameOf(names), `must be from 0 to ${U64_MAX}`);
  return value;
}

/** A whole number above zero: what is nothing at all is left out, never zero. */
export function positive(fields: Fields, names: Names): bigint {
  const value = whole(fields, names);
  if (value <= 0n) throw new WireError("field_range", nameOf(names), "must be above 0");
  return value;
}

/** A whole number that fits a number: ids of markets, basis points, counts, times. */
export function integer(fields: Fields, names: Names): number {
  const value = Number(whole(fields, names));
  if (Number.isSafeInteger(value)) return value;
  throw new WireError("field_range", nameOf(names), "must be within ±(2^53 - 1)");
}

/** Reads a whole number from `min` to `max`, both allowed: what lies outside means nothing there. */
export const integerIn =
  (min: number, max: number) =>
  (fields: Fields, names: Names): number => {
    const value = integer(fields, names);
    if (value >= min && value <= max) return value;
    throw new WireError("field_range", nameOf(names), `must be from ${min} to ${max}`);
  };

/** A count, a height or a time: a number that is never below zero. */
export const count = integerIn(0, Number.MAX_SAFE_INTEGER);

/** A market's id (u16). */
export const marketNumber = integerIn(0, 65_535);

/** Below this a time is seconds (until the year 5138), from it on milliseconds (since 1973). */
const MILLISECONDS_FROM = 100_000_000_000;

/** The same in Unix seconds, cut to the second. */
export function timeSec(fields: Fields, names: Names): number {
  const value = count(fields, names);
  return value < MILLISECONDS_FROM ? value : Math.floor(value / 1000);
}

/** Far longer than any name, hash or sentence of the interface. */
const TEXT_LENGTH_MAX = 500;

/** Text, cut where nobody would read on; a number is taken as its digits. */
export function text(fields: Fields, names: Names): string {
  const value = needed(fields, names);
  if (typeof value === "string") return value.length > TEXT_LENGTH_MAX ? value.slice(0, TEXT_LENGTH_MAX) : value;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  throw new WireError("field_type", nameOf(names), "must be text");
}

/** One of the allowed words. */
export function oneOf<T extends string>(fields: Fields, names: Names, allowed: readonly T[]): T {
  const value = needed(fields, names);
  const match = allowed.find((candidate) => candidate === value);
  if (match === undefined) throw new WireError("field_type", nameOf(names), `must be one of ${allowed.join(", ")}`);
  return match;
}
