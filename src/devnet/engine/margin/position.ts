// Effect of a trade on a position. Cost is exact: both sides of a trade book the same notional with opposite signs, so realized profits
// plus the cost of open positions sum to zero over all accounts, in any order of trades.

import { divideCeil } from "../../../domain/rounding.ts";
import { NOTIONAL_DIVISOR, type Price, price, type Side } from "../../../domain/units.ts";
import type { MarketAccount } from "../records.ts";

/**
 * Books a trade of `units` (above zero) for `notional` USDC base units; returns the realized profit, 0 if it opened or added. In a partial
 * close the released cost rounds up, so realized profit rounds down; the remainder stays in the open part.
 */
export function bookTrade(
  marketAccount: Pick<MarketAccount, "units" | "cost">,
  side: Side,
  units: number,
  notional: bigint,
): bigint {
  const sign = side === "buy" ? 1 : -1;
  const signedCost = side === "buy" ? notional : -notional;
  const held = marketAccount.units;
  if (held === 0 || held > 0 === sign > 0) {
    marketAccount.units = held + sign * units;
    marketAccount.cost += signedCost;
    return 0n;
  }
  const closing = Math.min(units, Math.abs(held));
  const closingCost = closing === units ? signedCost : (signedCost * BigInt(closing)) / BigInt(units);
  const released =
    closing === Math.abs(held)
      ? marketAccount.cost
      : divideCeil(marketAccount.cost * BigInt(closing), BigInt(Math.abs(held)));
  marketAccount.units = held + sign * units;
  marketAccount.cost += signedCost - closingCost - released;
  return -released - closingCost;
}

/** The lower of two selected leverages; 0 means none selected. */
export const lowerLeverage = (one: number, other: number): number =>
  one === 0 || other === 0 ? one + other : Math.min(one, other);

/**
 * Leverage of a position after a trade to `units`, by an order with leverage `said`. A new position takes the order's leverage, a larger
 * one the lower of both, so that no order frees margin of the earlier position; closing changes nothing.
 */
export function leverageAfter(before: Pick<MarketAccount, "units" | "leverage">, units: number, said: number): number {
  if (units === 0) return 0;
  if (isNew(before.units, units)) return said;
  return Math.abs(units) > Math.abs(before.units) ? lowerLeverage(before.leverage, said) : before.leverage;
}

/** True if a trade from `held` to `units` opened a new position. */
export const isNew = (held: number, units: number): boolean => held === 0 || held > 0 !== units > 0;

/** Mean entry price, price scale, rounded down; 0 if flat. */
export function entryPriceOf(marketAccount: MarketAccount): Price {
  if (marketAccount.units === 0) return price(0n);
  const paid = marketAccount.cost < 0n ? -marketAccount.cost : marketAccount.cost;
  return price((paid * NOTIONAL_DIVISOR) / BigInt(Math.abs(marketAccount.units)));
}

/** Change of the open interest by one side of a trade: the long units added or removed. */
export function longChange(held: number, side: Side, units: number): number {
  const next = side === "buy" ? held + units : held - units;
  return Math.max(next, 0) - Math.max(held, 0);
}
