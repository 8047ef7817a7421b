// Converts decimal text to and from whole numbers at a scale; exactly, so a value that does not fit is an error.

import { CodedError } from "./errors.ts";

export class DecimalError extends CodedError<"decimal_malformed" | "decimal_precision"> {}

/** More digits than any amount has: i128 needs 39. */
const LENGTH_MAX = 60;
const SHAPE = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * `216.94` at scale 8 is 21694000000n. Accepts an optional minus sign, digits, and optionally a point and digits: no exponent, plus sign,
 * blank or separator. Zeros beyond the scale are allowed. Throws DecimalError.
 */
export function parseDecimal(text: string, scale: number): bigint {
  const match = text.length <= LENGTH_MAX ? SHAPE.exec(text) : null;
  if (match === null) {
    const shown = text.slice(0, LENGTH_MAX);
    throw new DecimalError("decimal_malformed", `"${shown}" is not a decimal number such as 12 or -0.5`);
  }
  const [, sign = "", whole = "0", written = ""] = match;
  const fraction = written.replace(/0+$/, "");
  if (fraction.length > scale) {
    throw new DecimalError("decimal_precision", `"${text}" has more than ${scale} decimals`, { facts: { scale } });
  }
  const magnitude = BigInt(whole + fraction.padEnd(scale, "0"));
  return sign === "-" ? -magnitude : magnitude;
}

/** 21694000000n at scale 8 is `216.94`: no trailing zeros, no point at the end. */
export function formatDecimal(value: bigint, scale: number): string {
  const sign = value < 0n ? "-" : "";
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
  const point = digits.length - scale;
  const fraction = digits.slice(point).replace(/0+$/, "");
  return sign + digits.slice(0, point) + (fraction === "" ? "" : `.${fraction}`);
}
