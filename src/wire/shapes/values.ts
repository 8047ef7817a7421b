// The values that shapes are made of, as they stand in JSON. Amounts, prices and sizes travel as text of whole base units, ids as bare
// digits of any size.

import { z } from "zod";
import { U16_MAX, U64_MAX } from "../strict.ts";

/** Whole numbers that a JSON reader may hold as a bigint, which JSON Schema knows as an integer. */
const digits = (format: string, least: bigint, most: bigint) =>
  z
    .custom<number | bigint>((value) => {
      if (typeof value !== "bigint" && (!Number.isInteger(value) || Object.is(value, -0))) return false;
      return BigInt(value as number | bigint) >= least && BigInt(value as number | bigint) <= most;
    })
    // A number of JSON Schema could not say the last unit of a wide bound: the format does.
    .meta({ type: "integer", format, ...(least === 0n && { minimum: 0 }) });

/** Bare digits up to 2^64 - 1. */
export const u64 = digits("uint64", 0n, U64_MAX);
/** Bare digits, signed, within 128 bits. */
export const i128 = digits("int128", -(2n ** 127n), 2n ** 127n - 1n);
export const u16 = z.int().min(0).max(U16_MAX);
/** A number from 0 to 2^53 - 1: a count, a height, a time. */
export const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const says = (schema: z.ZodString, text: string) => schema.describe(text);
const wholeText = z.string().regex(/^-?(0|[1-9]\d*)$/);
const naturalText = z.string().regex(/^(0|[1-9]\d*)$/);

/** Signed decimal text of a whole number, of any size. */
export const whole = (text: string) => says(wholeText, text);
/** The same, never below zero. */
export const natural = (text: string) => says(naturalText, text);

export const priceText = natural("price, 1e-8 USD");
export const sizeText = natural("size, 1e-6 contracts");
export const signedUsdcText = whole("1e-6 USDC, signed");
export const rateText = whole("signed, parts per billion of notional per funding interval");

export const accountId = u64.describe("account id");
export const orderId = u64.describe("order id");
export const marketId = u16.describe("market id");
export const tokenId = z.int().min(0).describe("0: USDC, 1: NATIVE");
export const timeMs = count.describe("Unix milliseconds");
export const timeSec = count.describe("Unix seconds");
export const height = count.describe("block height");
export const hash = z.string().min(1).describe("hash");
export const keyHex = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe("Ed25519 public key, 64 hex characters");
export const side = z.enum(["Long", "Short"]);
