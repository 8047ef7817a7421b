// Exact products and quotients of prices, sizes and amounts. Uses doubles where they hold every step exactly (whole numbers below 2^53,
// whose quotients floor and ceil correctly), because they allocate nothing; beyond that, big integers.

import { divideCeil, divideFloor } from "../../domain/rounding.ts";
import { NOTIONAL_DIVISOR, type Price } from "../../domain/units.ts";

const BPS = 10_000;

/** USDC base units per size unit at a price: `times / over` in lowest terms; `times` is exact as a double. */
export type Rate = { readonly price: Price; readonly times: number; readonly over: number };

export function rateAt(price: Price): Rate {
  const common = greatestCommonDivisor(price, NOTIONAL_DIVISOR);
  return { price, times: Number(price / common), over: Number(NOTIONAL_DIVISOR / common) };
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b];
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

/** units x price in USDC base units, rounded down; units may be negative. */
export function valueFloor(units: number, rate: Rate): bigint {
  const product = units * rate.times;
  if (Number.isSafeInteger(product)) return BigInt(Math.floor(product / rate.over));
  return divideFloor(BigInt(units) * rate.price, NOTIONAL_DIVISOR);
}

/** units x price in USDC base units, rounded up; units may be negative. */
export function valueCeil(units: number, rate: Rate): bigint {
  const product = units * rate.times;
  if (Number.isSafeInteger(product)) return BigInt(Math.ceil(product / rate.over));
  return divideCeil(BigInt(units) * rate.price, NOTIONAL_DIVISOR);
}

/** Value of `units` (above zero) at `ticks`, rounded down; `rate` is the rate of one tick. */
export function tickValueFloor(ticks: number, units: number, rate: Rate): bigint {
  const product = ticks * units * rate.times;
  if (Number.isSafeInteger(product)) return BigInt(Math.floor(product / rate.over));
  return divideFloor(BigInt(ticks) * BigInt(units) * rate.price, NOTIONAL_DIVISOR);
}

/** `amount` divided by `parts`, rounded up. */
export function partCeil(amount: bigint, parts: number): bigint {
  const short = Number(amount);
  return Number.isSafeInteger(short) ? BigInt(Math.ceil(short / parts)) : divideCeil(amount, BigInt(parts));
}

/** Basis points of an amount above zero: a charge rounds up, a rebate rounds toward zero, both against the trader. */
export function bpsCeil(amount: bigint, bps: number): bigint {
  const product = Number(amount) * bps;
  return Number.isSafeInteger(product)
    ? BigInt(Math.ceil(product / BPS))
    : divideCeil(amount * BigInt(bps), BigInt(BPS));
}
