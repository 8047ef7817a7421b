// Strict readers for values in paths and queries: market and account numbers, keys, pages. Undefined means invalid.

import { type AccountId, accountId, type MarketId } from "../../../domain/units.ts";

const U16_MAX = 65_535;
const U64_MAX = 2n ** 64n - 1n;

const DIGITS = /^(0|[1-9]\d{0,19})$/;
const PUBLIC_KEY = /^(?:0x)?([0-9a-fA-F]{64})$/;

function wholeIn(text: string | undefined, most: bigint): bigint | undefined {
  if (text === undefined || !DIGITS.test(text)) return undefined;
  const value = BigInt(text);
  return value <= most ? value : undefined;
}

/** u16 in decimal digits. */
export function marketIdIn(text: string | undefined): MarketId | undefined {
  const value = wholeIn(text, BigInt(U16_MAX));
  return value === undefined ? undefined : Number(value);
}

/** u64 in decimal digits. */
export const u64In = (text: string | undefined): bigint | undefined => wholeIn(text, U64_MAX);

export function accountIdIn(text: string | undefined): AccountId | undefined {
  const value = u64In(text);
  return value === undefined ? undefined : accountId(value);
}

/** Owner lookups accept the key with or without 0x, in either case (S2.1); returns 64 lowercase hex characters. */
export const publicKeyIn = (text: string | undefined): string | undefined =>
  PUBLIC_KEY.exec(text ?? "")?.[1]?.toLowerCase();

/** A whole number below 2^53. */
export function countIn(text: string | undefined): number | undefined {
  const value = wholeIn(text, BigInt(Number.MAX_SAFE_INTEGER));
  return value === undefined ? undefined : Number(value);
}
