// Readers for what others ask of the exchange: exactly the documented type, nothing near it. Each throws WireError with the
// field's name as path. A missing key and a null are different things here.

import { hexOf } from "../kernel/hex.ts";
import { WireError } from "./errors.ts";

/** A JSON object whose members are not known yet. */
export type Fields = Readonly<Record<string, unknown>>;

export const U16_MAX = 65_535;
export const U64_MAX = 2n ** 64n - 1n;
const I128_MIN = -(2n ** 127n);
const I128_MAX = 2n ** 127n - 1n;

/** `value` as an object. */
export function objectOf(value: unknown, path: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new WireError("field_type", path, "must be an object");
  }
  return value as Fields;
}

/** Refuses members that the shape does not have. */
export function onlyKeys(fields: Fields, allowed: ReadonlySet<string>): void {
  for (const key of Object.keys(fields)) {
    if (!allowed.has(key)) throw new WireError("field_unknown", key, "is not a field of this shape");
  }
}

/** True when the member is there, whatever its value. */
export const has = (fields: Fields, key: string): boolean => Object.hasOwn(fields, key);

function member(fields: Fields, key: string): unknown {
  if (!has(fields, key)) throw new WireError("field_missing", key, "is required");
  return fields[key];
}

/** Whole number as bigint; text, fractions and -0 are refused. */
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

export const u64 = (fields: Fields, key: string): bigint => wholeNumber(member(fields, key), key, 0n, U64_MAX);
export const i128 = (fields: Fields, key: string): bigint => wholeNumber(member(fields, key), key, I128_MIN, I128_MAX);
export const u16 = (fields: Fields, key: string): number =>
  Number(wholeNumber(member(fields, key), key, 0n, BigInt(U16_MAX)));

/** Whole number from 0 to 2^53 - 1: seconds, milliseconds, counts, token numbers. */
export const count = (fields: Fields, key: string): number =>
  Number(wholeNumber(member(fields, key), key, 0n, BigInt(Number.MAX_SAFE_INTEGER)));

/** `T | null` of S2.1: null and omission both read as null. */
export function nullable<T>(fields: Fields, key: string, read: (fields: Fields, key: string) => T): T | null {
  return fields[key] === null || !has(fields, key) ? null : read(fields, key);
}

/** Like `nullable`, where the key must be sent: null says something that omission does not. */
export function nullableSent<T>(fields: Fields, key: string, read: (fields: Fields, key: string) => T): T | null {
  return member(fields, key) === null ? null : read(fields, key);
}

/** A field with a protocol default: omission reads as null, an explicit null is refused (S2.1). */
export function optional<T>(fields: Fields, key: string, read: (fields: Fields, key: string) => T): T | null {
  if (!has(fields, key)) return null;
  if (fields[key] === null) throw new WireError("field_null", key, "must be omitted when unset; null is not allowed");
  return read(fields, key);
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

export function object(fields: Fields, key: string): Fields {
  return objectOf(member(fields, key), key);
}

/** An array of `length` whole numbers from 0 to 255 (S4.5). */
export function byteArray(fields: Fields, key: string, length: number): Uint8Array {
  const value = member(fields, key);
  if (!Array.isArray(value)) throw new WireError("field_type", key, `must be an array of ${length} bytes`);
  if (value.length !== length) throw new WireError("field_range", key, `must have ${length} elements`);
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 1) {
    const byte: unknown = value[at];
    if (typeof byte !== "number" || (byte & 255) !== byte || Object.is(byte, -0)) {
      throw new WireError("field_type", `${key}.${at}`, "must be a whole number from 0 to 255");
    }
    bytes[at] = byte;
  }
  return bytes;
}

/** A public key sent as 32 numbers, as 64 lowercase hex characters. */
export const publicKey = (fields: Fields, key: string): string => hexOf(byteArray(fields, key, 32));

/** A whole number in decimal text, without sign, leading zeros or blanks (Transfer). */
export function decimalText(fields: Fields, key: string, most: bigint): bigint {
  const value = member(fields, key);
  if (typeof value !== "string" || !/^(0|[1-9]\d{0,38})$/.test(value)) {
    throw new WireError("field_type", key, "must be a decimal string of a whole number");
  }
  const exact = BigInt(value);
  if (exact > most) throw new WireError("field_range", key, `must be from 0 to ${most}`);
  return exact;
}

/** The same above zero: an amount of tokens or shares, within i128. */
export function amountText(fields: Fields, key: string): bigint {
  const amount = decimalText(fields, key, I128_MAX);
  if (amount === 0n) throw new WireError("field_range", key, "must be above zero");
  return amount;
}
