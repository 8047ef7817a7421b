// What stands in paths and queries, read exactly: numbers of markets and accounts, keys, pages. Undefined is not a value.

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

/** u16 in plain digits. */
export function marketIdIn(text: string | undefined): MarketId | undefined {
  const value = wholeIn(text, BigInt(U16_MAX));
  return value === undefined ? undefined : Number(value);
}

/** u64 in plain digits. */
export const u64In = (text: string | undefined): bigint | undefined => wholeIn(text, U64_MAX);

export function accountIdIn(text: string | undefined): AccountId | undefined {
  const value = u64In(text);
  return value === undefined ? undefined : accountId(value);
}

/** Owner lookups take the key with or without 0x, in either case (S2.1); 64 lowercase hex characters come out. */
export const publicKeyIn = (text: string | undefined): string | undefined =>
  PUBLIC_KEY.exec(text ?? "")?.[1]?.toLowerCase();

/** A whole number below 2^53. */
export function countIn(text: string | undefined): number | undefined {
  const value = wholeIn(text, BigInt(Number.MAX_SAFE_INTEGER));
  return value === undefined ? undefined : Number(value);
}
