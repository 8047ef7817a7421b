// Parses option values: what each may be, and the error for anything else.

import { InvalidArgumentError } from "commander";
import { ISO_TIME, isoTimeMs } from "../kernel/iso-time.ts";
import { latchNames } from "./choices.ts";
import type { TradingStateOptions } from "./trading-state.ts";

function wholeNumber(written: string, min: number, max: number, noun: string): number {
  const number = Number(written);
  if (!/^\d{1,7}$/.test(written) || number < min || number > max)
    throw new InvalidArgumentError(`${noun} is a whole number from ${min} to ${max}`);
  return number;
}

export function marketNumber(written: string): number {
  return wholeNumber(written, 0, 65_535, "a market id");
}

/** As text, since a JSON number cannot hold every id. */
export function idText(written: string): string {
  if (!/^\d{1,20}$/.test(written) || BigInt(written) >= 1n << 64n)
    throw new InvalidArgumentError("an id is a whole number from 0 to 2^64 - 1");
  return written;
}

export function slippage(written: string): number {
  return wholeNumber(written, 1, 5000, "a slippage");
}

export function latchKind(written: string): TradingStateOptions["latch"] {
  const kind = latchNames.find((name) => name === written);
  if (kind === undefined) throw new InvalidArgumentError(`allowed: ${latchNames.join(", ")}`);
  return kind;
}

export function printNumber(written: string): number {
  return wholeNumber(written, 0, 9_999_999, "a print's number");
}

export function collect(written: string, before: readonly string[] = []): readonly string[] {
  return [...before, written];
}

const DAYS_MAX = 36_500;

function numberOfDays(written: string, isAllowed: (number: number) => boolean, allowed: string): number {
  const number = Number(written);
  if (!/^\d{1,5}(\.\d{1,6})?$/.test(written) || !isAllowed(number) || number > DAYS_MAX)
    throw new InvalidArgumentError(`it is a number ${allowed}, at most ${DAYS_MAX}`);
  return number;
}

export const days = (written: string): number => numberOfDays(written, (number) => number > 0, "above 0");

export const daysFromZero = (written: string): number => numberOfDays(written, () => true, "from 0");

export function count(written: string): number {
  if (!/^[1-9]\d{0,6}$/.test(written)) throw new InvalidArgumentError("it is a whole number from 1 to 9999999");
  return Number(written);
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration such as `90s`, `30m`, `2h` or `1d`, ms. */
export function duration(written: string): number {
  const [, number = "", unit = ""] = /^(\d{1,6}(?:\.\d{1,3})?)([smhd])$/.exec(written) ?? [];
  const ms = Number(number) * (UNITS_MS[unit] ?? 0);
  if (!(ms > 0)) throw new InvalidArgumentError("it is a time such as 90s, 30m, 2h or 1d");
  return ms;
}

export function amount(written: string): number {
  if (!/^-?\d{1,12}(\.\d{1,6})?$/.test(written)) throw new InvalidArgumentError("it is a number, such as -50 or 2.5");
  return Number(written);
}

export function share(written: string): number {
  const number = amount(written);
  if (number < 0 || number > 1) throw new InvalidArgumentError("it is a number from 0 to 1");
  return number;
}

/** A shorter world would be judged before the bot quotes. */
export function minutes(written: string): number {
  const whole = count(written);
  if (whole < 2) throw new InvalidArgumentError("a world needs 2 minutes at least");
  return whole;
}

export function seed(written: string): bigint {
  if (!/^\d{1,19}$/.test(written)) throw new InvalidArgumentError("a seed is a whole number from 0");
  return BigInt(written);
}

/** Unix ms. */
export function isoTime(written: string): number {
  const atMs = isoTimeMs(written);
  if (atMs === undefined) throw new InvalidArgumentError(`it is ${ISO_TIME}`);
  return atMs;
}

export function port(written: string): number {
  return wholeNumber(written, 0, 65_535, "a port");
}
