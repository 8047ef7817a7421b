// Values in transactions (S4.5, S4.6): exactly the documented type. A missing key and a null are different things here.

import {
  type AccountId,
  accountId as asAccountId,
  orderId as asOrderId,
  price as asPrice,
  size as asSize,
  usdc as asUsdc,
  type Side,
} from "../../domain/units.ts";
import { bytesOfHex, hexOf } from "../../kernel/hex.ts";
import { stringifyJson } from "../../kernel/json.ts";
import { type Kind, kind, mapped, says, wholeNumber } from "../description.ts";
import { WireError } from "../errors.ts";
import { word } from "../values.ts";

const U16_MAX = 65_535n;
const U64_MAX = 2n ** 64n - 1n;
const I128_MAX = 2n ** 127n - 1n;
const I128_MIN = -I128_MAX - 1n;

/** Bare digits; refuses text, fractions and -0. */
function wholeIn(value: unknown, least: bigint, most: bigint): bigint {
  const isWhole = typeof value === "number" && Number.isSafeInteger(value) && !Object.is(value, -0);
  if (!isWhole && typeof value !== "bigint") throw new WireError("field_type", "", "must be a whole number");
  const exact = BigInt(value as number | bigint);
  if (exact < least || exact > most) throw new WireError("field_range", "", `must be from ${least} to ${most}`);
  return exact;
}

export const u64 = <T extends bigint>(of: (raw: bigint) => T, description: string): Kind<T> =>
  kind(wholeNumber(0, U64_MAX, description), (value) => of(wholeIn(value, 0n, U64_MAX)));

export const accountId = u64(asAccountId, "account id");
export const orderId = u64(asOrderId, "order id");
export const price = u64(asPrice, "1e-8 USD");
export const size = u64(asSize, "1e-6 contracts");
/** Long and Short on the wire, buy and sell in the domain. */
export const side: Kind<Side> = mapped(
  word(["Long", "Short"]),
  (said) => (said === "Long" ? "buy" : "sell"),
  (meant) => (meant === "buy" ? "Long" : "Short"),
);
/** Signed, within 128 bits. */
export const delta = kind(wholeNumber(I128_MIN, I128_MAX, "1e-6 USDC; positive: into the isolated bucket"), (value) =>
  asUsdc(wholeIn(value, I128_MIN, I128_MAX)),
);

const small = (most: bigint, description: string): Kind<number> =>
  kind(wholeNumber(0, Number(most), description), (value) => Number(wholeIn(value, 0n, most)));

export const u16 = (description: string): Kind<number> => small(U16_MAX, description);
export const marketId = u16("market id");
const count = (description: string): Kind<number> => small(BigInt(Number.MAX_SAFE_INTEGER), description);
export const tokenId = count("0: USDC, 1: NATIVE");
export const timeSec = count("Unix seconds");

/** Unix seconds stay below this for three thousand years, Unix milliseconds passed it in 1973: a larger value has the wrong unit. */
const SECONDS_MAX = 100_000_000_000;

export const expirySec: Kind<number> = {
  ...timeSec,
  read(value) {
    const seconds = timeSec.read(value);
    if (seconds >= SECONDS_MAX) throw new WireError("field_range", "", "must be Unix seconds, not milliseconds");
    return seconds;
  },
  schema: wholeNumber(0, SECONDS_MAX - 1, "Unix seconds; null: until revoked"),
};

/** Well-formed Unicode of 1 to `bytesMax` bytes of UTF-8. */
export const text = (bytesMax: number): Kind<string> =>
  kind(
    { type: "string", minLength: 1, maxLength: bytesMax, description: `1 to ${bytesMax} bytes of UTF-8` },
    (value) => {
      if (typeof value !== "string" || !value.isWellFormed()) throw new WireError("field_type", "", "must be text");
      const bytes = Buffer.byteLength(value);
      if (bytes < 1 || bytes > bytesMax)
        throw new WireError("field_range", "", `must have 1 to ${bytesMax} bytes of UTF-8`);
      return value;
    },
    stringifyJson,
  );

/** An array of `length` whole numbers from 0 to 255 (S4.5). */
export const bytes = (length: number): Kind<Uint8Array> =>
  kind(
    {
      type: "array",
      items: wholeNumber(0, 255),
      minItems: length,
      maxItems: length,
    },
    (value) => {
      if (!Array.isArray(value)) throw new WireError("field_type", "", `must be an array of ${length} bytes`);
      if (value.length !== length) throw new WireError("field_range", "", `must have ${length} elements`);
      const found = new Uint8Array(length);
      for (let at = 0; at < length; at += 1) found[at] = byteOf(value[at], at);
      return found;
    },
    (value) => `[${value.join(",")}]`,
  );

function byteOf(byte: unknown, at: number): number {
  if (typeof byte === "number" && (byte & 255) === byte && !Object.is(byte, -0)) return byte;
  throw new WireError("field_type", `${at}`, "must be a whole number from 0 to 255");
}

/** 32 numbers on the wire; 64 lowercase hex characters here. */
export const publicKey: Kind<string> = says(mapped(bytes(32), hexOf, bytesOfHex), "Ed25519 public key as 32 numbers");

/** A whole number in decimal text, without sign, leading zeros or blanks. */
function decimalOf(value: unknown, most: bigint): bigint {
  if (typeof value !== "string" || !/^(0|[1-9]\d{0,38})$/.test(value))
    throw new WireError("field_type", "", "must be a decimal string of a whole number");
  const exact = BigInt(value);
  if (exact > most) throw new WireError("field_range", "", `must be from 0 to ${most}`);
  return exact;
}

const quoted = (value: bigint): string => `"${value}"`;

/** An id as text, for Transfer and CancelWithdrawal. */
const idText = <T extends bigint>(of: (raw: bigint) => T): Kind<T> =>
  kind(
    { type: "string", pattern: "^(0|[1-9][0-9]{0,19})$", description: "decimal text of an id" },
    (value) => of(decimalOf(value, U64_MAX)),
    quoted,
  );
export const accountIdText: Kind<AccountId> = idText(asAccountId);
export const withdrawalIdText: Kind<bigint> = idText((raw) => raw);

/** Base units of tokens or shares, above zero, within i128. */
export const amountText: Kind<bigint> = kind(
  { type: "string", pattern: "^[1-9][0-9]{0,38}$", description: "decimal text of base units, above zero" },
  (value) => {
    const amount = decimalOf(value, I128_MAX);
    if (amount === 0n) throw new WireError("field_range", "", "must be above zero");
    return amount;
  },
  quoted,
);
