// Readers for requests to the control listener: each accepts exactly the documented type. Each throws WireError with the field's name as
// path. A missing key and a null are different things here.

import type { Fields } from "../../../wire/description.ts";
import { WireError } from "../../../wire/errors.ts";

const U16_MAX = 65_535;

export function objectOf(value: unknown, path: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new WireError("field_type", path, "must be an object");
  }
  return value as Fields;
}

/** Throws WireError if there are members that the shape does not have. */
export function onlyKeys(fields: Fields, allowed: ReadonlySet<string>): void {
  for (const key of Object.keys(fields)) {
    if (!allowed.has(key)) throw new WireError("field_unknown", key, "is not a field of this shape");
  }
}

/** True if the member exists, whatever its value. */
export const has = (fields: Fields, key: string): boolean => Object.hasOwn(fields, key);

function member(fields: Fields, key: string): unknown {
  if (!has(fields, key)) throw new WireError("field_missing", key, "is required");
  return fields[key];
}

/** Whole number as bigint; refuses text, fractions and -0. */
function wholeNumber(value: unknown, key: string, least: bigint, most: bigint): bigint {
  const whole = typeof value === "number" && Number.isSafeInteger(value) && !Object.is(value, -0);
  if (!whole && typeof value !== "bigint") {
    throw new WireError("field_type", key, "must be a whole number");
  }
  const exact = BigInt(value as number | bigint);
  if (exact < least || exact > most) {
    throw new WireError("field_range", key, `must be from ${least} to ${most}`);
  }
  return exact;
}

export const u16 = (fields: Fields, key: string): number =>
  Number(wholeNumber(member(fields, key), key, 0n, BigInt(U16_MAX)));

/** Whole number from 0 to 2^53 - 1: seconds, milliseconds, counts, token numbers. */
export const count = (fields: Fields, key: string): number =>
  Number(wholeNumber(member(fields, key), key, 0n, BigInt(Number.MAX_SAFE_INTEGER)));

/** `T | null` of S2.1: null and omission both read as null. */
export function nullable<T>(fields: Fields, key: string, read: (fields: Fields, key: string) => T): T | null {
  return fields[key] === null || !has(fields, key) ? null : read(fields, key);
}

export function bool(fields: Fields, key: string): boolean {
  const value = member(fields, key);
  if (typeof value !== "boolean") throw new WireError("field_type", key, "must be true or false");
  return value;
}

/** Well-formed Unicode of 1 to `bytesMax` bytes of UTF-8. */
export function text(fields: Fields, key: string, bytesMax: number): string {
  const value = member(fields, key);
  if (typeof value !== "string" || !value.isWellFormed()) throw new WireError("field_type", key, "must be text");
  const bytes = Buffer.byteLength(value);
  if (bytes < 1 || bytes > bytesMax)
    throw new WireError("field_range", key, `must have 1 to ${bytesMax} bytes of UTF-8`);
  return value;
}

export function oneOf<T extends string>(fields: Fields, key: string, allowed: readonly T[]): T {
  const value = member(fields, key);
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new WireError("field_type", key, `must be one of ${allowed.join(", ")}`);
  return found;
}
