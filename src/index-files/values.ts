// The values of an index file as exact prices: what people and programs write around a number, and which cells hold no value.

import { PRICE_SCALE, type Price, price } from "../domain/units.ts";

/** Texts that programs write for a missing value, in lower case. A full stop is FRED's, a hyphen FHFA's. */
const missing: ReadonlySet<string> = new Set(["", ".", "-", "--", "nan", "na", "n/a", "#n/a", "null", "none", "nat"]);

export const isMissing = (written: string): boolean => missing.has(written.toLowerCase());

/** U+FFFD is left of a sign whose encoding is not UTF-8. */
const CURRENCY = "(?:(?:US|CA|AU|NZ)?[$£€¥\\uFFFD]|USD|GBP|EUR)";
const SHAPE = new RegExp(
  `^(-?)${CURRENCY}? ?(-?)(\\d[\\d.,'’ \\u00A0\\u202F]*?)(?:e([+-]?\\d{1,2}))? ?([kmb])?(?: ?${CURRENCY})?$`,
  "i",
);
/** The thousands of a number in groups of three, all by one sign. */
const GROUPED = /^\d{1,3}(?:([.,'’ \u00A0\u202F])\d{3})(?:\1\d{3})*$/;
const THOUSANDS: Readonly<Record<string, number>> = { k: 3, m: 6, b: 9 };
const DIGITS_MAX = 60;
/** Nine digits before the decimal point: a price in 64 bits has few more. */
const WHOLE_MAX = 10n ** 9n;

/**
 * The price in `written`: `217.1`, `1,085.29`, `$401.7K`, `2.17e+02`. Where the file's cells are parted by a semicolon, a comma alone is
 * the decimal point; elsewhere it is one unless three digits follow. Rounded to eight decimals, half away from zero: programs write 217.1
 * as 217.10000000000002. Null: no number, or one too large to be a price. Zero and less are returned as they are.
 */
export function readValue(written: string, delimiter: string): Price | null {
  const [, before = "", after = "", body, exponent = "0", unit = ""] = SHAPE.exec(written) ?? [];
  if (body === undefined || body.length > DIGITS_MAX || (before !== "" && after !== "")) return null;
  const plain = withPoint(body, delimiter);
  if (plain === null) return null;
  const [whole = "", fraction = ""] = plain.split(".");
  const shift = PRICE_SCALE + Number(exponent) + (THOUSANDS[unit.toLowerCase()] ?? 0) - fraction.length;
  const digits = BigInt(whole + fraction);
  const raw = shift >= 0 ? digits * 10n ** BigInt(shift) : divided(digits, 10n ** BigInt(-shift));
  if (raw >= WHOLE_MAX * 10n ** BigInt(PRICE_SCALE)) return null;
  return price(before + after === "" ? raw : -raw);
}

const divided = (digits: bigint, by: bigint): bigint => (2n * digits + by) / (2n * by);

/** Digits with at most one point, the decimal one; null: the signs between them make no number. */
function withPoint(body: string, delimiter: string): string | null {
  const [dot, comma] = [body.lastIndexOf("."), body.lastIndexOf(",")];
  const isCommaPoint = dot < comma && (dot >= 0 || body.indexOf(",") === comma) && !isThousands(body, delimiter);
  const point = isCommaPoint ? comma : dot;
  const isWhole = point === -1 || (GROUPED.test(body) && body.indexOf(body[point] ?? "") !== point);
  const [whole, fraction] = isWhole ? [body, ""] : [body.slice(0, point), body.slice(point + 1)];
  if (!/^\d*$/.test(fraction) || (!isWhole && fraction === "")) return null;
  if (!/^\d+$/.test(whole) && !GROUPED.test(whole)) return null;
  return `${whole.replaceAll(/\D/g, "")}.${fraction}`;
}

/** A comma before three digits, unless it is the only one in a file with another delimiter: there it may be a decimal comma. */
const isThousands = (body: string, delimiter: string): boolean =>
  GROUPED.test(body) && !body.includes(".") && delimiter !== ";";
