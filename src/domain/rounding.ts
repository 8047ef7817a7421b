// Joins integers and floats and divides amounts; no other file does. Every rounding has a fixed direction: bids floor, asks ceil, sizes
// truncate, what we owe rounds up.

import {
  AMOUNT_SCALE,
  NOTIONAL_DIVISOR,
  PRICE_SCALE,
  type Price,
  price,
  SIZE_SCALE,
  type Side,
  type Size,
  size,
  type Usdc,
  usdc,
} from "./units.ts";

const PRICE_UNITS = 10 ** PRICE_SCALE;
const SIZE_UNITS = 10 ** SIZE_SCALE;
const AMOUNT_UNITS = 10 ** AMOUNT_SCALE;

/** Quotient rounded toward minus infinity. Throws RangeError if `divisor` is 0. */
export function divideFloor(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const exact = quotient * divisor === dividend;
  return exact || dividend < 0n === divisor < 0n ? quotient : quotient - 1n;
}

/** Quotient rounded toward plus infinity. Throws RangeError if `divisor` is 0. */
export function divideCeil(dividend: bigint, divisor: bigint): bigint {
  return -divideFloor(-dividend, divisor);
}

/** USDC value of `contracts` at `at`, truncated toward zero to the base unit; keeps the sign of the size. */
export function notional(at: Price, contracts: Size): Usdc {
  return usdc((at * contracts) / NOTIONAL_DIVISOR);
}

/** USDC value rounded away from zero, as checks of limits and margin must assume. */
export function notionalCeil(at: Price, contracts: Size): Usdc {
  const product = at * contracts;
  return usdc(product < 0n ? -divideCeil(-product, NOTIONAL_DIVISOR) : divideCeil(product, NOTIONAL_DIVISOR));
}

/** Mean price at which `contracts` (signed like `cost`) were bought for `cost`, truncated; 0 for no contracts. */
export const meanPrice = (cost: Usdc, contracts: Size): Price =>
  price(contracts === 0n ? 0n : (cost * NOTIONAL_DIVISOR) / contracts);

/** Snaps to a multiple of `tickSize`: down for a buy, up for a sell, so that rounding never makes a quote more aggressive than intended. */
export function snapToTick(at: Price, tickSize: Price, side: Side): Price {
  const ticks = side === "buy" ? divideFloor(at, tickSize) : divideCeil(at, tickSize);
  return price(ticks * tickSize);
}

/** Price in USD as a float; for signals and metrics only; only `priceFromUsd` leads back to an order. */
export const usdOf = (at: Price): number => Number(at) / PRICE_UNITS;
/** Contracts as a float; for signals and metrics only. */
export const contractsOf = (contracts: Size): number => Number(contracts) / SIZE_UNITS;
/** USDC as a float; for signals and metrics only. */
export const usdcOf = (amount: Usdc): number => Number(amount) / AMOUNT_UNITS;

/**
 * Converts a signal in USD to a price on the tick: floor for a buy, ceil for a sell. Throws RangeError if `usd` is not finite or not above
 * zero, because a broken signal must not become an order.
 */
export function priceFromUsd(usd: number, tickSize: Price, side: Side): Price {
  if (!Number.isFinite(usd) || usd <= 0) throw new RangeError(`a price signal must be finite and positive, got ${usd}`);
  const raw = usd * PRICE_UNITS;
  const whole = BigInt(side === "buy" ? Math.floor(raw + 1e-4) : Math.ceil(raw - 1e-4));
  return snapToTick(price(whole), tickSize, side);
}

/** Converts contracts as a float to size units, truncated. Throws RangeError if not finite or negative. */
export function sizeFromContracts(contracts: number): Size {
  if (!Number.isFinite(contracts) || contracts < 0) {
    throw new RangeError(`a size signal must be finite and not negative, got ${contracts}`);
  }
  return size(BigInt(Math.trunc(contracts * SIZE_UNITS + 1e-6)));
}

/** `contracts` times a number, truncated toward zero to the size unit. Throws RangeError if `factor` is not finite. */
export function scaled(contracts: Size, factor: number): Size {
  if (!Number.isFinite(factor)) throw new RangeError(`a size is scaled by a finite number, got ${factor}`);
  // Whole factors are exact at any size; for fractions, the float error just below a whole unit is corrected before truncating.
  if (Number.isSafeInteger(factor)) return size(contracts * BigInt(factor));
  const units = Number(contracts) * factor;
  return size(BigInt(Math.trunc(units + Math.sign(units) * 1e-6)));
}
