// Converts prices, sizes and amounts between human decimals and whole units of the wire; exactly, so a value that does not fit is an error.

import {
  AMOUNT_SCALE,
  PRICE_SCALE,
  type Price,
  price,
  SIZE_SCALE,
  type Size,
  size,
  type Usdc,
  usdc,
} from "../domain/units.ts";
import { formatDecimal, parseDecimal } from "../kernel/decimal.ts";

/** "216.94" USD. Throws DecimalError, like the others. */
export const usd = (text: string): Price => price(parseDecimal(text, PRICE_SCALE));
/** "0.5" contracts. */
export const contracts = (text: string): Size => size(parseDecimal(text, SIZE_SCALE));
/** "100" USDC. */
export const dollars = (text: string): Usdc => usdc(parseDecimal(text, AMOUNT_SCALE));

export const usdText = (value: Price): string => formatDecimal(value, PRICE_SCALE);
export const contractsText = (value: Size): string => formatDecimal(value, SIZE_SCALE);
/** Text of an amount of USDC or NATIVE. */
export const amountText = (value: bigint): string => formatDecimal(value, AMOUNT_SCALE);
