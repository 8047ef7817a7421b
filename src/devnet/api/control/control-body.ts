// Bodies of the control listener: JSON whose prices and amounts are human decimals, as text or as numbers.

import { AMOUNT_SCALE, PRICE_SCALE, type Price, price } from "../../../domain/units.ts";
import { DecimalError, parseDecimal } from "../../../kernel/decimal.ts";
import { decodeUtf8, parseJson } from "../../../kernel/json.ts";
import type { Fields } from "../../../wire/description.ts";
import { WireError, within } from "../../../wire/errors.ts";
import { has, objectOf, onlyKeys } from "./fields.ts";

/** The fields of the body. Throws WireError if there is one that `keys` does not name. */
export function controlFields(body: Uint8Array, keys: readonly string[]): Fields {
  return within("", () => {
    const fields = objectOf(parseJson(decodeUtf8(body)), "");
    onlyKeys(fields, new Set(keys));
    return fields;
  });
}

/** USD, above zero. Throws WireError. */
export function priceUsd(fields: Fields, key: string): Price {
  return price(aboveZero(decimalOf(fields, key, PRICE_SCALE), key));
}

/** USDC or NATIVE in base units, above zero. Throws WireError. */
export const amount = (fields: Fields, key: string): bigint => aboveZero(decimalOf(fields, key, AMOUNT_SCALE), key);

/** 64 lowercase hex characters. Throws WireError. */
export function keyHex(fields: Fields, key: string): string {
  const value = has(fields, key) ? fields[key] : undefined;
  if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) return value;
  throw new WireError("field_type", key, "must be 64 lowercase hex characters");
}

/** A JSON number is read by its shortest decimal text, which equals what was written up to 15 digits. */
function decimalOf(fields: Fields, key: string, scale: number): bigint {
  const value = has(fields, key) ? fields[key] : undefined;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") {
    throw new WireError("field_missing", key, 'must be a decimal such as "216.94"');
  }
  try {
    return parseDecimal(String(value), scale);
  } catch (thrown) {
    if (thrown instanceof DecimalError) throw new WireError("field_type", key, thrown.message, thrown);
    throw thrown;
  }
}

function aboveZero(value: bigint, key: string): bigint {
  if (value <= 0n) throw new WireError("field_range", key, "must be above zero");
  return value;
}
